package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

// caller is one connection that asks and reads, at as little cost of its own as
// can be: it shares the processors with what it measures.
type caller struct {
	conn net.Conn
	r    *bufio.Reader
	body []byte
}

func dial(url string) (*caller, error) {
	at, err := netip.ParseAddrPort(url[len("http://"):])
	if err != nil {
		return nil, err
	}
	conn, err := net.DialTCP("tcp", nil, net.TCPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	return &caller{conn: conn, r: bufio.NewReader(conn)}, nil
}

// answer is valid until the next one.
type answer struct {
	status int
	etag   string
	body   []byte
}

// request is what get sends for a path.
func request(path string, headers ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: bench\r\nUser-Agent: iPXE/1.21.1\r\n", path)
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

func (c *caller) get(path string, headers ...string) (answer, error) {
	return c.send(request(path, headers...))
}

func (c *caller) send(request []byte) (a answer, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return a, err
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return a, fmt.Errorf("status line %q: %w", line, err)
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, err
	}
	length := 0
	for {
		if line, err = c.r.ReadSlice('\n'); err != nil {
			return a, err
		}
		if len(line) <= 2 {
			break
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return a, err
			}
		} else if v, ok := bytes.CutPrefix(line, []byte("Etag: ")); ok {
			a.etag = string(bytes.TrimSpace(v))
		} else if bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked")) {
			length = -1
		}
	}
	if length < 0 {
		c.body, err = io.ReadAll(httputil.NewChunkedReader(c.r))
		if err == nil {
			_, err = c.r.Discard(len("\r\n")) // the reader stops before the empty trailer
		}
		a.body = c.body
		return a, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	a.body = c.body[:length]
	_, err = io.ReadFull(c.r, a.body)
	return a, err
}

// hammer asks over n connections, one question after another on each, for a
// while, and returns how many were answered a second.
func hammer(url string, n int, during time.Duration, requests [][]byte) (float64, error) {
	var wg sync.WaitGroup
	counts, errs := make([]int, n), make(chan error, n)
	begun := time.Now()
	for i := range n {
		c, err := dial(url)
		if err != nil {
			return 0, err
		}
		defer c.conn.Close()
		wg.Go(func() {
			for at := i * 7919; time.Since(begun) < during; at++ {
				a, err := c.send(requests[at%len(requests)])
				if err != nil || a.status != 200 {
					errs <- fmt.Errorf("status %d: %w", a.status, err)
					return
				}
				counts[i]++
			}
		})
	}
	wg.Wait()
	took := time.Since(begun).Seconds()
	total := 0
	for _, c := range counts {
		total += c
	}
	select {
	case err := <-errs:
		return 0, err
	default:
		return float64(total) / took, nil
	}
}
