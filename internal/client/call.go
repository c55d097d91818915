package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/go-resty/resty/v2"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// maxAnswer bounds one answer, in bytes: 10,000 targets with their sessions fit.
const maxAnswer = 32 << 20

// NewHTTP is the transport all nodes share. connect bounds the dial and the
// TLS handshake.
func NewHTTP(connect time.Duration) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connect}).DialContext,
		TLSHandshakeTimeout: connect,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
	}}
}

// call sends one request and reads its answer into out. Whatever goes wrong
// comes back as a *fault.Error that names the node.
func (a *Agent) call(ctx context.Context, limit time.Duration, method, path string, query url.Values, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req := a.r.R().SetContext(ctx)
	if query != nil {
		req.SetQueryParamsFromValues(query)
	}
	if in != nil {
		req.SetBody(in)
	}
	resp, err := req.Execute(method, path)
	switch {
	case errors.Is(err, resty.ErrResponseBodyTooLarge):
		return a.fault(fault.Upstream, "agent_protocol", err, fmt.Sprintf("the answer is larger than %d bytes", maxAnswer))
	case resp != nil && resp.StatusCode() >= 300 && resp.StatusCode() < 400:
		return a.fault(fault.Upstream, "agent_redirect", nil, fmt.Sprintf("answered with a redirect (%s), which is not followed", resp.Status()))
	case err != nil:
		return a.unreachable(err, limit)
	case resp.IsError():
		return a.refused(resp)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(resp.Body(), out); err != nil {
		return a.fault(fault.Upstream, "agent_protocol", err, "the answer is not the JSON expected")
	}
	return nil
}

// refused turns an error answer back into the fault it was.
func (a *Agent) refused(resp *resty.Response) error {
	var body struct {
		Detail json.RawMessage `json:"detail"`
		Code   string          `json:"code"`
	}
	_ = json.Unmarshal(resp.Body(), &body) // an answer that is not ours has no detail
	words := detailText(body.Detail)
	if words == "" {
		words = "answered " + resp.Status()
	}
	switch resp.StatusCode() {
	case http.StatusUnauthorized, http.StatusForbidden:
		// A caller's own login is not at fault, so it must not see a 401.
		return a.fault(fault.Upstream, "agent_unauthorized", nil, words)
	}
	kind := kindOf(resp.StatusCode(), body.Code)
	if body.Code == "" {
		body.Code = kind.Code()
	}
	return a.fault(kind, body.Code, nil, words)
}

// detailText reads a detail that is a sentence or an object with one.
func detailText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(raw, &o) == nil && o.Error != "" {
		return o.Error
	}
	return string(raw)
}

// byStatus are the kinds of the statuses that stand for one alone.
var byStatus = map[int]fault.Kind{
	http.StatusBadRequest: fault.Invalid, http.StatusNotFound: fault.NotFound,
	http.StatusRequestEntityTooLarge: fault.TooLarge, http.StatusInternalServerError: fault.Internal,
	http.StatusServiceUnavailable: fault.Unavailable, http.StatusInsufficientStorage: fault.NoSpace,
}

func kindOf(status int, code string) fault.Kind {
	for _, k := range []fault.Kind{fault.Exists, fault.InUse, fault.InProgress, fault.Unsupported} {
		if code == k.Code() && (status == http.StatusConflict || status == http.StatusBadRequest) {
			return k
		}
	}
	if status == http.StatusConflict {
		return fault.Conflict
	}
	if k, ok := byStatus[status]; ok {
		return k
	}
	return fault.Upstream
}

func (a *Agent) unreachable(err error, limit time.Duration) error {
	words := "unreachable"
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		words = fmt.Sprintf("no answer within %s", limit)
	case errors.Is(err, context.Canceled):
		words = "the call was cancelled"
	case errors.As(err, &dns):
		words = "its host name is not known: " + dns.Name
	case errors.As(err, &op):
		words = "unreachable: " + op.Err.Error()
	}
	return a.fault(fault.Unavailable, "agent_unreachable", err, words)
}

func (a *Agent) fault(k fault.Kind, code string, cause error, words string) error {
	return &fault.Error{
		Kind: k, Code: code, Err: cause,
		Text:   fmt.Sprintf("agent %s: %s", a.o.ID, words),
		Detail: api.AgentError{Agent: a.o.ID, Error: words},
	}
}

// silent keeps resty from writing to standard error: errors are returned.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
