package stgt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// The test binary plays tgtadm when STGT_TEST_PLAYS says what.
func TestMain(m *testing.M) {
	if part := os.Getenv("STGT_TEST_PLAYS"); part != "" {
		play(part)
	}
	os.Exit(m.Run())
}

func play(part string) {
	if log := os.Getenv("STGT_TEST_LOG"); log != "" {
		f, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(f, "%s\n", strings.Join(os.Args[1:], " "))
		f.Close()
	}
	switch part {
	case "hang":
		<-time.After(time.Hour) // select {} alone is a deadlock to the runtime
	case "down":
		fmt.Fprintln(os.Stderr, "tgtadm: failed to send request hdr to tgt daemon, Transport endpoint is not connected")
		os.Exit(107)
	case "refuse":
		if strings.Contains(strings.Join(os.Args, " "), "--op show") {
			os.Exit(0)
		}
		fmt.Fprintln(os.Stderr, "tgtadm: out of memory")
		os.Exit(22)
	case "broken":
		fmt.Fprintln(os.Stderr, "tgtadm: tgtd closed the socket")
	case "nonsense":
		fmt.Println("Usage: something else")
	}
	os.Exit(0)
}

func playing(t *testing.T, part string) *Backend {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("STGT_TEST_PLAYS", part)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // or each call takes a second under the race detector
	return New(Options{Tgtadm: self, ControlPort: 7, Timeout: 10 * time.Second})
}

func export(t *testing.T, suffix string) target.Export {
	t.Helper()
	q, err := iscsi.ParseIQN("iqn.2026-07.com.controller:" + suffix)
	if err != nil {
		t.Fatal(err)
	}
	return target.Export{IQN: q, Backing: filepath.Join(t.TempDir(), suffix+".img")}
}

func wantFault(t *testing.T, err error, kind fault.Kind, sentence string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.Sentence(err) != sentence {
		t.Errorf("error %v (%s)\nwant %s: %s", err, fault.CodeOf(err), kind.Code(), sentence)
	}
}

func TestAHangingTgtdIsGivenUpOnceForTheWholeBatch(t *testing.T) {
	b := playing(t, "hang")
	b.adm.timeout = 200 * time.Millisecond
	_, err := b.List(t.Context())
	wantFault(t, err, fault.Unavailable, "tgtd on control port 7 did not answer within 200ms")
	for _, r := range b.Ensure(t.Context(), []target.Export{export(t, "a"), export(t, "b")}) {
		wantFault(t, r.Err, fault.Unavailable, "tgtd on control port 7 did not answer within 200ms")
	}
}

func TestACallerWhoIsGoneIsNotAHangingTgtd(t *testing.T) {
	b := playing(t, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.List(ctx); err == nil || fault.As(err) != nil {
		t.Errorf("List = %v", err)
	}
}

func TestATgtdThatIsNotThereIsUnavailable(t *testing.T) {
	b := playing(t, "down")
	_, err := b.Ping(t.Context())
	wantFault(t, err, fault.Unavailable, "tgtd is not running on control port 7")
	if fault.CodeOf(err) != CodeDown {
		t.Errorf("code %s", fault.CodeOf(err))
	}
	wantFault(t, b.Remove(t.Context(), export(t, "a").IQN, false), fault.Unavailable, "tgtd is not running on control port 7")
}

func TestARefusalCarriesTgtadmsWords(t *testing.T) {
	b := playing(t, "refuse")
	r := b.Ensure(t.Context(), []target.Export{export(t, "a")})[0]
	wantFault(t, r.Err, fault.Internal, "tgtadm: out of memory")
}

func TestAnUnknownOutputIsNotTakenForNoTargets(t *testing.T) {
	_, err := playing(t, "nonsense").List(t.Context())
	wantFault(t, err, fault.Internal, "tgtadm showed targets in a form that is not known")
}

// tgtadm calls it a success when tgtd dies before its answer: an empty list that
// is none would have files of served disks deleted.
func TestAnAnswerThatBrokeOffIsNotTakenForNoTargets(t *testing.T) {
	b := playing(t, "broken")
	const want = "tgtd on control port 7 broke its answer off (tgtadm: tgtd closed the socket)"
	_, err := b.List(t.Context())
	wantFault(t, err, fault.Unavailable, want)
	wantFault(t, b.Remove(t.Context(), export(t, "a").IQN, false), fault.Unavailable, want)
	wantFault(t, b.Ensure(t.Context(), []target.Export{export(t, "a")})[0].Err, fault.Unavailable, want)
}

func TestATgtdWithoutAPortalIsNotReady(t *testing.T) {
	_, err := playing(t, "silence").Ping(t.Context())
	wantFault(t, err, fault.Unavailable, "tgtd on control port 7 listens on no portal")
}

func TestAProgramThatIsNotThereIsNamed(t *testing.T) {
	b := New(Options{Tgtadm: "/nowhere/tgtadm"})
	_, err := b.List(t.Context())
	wantFault(t, err, fault.Unavailable, "cannot run /nowhere/tgtadm: fork/exec /nowhere/tgtadm: no such file or directory")
}

func TestATargetThatTgtdAcceptsAndDoesNotShowIsNoSuccess(t *testing.T) {
	r := playing(t, "silence").Ensure(t.Context(), []target.Export{export(t, "a")})[0]
	wantFault(t, r.Err, fault.Internal, "tgtd accepted target iqn.2026-07.com.controller:a and does not show it as asked")
}

func TestABatchTakesFourCallsAnImageAndTwoShows(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	t.Setenv("STGT_TEST_LOG", log)
	b := playing(t, "silence")
	var exports []target.Export
	for i := range 10 {
		exports = append(exports, export(t, fmt.Sprintf("disk-%d", i)))
	}
	b.Ensure(t.Context(), exports)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	calls := strings.Split(strings.TrimSpace(string(text)), "\n")
	shows := 0
	for _, c := range calls {
		if !strings.HasPrefix(c, "-C 7 --lld iscsi --mode ") {
			t.Errorf("call %q", c)
		}
		if strings.HasSuffix(c, "--op show") {
			shows++
		}
	}
	if shows != 2 || len(calls) != 42 {
		t.Errorf("%d calls, %d shows:\n%s", len(calls), shows, text)
	}
}
