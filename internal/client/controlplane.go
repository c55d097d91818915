package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// ControlPlaneOptions say which control plane to call and how long to wait.
type ControlPlaneOptions struct {
	BaseURL string // http(s)://host:4839, or …:4838/api/cp through the console's web server
	Token   secret.Text
	Timeout time.Duration // of every call but those that make or remove disks; default 30 s
	Long    time.Duration // of those: a synchronous clone may take long; default 70 min
	HTTP    *http.Client  // default NewHTTP(5 s)

	// Wait lets about d pass, or returns ctx's error; default a timer with jitter.
	Wait func(ctx context.Context, d time.Duration) error
	// Silence is how long an event stream may say nothing, heartbeats included,
	// before it counts as lost; default 45 s.
	Silence time.Duration
}

// ControlPlane calls the control plane. Its errors are *fault.Error of the kind
// that the control plane gave them, with a node's words in Detail where a node
// is at fault; the cause of one that it answered is a *Refusal.
type ControlPlane struct {
	o ControlPlaneOptions
	r *resty.Client
}

// NewControlPlane makes no call.
func NewControlPlane(o ControlPlaneOptions) *ControlPlane {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Long <= 0 {
		o.Long = 70 * time.Minute
	}
	if o.Silence <= 0 {
		o.Silence = 45 * time.Second
	}
	if o.HTTP == nil {
		o.HTTP = NewHTTP(5 * time.Second)
	}
	if o.Wait == nil {
		o.Wait = waitAbout
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	return &ControlPlane{o: o, r: newResty(o.HTTP, o.BaseURL, o.Token)}
}

// waitAbout spreads those who wait for the same thing.
func waitAbout(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d/2 + rand.N(d/2+1))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *ControlPlane) peer() peer {
	return peer{codes: "control_plane", name: "control plane " + c.o.BaseURL, token: c.o.Token}
}

// retries are the pauses before a reading call is made again.
var retries = []time.Duration{100 * time.Millisecond, 400 * time.Millisecond}

// get asks, and asks again when no answer came: reading twice does no harm.
func (c *ControlPlane) get(ctx context.Context, path string, query url.Values, header map[string]string, out any) (*resty.Response, error) {
	x := exchange{method: http.MethodGet, path: path, limit: c.o.Timeout, query: query, header: header, out: out}
	resp, err := do(ctx, c.r, c.peer(), x)
	for _, pause := range retries {
		if !lost(err) || c.o.Wait(ctx, pause) != nil {
			break
		}
		resp, err = do(ctx, c.r, c.peer(), x)
	}
	return resp, err
}

// lost reports whether no answer came, for another reason than a deadline or a
// caller who has had enough.
func lost(err error) bool {
	return fault.CodeOf(err) == "control_plane_unreachable" &&
		!errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
}

// change sends one request once: whether it was carried out is not known when
// no answer comes, unless it carries an idempotency key.
func (c *ControlPlane) change(ctx context.Context, limit time.Duration, method, path string, query url.Values, in, out any) error {
	_, err := do(ctx, c.r, c.peer(), exchange{method: method, path: path, limit: limit, query: query, header: keyed(ctx), in: in, out: out})
	return err
}

type keyOfContext struct{}

// WithKey makes the POSTs under ctx carry an Idempotency-Key: the same call
// with the same key within an hour gives the first answer again.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOfContext{}, key)
}

func keyed(ctx context.Context) map[string]string {
	key, _ := ctx.Value(keyOfContext{}).(string)
	if key == "" {
		return nil
	}
	return map[string]string{"Idempotency-Key": key}
}

// started asks for a task instead of an answer that takes long, and returns its id.
func (c *ControlPlane) started(ctx context.Context, path string, in any) (task string, err error) {
	var out struct {
		TaskID string `json:"task_id"`
	}
	header := map[string]string{"Prefer": preferAsync["Prefer"]}
	for k, v := range keyed(ctx) {
		header[k] = v
	}
	_, err = do(ctx, c.r, c.peer(), exchange{method: http.MethodPost, path: path, limit: c.o.Timeout, header: header, in: in, out: &out,
		differs: func() string {
			if out.TaskID == "" {
				return "it names no task"
			}
			return ""
		}})
	return out.TaskID, err
}

// at joins path elements, each escaped.
func at(elements ...string) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteString("/" + url.PathEscape(e))
	}
	return b.String()
}
