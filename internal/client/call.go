package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// maxAnswer bounds one answer, in bytes: 10,000 targets with their sessions fit.
const maxAnswer = 32 << 20

// maxObject bounds an answer that is one thing and no list, in bytes.
const maxObject = 1 << 20

// NewHTTP is the transport all nodes share. connect bounds the dial and the
// TLS handshake.
func NewHTTP(connect time.Duration) *http.Client {
	return &http.Client{Transport: newTransport(connect)}
}

func newTransport(connect time.Duration) *http.Transport {
	return &http.Transport{
		DialContext:         newDialer(connect).DialContext,
		TLSHandshakeTimeout: connect,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
	}
}

// newDialer refuses the addresses that no storage node has.
func newDialer(connect time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: connect, Control: guard}
}

// newResty is a client of one daemon. The http.Client is copied, because resty
// sets its redirect policy on the one it is given.
func newResty(shared *http.Client, baseURL string, token secret.Text) *resty.Client {
	h := *shared
	r := resty.NewWithClient(&h).
		SetBaseURL(baseURL).
		SetRedirectPolicy(resty.NoRedirectPolicy()).
		SetLogger(silent{})
	if !token.IsZero() {
		r.SetAuthToken(token.Reveal()).SetDisableWarn(true) // plain HTTP inside a storage network is a site's choice
	}
	return r
}

// exchange is one request and what becomes of its answer.
type exchange struct {
	method, path string
	limit        time.Duration // of the whole
	most         int           // bytes of the answer; 0: maxAnswer
	query        url.Values
	header       map[string]string
	in, out      any // JSON both, an out of *string plain text; nil: no body, an answer that is not read

	differs func() string // in what the answer, read into out, is not what was agreed; nil: it is not looked at
}

// do sends x and reads the answer into x.out. Whatever goes wrong comes back
// as a *fault.Error in the words of p. The response is nil unless one came.
func do(ctx context.Context, r *resty.Client, p peer, x exchange) (*resty.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, x.limit)
	defer cancel()
	var answering atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { answering.Store(true) }})
	x.most = cmp.Or(x.most, maxAnswer)
	req := r.R().SetContext(ctx).SetHeaders(x.header).SetResponseBodyLimit(x.most)
	if x.query != nil {
		req.SetQueryParamsFromValues(x.query)
	}
	if x.in != nil {
		req.SetBody(x.in)
	}
	resp, err := req.Execute(x.method, x.path)
	switch {
	case errors.Is(err, resty.ErrResponseBodyTooLarge):
		return resp, p.fault(fault.Upstream, p.codes+"_protocol", err, fmt.Sprintf("the answer is larger than %d bytes", x.most))
	case resp != nil && isRedirect(resp.StatusCode(), x.header):
		return resp, p.fault(fault.Upstream, p.codes+"_redirect", nil, fmt.Sprintf("answered with a redirect (%s), which is not followed", resp.Status()))
	case err != nil && answering.Load() && isNonsense(err):
		return nil, p.fault(fault.Upstream, p.codes+"_protocol", err, "the answer is not whole, or not HTTP")
	case err != nil:
		return nil, p.unreachable(err, x.limit)
	case resp.StatusCode() < 200:
		return resp, p.fault(fault.Upstream, p.codes+"_protocol", nil, fmt.Sprintf("answered %s, which is no end of a call", resp.Status()))
	case resp.IsError():
		return resp, p.refused(resp.StatusCode(), resp.Status(), resp.Header(), resp.Body())
	case x.out == nil || resp.StatusCode() == http.StatusNotModified:
		return resp, nil
	}
	if text, ok := x.out.(*string); ok {
		*text = resp.String()
		return resp, nil
	}
	if err := json.Unmarshal(resp.Body(), x.out); err != nil {
		return resp, p.fault(fault.Upstream, p.codes+"_protocol", err, "the answer is not the JSON expected")
	}
	if x.differs != nil {
		if why := x.differs(); why != "" {
			return resp, p.fault(fault.Upstream, p.codes+"_protocol", nil, "the answer is not what was agreed: "+why)
		}
	}
	if string(bytes.TrimSpace(resp.Body())) == "null" { // it would pass for a value with nothing in it
		return resp, p.fault(fault.Upstream, p.codes+"_protocol", nil, "the answer is null")
	}
	return resp, nil
}

// isNonsense is true of an answer that began and was none, but not of a
// connection that broke meanwhile, or took too long.
func isNonsense(err error) bool {
	var broken *net.OpError
	return !errors.As(err, &broken) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// isRedirect is true of a 304 too, unless it was asked for: to any other call
// it would be a success with nothing in it.
func isRedirect(status int, sent map[string]string) bool {
	asked := status == http.StatusNotModified && sent["If-None-Match"] != ""
	return status >= 300 && status < 400 && !asked
}

// silent keeps resty from writing to standard error: errors are returned.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
