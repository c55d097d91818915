package nodetest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// TooMuch is more than any caller may read of one answer, in bytes.
const TooMuch = 2 << 30

// Faults are the ways in which an answer goes wrong, by what the node does
// then. elsewhere is an address that redirects lead to.
func Faults(elsewhere string) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"hangs":                          Hang,
		"trickles its header":            raw(trickle("HTTP/1.1 200 OK\r\nX-Slow: ", "x")),
		"trickles its body":              raw(trickle("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", " ")),
		"hints for ever":                 raw(flood("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")),
		"never ends its header":          raw(flood("HTTP/1.1 200 OK\r\n", "X-More: "+strings.Repeat("y", 1000)+"\r\n")),
		"never ends a line of it":        raw(flood("HTTP/1.1 200 OK\r\nX-More: ", strings.Repeat("y", 1000))),
		"answers 2 GiB":                  endless(200),
		"refuses with 2 GiB":             endless(500),
		"answers a compressed bomb":      bomb,
		"closes at once":                 raw(func(net.Conn) {}),
		"closes half-way":                raw(says("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"status\":\"ok\"")),
		"closes in its header":           raw(says("HTTP/1.1 200 OK\r\nContent-Le")),
		"speaks another protocol":        raw(says("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")),
		"lies about its length":          raw(says("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}")),
		"says that it is compressed":     said(200, "{}", "Content-Encoding", "gzip"),
		"switches protocols":             said(101, ""),
		"says nothing":                   said(204, ""),
		"says null":                      said(200, "null"),
		"says an empty object":           said(200, "{}"),
		"says a list of nothing":         said(200, "[null]"),
		"says a number":                  said(200, "7"),
		"says a page":                    said(200, "<!doctype html><title>It works</title>", "Content-Type", "text/html"),
		"has other types":                said(200, `{"status":1,"base_iqn":[],"backend":{},"masters":{"x":1},"iqn":{},"deleted":[1],"created":"x","skipped":7,"state":5,"task_id":{}}`),
		"nests":                          said(200, strings.Repeat("[", 1<<18)),
		"nests objects":                  said(200, strings.Repeat(`{"detail":`, 1<<17)),
		"says what is no text":           said(200, "\xff\xfe\x00{\x00"),
		"says text with NUL":             said(200, "{\"status\":\"o\x00k\"}"),
		"fails with a page":              said(500, "<h1>500</h1>", "Content-Type", "text/html"),
		"fails with nothing":             said(500, ""),
		"fails with a number for detail": said(500, `{"detail":17,"code":42}`),
		"fails with a nested detail":     said(502, `{"detail":{"agent":"other","error":{"error":{}}},"code":["x"]}`),
		"fails with what is no text":     said(503, "{\"detail\":\"\xff\x00\x1b[2J\",\"code\":\"\x00\"}"),
		"wants a login":                  said(401, `{"detail":"unauthorized"}`),
		"redirects to itself":            said(302, "", "Location", "/healthz"),
		"redirects elsewhere":            said(307, "", "Location", elsewhere),
		"redirects to another scheme":    said(308, "", "Location", strings.Replace(elsewhere, "http:", "https:", 1)),
	}
}

// said is an answer with pairs of header names and values.
func said(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // not every status takes one
	}
}

// raw answers with bytes of its own and closes.
func raw(answer func(net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		answer(conn)
	}
}

func says(words string) func(net.Conn) {
	return func(c net.Conn) { _, _ = io.WriteString(c, words) }
}

// trickle goes on a byte at a time until the caller hangs up.
func trickle(start, byBits string) func(net.Conn) {
	return func(c net.Conn) {
		for _, err := io.WriteString(c, start); err == nil; _, err = io.WriteString(c, byBits) {
			<-time.After(20 * time.Millisecond)
		}
	}
}

// flood goes on for as long as the caller reads, or TooMuch.
func flood(start, again string) func(net.Conn) {
	return func(c net.Conn) {
		_, err := io.WriteString(c, start)
		block := strings.Repeat(again, 1+(64<<10)/len(again))
		for n := 0; err == nil && n < TooMuch; n += len(block) {
			_, err = io.WriteString(c, block)
		}
	}
}

// endless is JSON that would be well if it ended.
func endless(status int) http.HandlerFunc {
	block := bytes.Repeat([]byte(" "), 1<<20)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(TooMuch))
		w.WriteHeader(status)
		for n := 0; n < TooMuch; n += len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
}

// bomb is TooMuch in a few bytes.
func bomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	block := bytes.Repeat([]byte(" "), 1<<20)
	for n := 0; n < TooMuch; n += len(block) {
		if _, err := z.Write(block); err != nil {
			return
		}
	}
	_ = z.Close()
}
