package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// peer is who is spoken to, in the words of an error.
type peer struct {
	codes string      // what the codes of its transport's faults start with: agent
	agent string      // the node's id; "" for the control plane
	name  string      // agent st1
	token secret.Text // which is sent to it, and which it may say back
}

// Refusal is the cause of a fault that a daemon answered with.
type Refusal struct {
	Status    int
	RequestID string // to be found in that daemon's log
}

func (r *Refusal) Error() string { return fmt.Sprintf("status %d, request %s", r.Status, r.RequestID) }

// refused turns an error answer back into the fault it was.
func (p peer) refused(status int, reason string, header http.Header, answer []byte) error {
	var body struct {
		Detail json.RawMessage `json:"detail"`
		Code   string          `json:"code"`
	}
	_ = json.Unmarshal(p.hide(answer), &body) // an answer that is not ours has no detail
	node, words := detail(body.Detail)
	if words == "" {
		words = "answered " + reason
	}
	kind := kindOf(status, body.Code)
	if !isCode(body.Code) {
		body.Code = kind.Code()
	}
	if p.agent == "" {
		cause := &Refusal{Status: status, RequestID: header.Get(api.HeaderRequestID)}
		words = fault.ClipWords(words)
		return passedOn(fault.Wrap(kind, cause, "%s", words).WithCode(body.Code), node, words)
	}
	if kind == fault.Unauthorized || kind == fault.Forbidden || kind == fault.TooMany {
		// A caller's own login is not at fault, so it must not see a 401; a
		// node that had too many wrong tokens from us says 429.
		return p.fault(fault.Upstream, p.codes+"_unauthorized", nil, words)
	}
	e := p.fault(kind, body.Code, nil, words)
	e.Told = status
	return e
}

// isCode reports whether s is a word for programs: snake_case, and short.
func isCode(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || i > 0 && (c == '_' || '0' <= c && c <= '9')) {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 64
}

// passedOn is what the control plane said, as it said it: its sentences name
// what they are about, an agent's words their agent.
func passedOn(e *fault.Error, node, words string) error {
	if node != "" {
		e.Text = "agent " + node + ": " + words
		e.Detail = api.AgentError{Agent: node, Error: words}
	}
	return e
}

// detail reads a detail that is a sentence or an object with one.
func detail(raw json.RawMessage) (agent, words string) {
	if json.Unmarshal(raw, &words) == nil {
		return "", words
	}
	var o api.AgentError
	if json.Unmarshal(raw, &o) == nil && o.Error != "" {
		return o.Agent, o.Error
	}
	return "", string(raw)
}

// byStatus are the kinds of the statuses that stand for one alone.
var byStatus = map[int]fault.Kind{
	http.StatusBadRequest: fault.Invalid, http.StatusNotFound: fault.NotFound,
	http.StatusUnauthorized: fault.Unauthorized, http.StatusForbidden: fault.Forbidden,
	http.StatusRequestEntityTooLarge: fault.TooLarge, http.StatusInternalServerError: fault.Internal,
	http.StatusUnprocessableEntity: fault.Invalid, http.StatusServiceUnavailable: fault.Unavailable, http.StatusInsufficientStorage: fault.NoSpace,
}

func kindOf(status int, code string) fault.Kind {
	for _, k := range []fault.Kind{fault.Exists, fault.InUse, fault.InProgress, fault.Unsupported} {
		if code == k.Code() && (status == http.StatusConflict || status == http.StatusBadRequest) {
			return k
		}
	}
	if status == http.StatusTooManyRequests && code == fault.TooMany.Code() {
		return fault.TooMany
	}
	if status == http.StatusConflict {
		return fault.Conflict
	}
	if k, ok := byStatus[status]; ok {
		return k
	}
	return fault.Upstream
}

// unreachable names why no answer came.
func (p peer) unreachable(err error, limit time.Duration) error {
	words := "unreachable"
	var op *net.OpError
	var dns *net.DNSError
	var forbidden forbiddenAddress
	var unproven *tls.CertificateVerificationError
	switch {
	case errors.As(err, &forbidden):
		return p.fault(fault.Upstream, p.codes+"_address", err, forbidden.Error())
	case errors.Is(err, context.DeadlineExceeded):
		words = fmt.Sprintf("no answer within %s", limit)
	case errors.Is(err, context.Canceled):
		words = "the call was cancelled"
	case errors.As(err, &unproven):
		words = "its certificate is not trusted: " + unproven.Err.Error()
	case errors.As(err, &dns):
		words = "its host name is not known: " + dns.Name
	case errors.As(err, &op):
		words = "unreachable: " + op.Err.Error()
	}
	return p.fault(fault.Unavailable, p.codes+"_unreachable", err, words)
}

// hide takes our token out of what a server says that shows requests in its
// errors: its words go to lists, logs and trails. A token so short that it could
// be any word is no secret.
func (p peer) hide(words []byte) []byte {
	token := p.token.Reveal()
	if len(token) < 8 {
		return words
	}
	return bytes.ReplaceAll(words, []byte(token), []byte(p.token.String()))
}

func (p peer) fault(k fault.Kind, code string, cause error, words string) *fault.Error {
	words = fault.ClipWords(string(p.hide([]byte(words))))
	if cause != nil {
		cause = brief{cause, p}
	}
	e := &fault.Error{Kind: k, Code: code, Err: cause, Text: p.name + ": " + words}
	if p.agent != "" {
		e.Detail = api.AgentError{Agent: p.agent, Error: words}
	}
	return e
}

// brief is a cause that may quote the peer, whose words the log bounds too.
type brief struct {
	error
	peer peer
}

func (b brief) Error() string { return fault.ClipWords(string(b.peer.hide([]byte(b.error.Error())))) }
func (b brief) Unwrap() error { return b.error }
