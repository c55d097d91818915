package httpx

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
)

// leastGzip is what fits in one packet anyway, in bytes.
const leastGzip = 1400

// fastest, because the storage network is quick and the answer is wanted now.
var writers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return z
}}

// Gzip compresses a long answer for a caller that takes it. It is for lists
// that are written in one piece, not for streams.
func Gzip(c *gin.Context) {
	c.Writer.Header().Add("Vary", "Accept-Encoding")
	if !TakesGzip(c.Request) {
		return
	}
	w := &gzipWriter{ResponseWriter: c.Writer}
	c.Writer = w
	defer w.end()
	c.Next()
}

// TakesGzip reports whether the caller's Accept-Encoding lets us compress.
func TakesGzip(r *http.Request) bool {
	taken := false
	for _, line := range r.Header.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				return !refusedByWeight(params)
			case "*":
				taken = !refusedByWeight(params)
			}
		}
	}
	return taken
}

// refusedByWeight reads "q=0", which is how a caller says never.
func refusedByWeight(params string) bool {
	q, ok := strings.CutPrefix(strings.TrimSpace(params), "q=")
	weight, err := strconv.ParseFloat(q, 64)
	return ok && err == nil && weight == 0
}

// Compress is b as Gzip would send it.
func Compress(b []byte) []byte {
	var out bytes.Buffer
	z := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	z.Reset(&out)
	_, _ = z.Write(b) // a Buffer takes all
	_ = z.Close()
	return out.Bytes()
}

type gzipWriter struct {
	gin.ResponseWriter
	z *gzip.Writer
}

func (w *gzipWriter) Write(p []byte) (int, error) {
	if w.z == nil {
		if len(p) < leastGzip || w.Written() || w.Header().Get("Content-Encoding") != "" {
			return w.ResponseWriter.Write(p)
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Del("Content-Length")
		w.z = writers.Get().(*gzip.Writer)
		w.z.Reset(w.ResponseWriter)
	}
	return w.z.Write(p)
}

func (w *gzipWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *gzipWriter) end() {
	if w.z == nil {
		return
	}
	_ = w.z.Close() // a caller that left has no use for the rest
	writers.Put(w.z)
	w.z = nil
}
