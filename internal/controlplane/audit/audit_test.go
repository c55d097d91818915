package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

var ctx = context.Background()

func monday() time.Time {
	return time.Date(2026, 7, 6, 10, 0, 0, 123_456_789, time.FixedZone("CEST", 7200))
}

func open(t *testing.T, path string) *Log {
	t.Helper()
	l := Open(path, Options{Now: monday})
	t.Cleanup(func() { l.Close() })
	return l
}

func fresh(t *testing.T) (*Log, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "operations.jsonl")
	return open(t, path), path
}

func start(t *testing.T, l *Log, op Op, f Fields) *Span {
	t.Helper()
	s, err := l.Start(ctx, op, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
}

func TestAnOperationIsAStartAndAnEndThatRefersToIt(t *testing.T) {
	l, path := fresh(t)
	s := start(t, l, OpMACUpdate, Fields{WorkerID: "worker-01", Client: "10.0.0.9", Extra: map[string]any{"new_mac": "00:0c:29:b9:8b:2d", "old_mac": nil}})
	must(t, s.Succeed(ctx, Fields{Extra: map[string]any{"changed": true}}))
	s = start(t, l, OpDiskCreate, Fields{WorkerID: "worker-01"})
	must(t, s.Fail(ctx, fault.New(fault.NotFound, "master %q is not there", "a_tpl_.img"), Fields{Agent: "storage-1"}))
	must(t, l.Once(ctx, OpAutoRegister, Fields{WorkerID: "worker-02"}))
	wantFile(t, path, `{"id":1,"ts":"2026-07-06T08:00:00.123Z","op":"worker.mac.update","status":"started","worker_id":"worker-01","client":"10.0.0.9","new_mac":"00:0c:29:b9:8b:2d","old_mac":null}
{"id":2,"ts":"2026-07-06T08:00:00.123Z","op":"worker.mac.update","status":"succeeded","worker_id":"worker-01","client":"10.0.0.9","ref":1,"changed":true}
{"id":3,"ts":"2026-07-06T08:00:00.123Z","op":"worker.disk.create","status":"started","worker_id":"worker-01"}
{"id":4,"ts":"2026-07-06T08:00:00.123Z","op":"worker.disk.create","status":"failed","worker_id":"worker-01","agent":"storage-1","ref":3,"error":"master \"a_tpl_.img\" is not there"}
{"id":5,"ts":"2026-07-06T08:00:00.123Z","op":"auto_register","status":"ok","worker_id":"worker-02"}
`)
}

func TestOnlyTheFirstEndCounts(t *testing.T) {
	l, _ := fresh(t)
	s := start(t, l, OpLUNScan, Fields{})
	must(t, s.Succeed(ctx, Fields{}))
	must(t, s.Fail(ctx, errors.New("late"), Fields{}))
	if page, err := l.Query(Query{}); err != nil || len(page.Entries) != 2 {
		t.Fatal(page, err)
	}
}

func TestAnEndIsWrittenThoughTheRequestIsOver(t *testing.T) {
	l, _ := fresh(t)
	over, cancel := context.WithCancel(ctx)
	s := start(t, l, OpLUNScan, Fields{})
	cancel()
	must(t, s.Succeed(over, Fields{}))
	must(t, l.Once(over, OpDNSMasqReload, Fields{}))
	if _, err := l.Start(over, OpLUNScan, Fields{}); !fault.Is(err, fault.Unavailable) {
		t.Fatal(err)
	}
	if page, err := l.Query(Query{}); err != nil || len(page.Entries) != 3 {
		t.Fatal(page, err)
	}
}

func TestStartsWithoutAnEndAreClosedAsInterrupted(t *testing.T) {
	l, path := fresh(t)
	must(t, start(t, l, OpLUNScan, Fields{}).Succeed(ctx, Fields{}))
	start(t, l, OpCreateWorker, Fields{WorkerID: "worker-01", Client: "10.0.0.9"})
	// An end whose words look like a start's.
	must(t, start(t, l, OpLUNDelete, Fields{}).Fail(ctx, errors.New(`said "started" and "ref":2`), Fields{}))
	must(t, l.Once(ctx, OpDNSMasqReload, Fields{Extra: map[string]any{"state": "started"}}))
	start(t, l, OpDeleteWorker, Fields{WorkerID: "worker-02", Agent: "a"})
	must(t, l.Close())
	before, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(before, `{"id":8,"ts":"2026-07-06T08:00:00.123Z","op":"lun.scan","status":"started"`...), 0o600))

	l = open(t, path)
	page, err := l.Query(Query{Status: Interrupted})
	must(t, err)
	want := `[{"id":8,"ts":"2026-07-06T08:00:00.123Z","op":"create_worker","status":"interrupted","worker_id":"worker-01","client":"10.0.0.9","ref":3,"error":"the control plane stopped before this ended"} ` +
		`{"id":9,"ts":"2026-07-06T08:00:00.123Z","op":"delete_worker","status":"interrupted","worker_id":"worker-02","agent":"a","ref":7,"error":"the control plane stopped before this ended"}]`
	if got := fmt.Sprintf("%s", page.Entries); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	must(t, l.Close())
	if page, err := open(t, path).Query(Query{Status: Interrupted}); err != nil || len(page.Entries) != 2 {
		t.Fatal("a second start closed them again", page, err)
	}
}

