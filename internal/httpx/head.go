package httpx

import (
	"context"
	"net/http"
)

// head answers HEAD as GET on every route. net/http keeps the body back, as it
// goes by the request that it read itself.
func head(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			h.ServeHTTP(w, r)
			return
		}
		ctx, end := context.WithCancel(r.Context())
		defer end()
		get := r.WithContext(ctx)
		get.Method = http.MethodGet
		h.ServeHTTP(headWriter{w, end}, get)
	})
}

// headWriter ends a stream once its header is out: nothing else is awaited,
// and the next request on the connection would wait for ever.
type headWriter struct {
	http.ResponseWriter
	end context.CancelFunc
}

func (w headWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // a caller that left is noticed by the next write
	w.end()
}

// Unwrap is for http.ResponseController.
func (w headWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
