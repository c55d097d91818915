package httpx

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/certs/certstest"
)

// quick are limits that a test can wait for.
var quick = limits{
	header: 200 * time.Millisecond, body: 400 * time.Millisecond, idle: 200 * time.Millisecond,
	stall: 200 * time.Millisecond, stop: 5 * time.Second, headerBytes: 8 << 10,
}

// calm are quick ones that let a client take its time until it has asked, so that
// a machine that stalls does not end what a test is not about.
var calm = limits{
	header: time.Minute, body: time.Minute, idle: quick.idle,
	stall: quick.stall, stop: quick.stop, headerBytes: quick.headerBytes,
}

// limited serves h with l until the test ends.
func limited(t *testing.T, ln net.Listener, l limits, h http.Handler, o ServerOptions) {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.serve(ctx, ln, h, o) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func dial(t *testing.T, ln net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// trickle sends s a byte at a time and reports whether the server hung up
// before its end.
func trickle(c net.Conn, s string, pause time.Duration) (cut bool) {
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, c)
		close(gone)
	}()
	for i := range len(s) {
		if _, err := c.Write([]byte{s[i]}); err != nil {
			return true
		}
		select {
		case <-gone:
			return true
		case <-time.After(pause):
		}
	}
	return false
}

func echo(t *testing.T) http.Handler {
	e, _ := engine(t)
	e.POST("/x", Answer(func(c *gin.Context) (int, any, error) {
		in, err := Decode[struct{ Name string }](c)
		return 200, in, err
	}))
	return e
}

func TestAClientThatTricklesItsHeaderIsHungUpOn(t *testing.T) {
	ln := listen(t)
	limited(t, ln, quick, echo(t), ServerOptions{})
	header := "GET /x HTTP/1.1\r\nHost: x\r\nX-Slow: " + strings.Repeat("a", 500)
	if !trickle(dial(t, ln), header, 20*time.Millisecond) {
		t.Errorf("10 s of a header that should take %s", quick.header)
	}
}

func TestAClientThatTricklesItsBodyIsHungUpOn(t *testing.T) {
	ln := listen(t)
	limited(t, ln, quick, echo(t), ServerOptions{})
	for name, header := range map[string]string{
		"a handler that reads it": "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n",
		"in chunks":               "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1f4\r\n",
		"one that does not":       "POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, ln)
			if _, err := io.WriteString(c, header); err != nil {
				t.Fatal(err)
			}
			if !trickle(c, `{"Name":"`+strings.Repeat("a", 480), 20*time.Millisecond) {
				t.Errorf("10 s of a body that should take %s", quick.body)
			}
		})
	}
}

func TestAClientThatSaysNothingIsHungUpOn(t *testing.T) {
	ln := listen(t)
	limited(t, ln, quick, echo(t), ServerOptions{})
	answering := listen(t)
	limited(t, answering, calm, echo(t), ServerOptions{})
	silent := dial(t, ln)
	idle := dial(t, answering)
	if _, err := io.WriteString(idle, "GET /nope HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]net.Conn{"from the start": silent, "after its answer": idle} {
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAClientThatNeverFinishesItsTLSHandshakeIsHungUpOn(t *testing.T) {
	ca := certstest.New(t, "ca")
	p := certstest.In(t.TempDir(), "x")
	ca.Issue(p, "x")
	pair, err := tls.LoadX509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	ln := listen(t)
	limited(t, ln, quick, echo(t), ServerOptions{TLS: &tls.Config{Certificates: []tls.Certificate{pair}}})
	if !trickle(dial(t, ln), "\x16\x03\x01\x01\xf4"+strings.Repeat("a", 495), 20*time.Millisecond) {
		t.Errorf("10 s of a handshake that should take %s", quick.header)
	}
}

func TestAHeaderOverTheLimitIs431(t *testing.T) {
	ln := listen(t)
	limited(t, ln, calm, echo(t), ServerOptions{})
	c := dial(t, ln)
	// The server hangs up while it is being sent.
	_, _ = io.WriteString(c, "GET /x HTTP/1.1\r\nHost: x\r\nX-Long: "+strings.Repeat("a", 16<<10)+"\r\n\r\n")
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 431 ") {
		t.Errorf("%q %v", line, err)
	}
}

func TestAClientThatDoesNotReadIsHungUpOn(t *testing.T) {
	ln := listen(t)
	wrote := make(chan error, 1)
	limited(t, ln, calm, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20))
		wrote <- err
	}), ServerOptions{})
	if _, err := io.WriteString(dial(t, ln), "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; err == nil {
		t.Error("64 MiB went to a client that reads nothing")
	}
}