func TestNoTokenGetsIntoTheTrail(t *testing.T) {
	l, path := fresh(t)
	must(t, l.Once(ctx, OpAgentRegister, Fields{Agent: "a", Extra: map[string]any{
		"token": "hunter2", "old_token": "hunter2", "Authorization": "Bearer hunter2", "password": "hunter2",
		"body": map[string]any{"secret": secret.New("hunter2")}, "plain": secret.New("hunter2"), "base_url": "http://10.0.0.1:4840",
	}}))
	got, err := os.ReadFile(path)
	must(t, err)
	if strings.Contains(string(got), "hunter2") || !strings.Contains(string(got), `"token":"***"`) || !strings.Contains(string(got), "10.0.0.1") {
		t.Fatalf("%s", got)
	}
}

func TestExtraMembersCannotStandInForTheFixedOnes(t *testing.T) {
	l, path := fresh(t)
	must(t, l.Once(ctx, OpLUNScan, Fields{Extra: map[string]any{"id": 99, "op": "x", "status": "x", "ref": 9, "error": "x", "ts": "x", "worker_id": "x", "agent": "x", "client": "x"}}))
	wantFile(t, path, `{"id":1,"ts":"2026-07-06T08:00:00.123Z","op":"lun.scan","status":"ok"}`+"\n")
}

func TestAFailureSaysWhatAPersonNeeds(t *testing.T) {
	cause := errors.New("dial tcp 10.0.0.1:4840: connection refused")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a sentence":           {fault.New(fault.Exists, "mac is taken"), "mac is taken"},
		"a sentence and cause": {fault.Wrap(fault.Unavailable, cause, "ledger cannot be written"), "ledger cannot be written: " + cause.Error()},
		"an agent's words": {&fault.Error{Kind: fault.Unavailable, Text: "agent a: refused", Err: cause,
			Detail: api.AgentError{Agent: "a", Error: "refused"}}, "agent a: refused"},
		"an unknown error":   {cause, cause.Error()},
		"none":               {nil, "unknown error"},
		"bytes of no text":   {errors.New("a\xffb"), "a\ufffdb"},
		"a very long answer": {errors.New(strings.Repeat("é", 5000)), strings.Repeat("é", 1000) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sentence(c.err); got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestEntriesAreToldInOrderOnceTheyAreOnDisk(t *testing.T) {
	var told []string
	path := filepath.Join(t.TempDir(), "operations.jsonl")
	l := Open(path, Options{Now: monday, Committed: func(_ int64, e json.RawMessage) { told = append(told, string(e)) }})
	must(t, start(t, l, OpLUNScan, Fields{}).Succeed(ctx, Fields{}))
	must(t, l.Close())
	wantFile(t, path, strings.Join(told, "\n")+"\n")
}
