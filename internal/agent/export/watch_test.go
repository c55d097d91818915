package export_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/fault"
)

// watch runs a watcher that hands out what it hears; each is waited for.
func watch(t *testing.T, n *node) (scans chan string, states chan string) {
	t.Helper()
	scans, states = make(chan string), make(chan string)
	ctx, stop := context.WithCancel(t.Context())
	hear := func(c chan string, s string) {
		select {
		case c <- s:
		case <-ctx.Done():
		}
	}
	w := &export.Watcher{
		Service: n.Service, Interval: time.Millisecond,
		Scanned: func(_ context.Context, d export.Scanned) { hear(scans, rows(d)) },
		State:   func(s string) { hear(states, s) },
	}
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	return scans, states
}

func wantHeard(t *testing.T, c chan string, want string) {
	t.Helper()
	select {
	case got := <-c:
		if got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("heard nothing, want %q", want)
	}
}

func TestTargetsComeBackAfterTheServersDeath(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	scans, states := watch(t, n)
	wantHeard(t, scans, "+a")
	n.backend.Crash()
	wantHeard(t, scans, "+a")
	n.backend.Fail(fault.New(fault.Unavailable, "tgtd is not running on control port 0"))
	wantHeard(t, states, "tgtd is not running on control port 0")
	n.backend.Fail(nil)
	wantHeard(t, scans, "-a")
	wantHeard(t, states, "")
	n.wantStands(t, "a=a.img")
}

func TestAFolderThatIsMountedLateIsExportedThen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "images")
	n := newNodeOn(t, dir, fake.New(), false)
	scans, states := watch(t, n)
	wantHeard(t, states, "image folder "+dir+" is missing")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	wantHeard(t, scans, "")
	wantHeard(t, states, "")
}

func TestWhatTheServerRefusedIsTriedAgain(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img", "b.img")
	refused := fault.New(fault.Internal, "tgtadm: out of memory")
	n.backend.Refuse(base+":b", refused)
	scans, _ := watch(t, n)
	wantHeard(t, scans, "+a !b.img")
	n.backend.Refuse(base+":b", nil)
	wantHeard(t, scans, "+b -a")
	n.wantStands(t, "a=a.img b=b.img")
}

// A request that the server did not see through leaves a target that is less
// than the folder asks for, and nobody else comes to look.
func TestAfterARequestThatFailedTheFolderIsComparedAgain(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	scans, _ := watch(t, n)
	wantHeard(t, scans, "+a")
	n.put(t, "b.img")
	n.backend.Refuse(base+":b", fault.New(fault.Internal, "tgtadm: out of memory"))
	if _, err := n.CreateDisk(t.Context(), export.Disk{IQN: iqn(t, "b"), Existing: true}, nil); !fault.Is(err, fault.Internal) {
		t.Errorf("CreateDisk = %v", err)
	}
	wantHeard(t, scans, "-a !b.img")
	n.backend.Refuse(base+":b", nil)
	wantHeard(t, scans, "+b -a")
}
