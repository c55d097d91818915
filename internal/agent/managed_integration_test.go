//go:build integration

package agent

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/agent/target/stgt/stgttest"
	"ipxe-all-ready/internal/agent/target/targettest"
	"ipxe-all-ready/internal/api"
)

// managed are the options of an agent that starts its own tgtd, which is ended
// with the test.
func managed(t *testing.T) Options {
	t.Helper()
	o := options(t)
	o.Managed, o.Tgtadm = true, "tgtadm"
	o.ControlPort, o.Portal = stgttest.FreeControlPort(t), stgttest.FreePortal(t)
	o.TgtdOutput = filepath.Join(filepath.Dir(o.LogFile), "tgtd.log")
	t.Cleanup(func() {
		for _, pid := range tgtds(t, o) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return o
}

// tgtds are the processes that serve the portal of o, which is theirs alone.
func tgtds(t *testing.T, o Options) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && strings.HasPrefix(string(line), "tgtd\x00") && strings.Contains(string(line), "portal="+o.Portal+",") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// begin runs a real agent and waits for its first scan, which is no part of being
// ready; stop ends it before the test does.
func begin(t *testing.T, o Options) (n *node, stop func()) {
	t.Helper()
	var log syncBuffer
	a, err := New(o, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	t.Cleanup(func() {
		if t.Failed() {
			said, _ := os.ReadFile(o.TgtdOutput)
			t.Logf("the agent said\n%s\ntgtd said\n%s", log.String(), said)
		}
	})
	n = &node{url: "http://" + a.Addr().String(), dir: o.DiskDir}
	until(t, "the agent is ready", func() bool { status, _ := n.call(t, "GET", "/readyz", ""); return status == 200 })
	until(t, "the agent has scanned", func() bool { return strings.Contains(log.String(), "folder exported") })
	return n, stop
}

func capacity(t *testing.T, o Options, suffix string) string {
	t.Helper()
	return strings.TrimSpace(stgttest.Output(t, "iscsi-readcapacity16", "-s", "iscsi://"+o.Portal+"/"+base+":"+suffix+"/1"))
}

func TestAnAgentAdoptsItsTgtdAndALiveSessionNoticesNothing(t *testing.T) {
	o := managed(t)
	n, stop := begin(t, o)
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:pc.debian","size":"64M"}`); status != 201 {
		t.Fatal(status, text)
	}
	session, err := targettest.Login(o.Portal, base+":pc.debian", base+":pc")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	before := tgtds(t, o)

	stop()
	if err := session.Ping(); err != nil {
		t.Errorf("the session ended with the agent: %v", err)
	}
	n, _ = begin(t, o)
	if err := session.Ping(); err != nil {
		t.Errorf("the session ended with the adoption: %v", err)
	}
	if after := tgtds(t, o); len(before) != 1 || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("tgtd was %v and is %v", before, after)
	}
	targets := get[[]api.Target](t, n, "/lun")
	if len(targets) != 1 || len(targets[0].Sessions) != 1 || targets[0].Sessions[0].Initiator != base+":pc" {
		t.Errorf("targets %+v", targets)
	}
	n.wantDetail(t, "DELETE", "/lun?iqn="+base+":pc.debian", "", 409, "target_in_use",
		"target "+base+":pc.debian is in use by "+base+":pc")
}

func TestAManagedTgtdThatIsKilledComesBackWithItsTargets(t *testing.T) {
	o := managed(t)
	n, _ := begin(t, o)
	n.put(t, "w.iso")
	for _, c := range [][2]string{
		{"/lun/disk", `{"iqn":"` + base + `:pc.debian","size":"64M"}`},
		{"/lun/cd", `{"iso":"w.iso","iqn":"` + base + `:pc.windows.iso"}`},
	} {
		if status, text := n.call(t, "POST", c[0], c[1]); status != 201 {
			t.Fatal(status, text)
		}
	}
	serial := stgttest.Output(t, "iscsi-inq", "-e", "1", "-c", "128", "iscsi://"+o.Portal+"/"+base+":pc.debian/1")
	first := tgtds(t, o)
	if len(first) != 1 {
		t.Fatalf("tgtds %v", first)
	}
	if err := syscall.Kill(first[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the rebuild is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor >= 4 })
	if now := tgtds(t, o); len(now) != 1 || now[0] == first[0] {
		t.Errorf("tgtd was %v and is %v", first, now)
	}
	if got := len(get[[]api.Target](t, n, "/lun")); got != 3 {
		t.Errorf("%d targets stand", got)
	}
	if got := capacity(t, o, "pc.debian"); got != "67108864" {
		t.Errorf("capacity %q", got)
	}
	if got := stgttest.Output(t, "iscsi-inq", "-e", "1", "-c", "128", "iscsi://"+o.Portal+"/"+base+":pc.debian/1"); got != serial {
		t.Errorf("the disk's identity changed from %q to %q", serial, got)
	}
}

func TestAnExternalTgtdThatIsRestartedIsRebuilt(t *testing.T) {
	d := stgttest.Start(t)
	o := options(t)
	o.Tgtadm, o.ControlPort, o.Portal = "tgtadm", d.ControlPort, d.Portal
	n, _ := begin(t, o)
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:chosen","filename":"x.img","size":"8M"}`); status != 201 {
		t.Fatal(status, text)
	}
	d.Kill()
	until(t, "the agent tells", func() bool { status, _ := n.call(t, "GET", "/readyz", ""); return status == 503 })
	n.wantDetail(t, "GET", "/lun", "", 503, "tgtd_down", fmt.Sprintf("tgtd is not running on control port %d", d.ControlPort))
	d.Run(t)
	until(t, "the rebuild is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor >= 3 })
	if got := capacity(t, o, "chosen"); got != "8388608" {
		t.Errorf("capacity %q", got)
	}
	n.wantMetrics(t, `ipxe_agent_iscsi_server_restarts_total 1`, `ipxe_agent_tgtadm_calls_total{call="target_new",result="ok"} 2`, `ipxe_agent_targets 1`)
}

func TestAThousandImagesAreServedAfterTheStart(t *testing.T) {
	o := managed(t)
	for i := range 1000 {
		path := filepath.Join(o.DiskDir, fmt.Sprintf("worker-%04d.debian.img", i))
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Truncate(path, 1<<20))
	}
	n, _ := begin(t, o)
	until(t, "the scan is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor >= 1 })
	if got := len(get[[]api.Target](t, n, "/lun")); got != 1000 {
		t.Errorf("%d targets stand", got)
	}
	if got := capacity(t, o, "worker-0999.debian"); got != "1048576" {
		t.Errorf("capacity %q", got)
	}
	scan := get[api.Operations](t, n, "/logs").Entries[0]
	if strings.Contains(string(scan), `"failed"`) {
		t.Errorf("scan %.300s", scan)
	}
}

func TestATakenPortalIsToldAndTriedAgain(t *testing.T) {
	o := managed(t)
	other, err := net.Listen("tcp", o.Portal)
	if err != nil {
		t.Fatal(err)
	}
	var log syncBuffer
	a, err := New(o, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	n := &node{url: run(t, a), dir: o.DiskDir}
	until(t, "the log tells", func() bool {
		return strings.Contains(log.String(), "portal "+o.Portal+" is not to be had: listen tcp "+o.Portal+": bind: address already in use")
	})
	n.want(t, "GET", "/readyz", "", 503, fmt.Sprintf(`{"status":"not_ready","reasons":["tgtd is not running on control port %d"]}`, o.ControlPort))
	if pids := tgtds(t, o); len(pids) != 0 {
		t.Errorf("tgtds %v run", pids)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the agent is ready", func() bool { status, _ := n.call(t, "GET", "/readyz", ""); return status == 200 })
}

// syncBuffer is a log that is read while it is written.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestAManagedTgtdIsInASessionOfItsOwnAndMayOpenManyFiles(t *testing.T) {
	o := managed(t)
	begin(t, o)
	pids := tgtds(t, o)
	if len(pids) != 1 {
		t.Fatalf("tgtds %v", pids)
	}
	sid, err := unix.Getsid(pids[0])
	if err != nil || sid != pids[0] {
		t.Errorf("session %d of process %d, %v", sid, pids[0], err)
	}
	var files unix.Rlimit
	if err := unix.Prlimit(pids[0], unix.RLIMIT_NOFILE, nil, &files); err != nil || files.Cur < min(files.Max, 1<<17) {
		t.Errorf("limit of files %+v, %v", files, err)
	}
}
