package httpx

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/fault"
)

// EngineOptions are what an engine needs from its daemon.
type EngineOptions struct {
	Log            *slog.Logger
	TrustedProxies []string // networks whose X-Forwarded-For is believed; none: nobody's

	// Observe hears of every answer; route is its template, "" where no route
	// matched. Nil: nobody listens.
	Observe func(method, route string, status int, took time.Duration)
}

// NewEngine is a router with request ids, a recover that answers JSON and
// logging of what went wrong. A good answer is logged at debug level: 10,000
// machines booting are no news.
func NewEngine(o EngineOptions) (*gin.Engine, error) {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	if err := e.SetTrustedProxies(o.TrustedProxies); err != nil {
		return nil, fmt.Errorf("trusted proxies %q: %w", o.TrustedProxies, err)
	}
	// Without the framework's other, X-Real-IP: who is let in by a proxy could
	// name any address there beside a list that is no list.
	e.RemoteIPHeaders = []string{"X-Forwarded-For"}
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false // a redirect would drop a POST's body in many clients
	e.UseRawPath = true             // an encoded slash stays inside its path element
	e.UnescapePathValues = true
	if o.Observe != nil {
		e.Use(observe(o.Observe))
	}
	e.Use(requestID(), report(o.Log), recoverer(o.Log))
	e.NoRoute(func(c *gin.Context) {
		WriteError(c, fault.New(fault.NotFound, "no such path: %s", fault.Clip(c.Request.URL.Path)))
	})
	e.NoMethod(func(c *gin.Context) {
		writeBody(c, http.StatusMethodNotAllowed, "method_not_allowed",
			fmt.Sprintf("%s is not allowed on %s", c.Request.Method, fault.Clip(c.Request.URL.Path)))
	})
	return e, nil
}

func observe(f func(method, route string, status int, took time.Duration)) gin.HandlerFunc {
	return func(c *gin.Context) {
		begun := time.Since(started) // one clock is read, and time.Now reads two
		c.Next()
		f(c.Request.Method, c.FullPath(), c.Writer.Status(), time.Since(started)-begun)
	}
}

// report logs the error a handler left with WriteError, with its cause.
func report(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Next()
		err := c.Errors.Last()
		status := c.Writer.Status()
		level := slog.LevelDebug
		if status >= http.StatusInternalServerError && err != nil {
			level = slog.LevelError // without an error it is an answer, such as "not ready"
		}
		if !log.Enabled(c, level) {
			return
		}
		attrs := []slog.Attr{
			slog.String("method", c.Request.Method), slog.String("path", c.Request.URL.Path),
			slog.Int("status", status), slog.String("client", c.ClientIP()), slog.String("request_id", RequestID(c)),
		}
		if err != nil {
			attrs = append(attrs, slog.String("error", err.Err.Error()))
		}
		log.LogAttrs(c, level, "request", attrs...)
	}
}

// recoverer turns a panic into a 500, the stack into the log. http.ErrAbortHandler
// passes: it is how a handler drops a connection on purpose.
func recoverer(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler {
				panic(v)
			}
			log.Error("panic", "value", fmt.Sprint(v), "request_id", RequestID(c), "stack", string(debug.Stack()))
			if !c.Writer.Written() {
				WriteError(c, fault.New(fault.Internal, "internal error"))
			}
			c.Abort()
		}()
		c.Next()
	}
}