func TestAnAnswerThatTakesLongerThanEveryLimitArrives(t *testing.T) {
	t.Parallel()
	ln := listen(t)
	e, _ := engine(t)
	most := 2 * time.Second // long enough for a machine that stalls
	long := 3 * most
	e.POST("/clone", func(c *gin.Context) {
		_, _ = io.ReadAll(c.Request.Body)
		select {
		case <-time.After(long):
			c.String(200, "done")
		case <-c.Request.Context().Done():
			c.String(500, "given up")
		}
	})
	e.GET("/stream", func(c *gin.Context) {
		for range 10 {
			_, _ = c.Writer.WriteString("event\n")
			c.Writer.Flush()
			select {
			case <-time.After(long / 10):
			case <-c.Request.Context().Done():
				return
			}
		}
	})
	limited(t, ln, limits{header: most, body: most, idle: most, stall: most, stop: quick.stop, headerBytes: quick.headerBytes}, e, ServerOptions{})
	url := "http://" + ln.Addr().String()
	resp, err := http.Post(url+"/clone", "application/json", strings.NewReader(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); string(b) != "done" || err != nil {
		t.Errorf("a long call: %q %v", b, err)
	}
	stream, err := http.Get(url + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if b, err := io.ReadAll(stream.Body); string(b) != strings.Repeat("event\n", 10) || err != nil {
		t.Errorf("a stream: %q %v", b, err)
	}
}

// far is a listener whose clients seem to come from elsewhere, in turn from
// each of the addresses.
type far struct {
	net.Listener
	from chan string
}

type farConn struct {
	net.Conn
	from net.Addr
}

func (c farConn) RemoteAddr() net.Addr { return c.from }

func (l far) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return farConn{c, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(<-l.from))}, nil
}

func TestOneAddressMayHoldSoManyConnectionsAndOthersGetIn(t *testing.T) {
	ln := far{listen(t), make(chan string, 1)}
	e, _ := engine(t)
	e.GET("/x", func(c *gin.Context) { c.String(200, "in") })
	roomy := calm
	roomy.idle = time.Minute
	limited(t, ln, roomy, e, ServerOptions{Connections: 2, Spare: []netip.Prefix{netip.MustParsePrefix("198.51.100.9/32")}})
	enter := func(from string) (net.Conn, bool) {
		ln.from <- from
		c := dial(t, ln)
		_, _ = io.WriteString(c, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
		answer := make([]byte, 12)
		_, err := io.ReadFull(c, answer)
		return c, err == nil && bytes.Equal(answer, []byte("HTTP/1.1 200"))
	}
	var first net.Conn
	for i, want := range []bool{true, true, false, false} {
		c, in := enter("192.0.2.1:1000")
		if in != want {
			t.Errorf("connection %d of one address: %t", i, in)
		}
		if i == 0 {
			first = c
		}
	}
	if _, in := enter("192.0.2.2:1000"); !in {
		t.Error("another address is turned away")
	}
	for i, want := range []bool{true, true, false} {
		if _, in := enter([]string{"[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1"}[i]); in != want {
			t.Errorf("connection %d of one IPv6 network: %t", i, in)
		}
	}
	for range 5 {
		for _, from := range []string{"127.0.0.1:1000", "198.51.100.9:1000"} {
			if _, in := enter(from); !in {
				t.Errorf("%s is turned away", from)
			}
		}
	}
	first.Close()
	for range 4000 {
		if _, in := enter("192.0.2.1:1000"); in {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("who hung up is still counted")
}
