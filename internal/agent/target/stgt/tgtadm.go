package stgt

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"ipxe-all-ready/internal/fault"
)

// notConnected is tgtadm's exit status when no tgtd listens (ENOTCONN).
const notConnected = 107

// CodeDown marks the fault of a tgtd that is not there, as against one that
// hangs and still holds its control port.
const CodeDown = "tgtd_down"

// tgtadm runs one tgtadm after another against one tgtd.
type tgtadm struct {
	path    string
	port    uint16
	timeout time.Duration // of one call; a stopped tgtd never answers
	observe func(call string, err error, took time.Duration)
}

// refusal is tgtd's "no", in its own words.
type refusal struct{ words string }

func (r *refusal) Error() string { return "refused by tgtd" }

// The words that we must tell from other refusals.
const (
	saysTargetExists = "this target already exists"
	saysNoTarget     = "can't find the target"
	saysActive       = "this target is still active"
	saysACLExists    = "this access control rule already exists"
)

func says(err error, words string) bool {
	var r *refusal
	return errors.As(err, &r) && strings.Contains(r.words, words)
}

// run makes one call, whose args begin with --mode M --op O.
func (a tgtadm) run(ctx context.Context, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := a.runInto(ctx, &out, args...)
	return out.Bytes(), err
}

// runInto is run for an answer of a length that is known before.
func (a tgtadm) runInto(ctx context.Context, out *bytes.Buffer, args ...string) error {
	start := time.Now()
	err := a.execute(ctx, out, args)
	a.observe(args[1]+"_"+args[3], err, time.Since(start))
	return err
}

// execute starts tgtadm -C <port> --lld iscsi <args>. No shell is involved, and
// every argument is a word that a constructor let through or an absolute path.
func (a tgtadm) execute(ctx context.Context, out *bytes.Buffer, args []string) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	full := append([]string{"-C", strconv.Itoa(int(a.port)), "--lld", "iscsi"}, args...)
	cmd := exec.CommandContext(ctx, a.path, full...)
	cmd.Env = Environ()
	cmd.WaitDelay = time.Second
	var words bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &words
	if err := cmd.Run(); err != nil {
		return a.explain(ctx, err, words.String())
	}
	return a.whole(words.String())
}

// whole fails when tgtd died before its answer was there, or half of it: for
// tgtadm that is a success, whose output is cut or empty.
//
//	tgtadm: tgtd closed the socket
//	tgtadm: failed to read from tgtd, 0
func (a tgtadm) whole(words string) error {
	if words = sayings(words); words == "" {
		return nil
	}
	return fault.New(fault.Unavailable, "tgtd on control port %d broke its answer off (%s)", a.port, words)
}

// explain turns a failed call into a fault.
//
//	tgtadm: this target already exists
//	tgtadm: failed to send request hdr to tgt daemon, Transport endpoint is not connected
func (a tgtadm) explain(ctx context.Context, err error, words string) error {
	words = sayings(words)
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.Wrap(fault.Unavailable, err, "tgtd on control port %d did not answer within %s", a.port, a.timeout)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !errors.As(err, &exit):
		return fault.Wrap(fault.Unavailable, err, "cannot run %s: %v", a.path, err)
	case exit.ExitCode() == notConnected || strings.Contains(words, "failed to send request hdr"):
		return fault.Wrap(fault.Unavailable, err, "tgtd is not running on control port %d", a.port).WithCode(CodeDown)
	}
	if words == "" {
		words = "tgtadm: " + exit.String()
	}
	return &fault.Error{Kind: fault.Internal, Code: "tgtadm_failed", Text: words, Err: &refusal{words}}
}

// sayings is the line in which tgtadm says what is wrong, not the advice to
// read its help that may follow; without one, it is the first line.
func sayings(s string) string {
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, "tgtadm: ") {
			return fault.Clip(strings.TrimSpace(line))
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return fault.Clip(first)
}
