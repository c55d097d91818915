package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/controlplane"
	"ipxe-all-ready/internal/controlplane/nodetest"
	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/tuitest"
)

// site is a real control plane with nodes in memory behind real HTTP.
type site struct {
	t      *testing.T
	env    map[string]string
	url    string
	cp     *client.ControlPlane
	nodes  []*nodetest.Node
	cancel func()
}

func start(t *testing.T, nodes int) *site {
	t.Helper()
	// An address of the host that no other program takes a port of while the site restarts.
	own := fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(255), 1+rand.IntN(254))
	s := &site{t: t, env: map[string]string{"IPXE_CP_LISTEN": own, "IPXE_CP_HOME": t.TempDir()}}
	var b strings.Builder
	b.WriteString("agents:\n")
	for i := range nodes {
		n := nodetest.Start(t)
		s.nodes = append(s.nodes, n)
		fmt.Fprintf(&b, "  node-%d: {base_url: %q, token: %q, iscsi_server: 192.168.80.3, role: {disk: true, cd: true}, tags: [storage, stgt], enabled: true}\n", i+1, n.URL, n.Token)
	}
	path := filepath.Join(s.env["IPXE_CP_HOME"], "config", "agents.yml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run()
	t.Cleanup(func() { s.cancel() })
	return s
}

func (s *site) run() {
	s.t.Helper()
	o, err := controlplane.FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
	if err != nil {
		s.t.Fatal(err)
	}
	cp, err := controlplane.New(o, slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- cp.Run(ctx) }()
	pool := client.NewHTTP(20 * time.Second)
	s.cancel = func() {
		pool.CloseIdleConnections() // one that never carried a request holds up an orderly stop
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("run: %v", err)
		}
		s.cancel = func() {}
	}
	s.env["IPXE_CP_LISTEN"] = cp.Addr().String() // a restart is at the same address
	s.url = "http://" + cp.Addr().String()
	s.cp = client.NewControlPlane(client.ControlPlaneOptions{BaseURL: s.url, HTTP: pool})
}

func (s *site) workers(n int) {
	s.t.Helper()
	for i := 1; i <= n; i++ {
		in := api.CreateWorker{WorkerID: fmt.Sprintf("pc-%02d", i), MAC: fmt.Sprintf("52:54:00:00:00:%02x", i)}
		if _, err := s.cp.CreateWorker(s.t.Context(), in); err != nil {
			s.t.Fatal(err)
		}
	}
}

// console runs the console on the site, its event stream too.
func (s *site) console() *tuitest.Driver {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	stream := make(chan tui.StreamMsg, 64)
	go tui.Watch(ctx, s.cp, stream)
	d := tuitest.Start(s.t, tui.Options{URL: s.url, Client: s.cp, Stream: stream}, tuitest.NewClock(time.Now()), 120, 40)
	d.Until("+ live")
	d.Settle()
	return d
}

func (s *site) worker(id string) api.Worker {
	s.t.Helper()
	w, err := s.cp.Worker(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

func TestANewUserRegistersAMachineAndGivesItADiskAndABootDefault(t *testing.T) {
	s := start(t, 1)
	d := s.console()
	d.Press("2")
	d.Until("No worker yet")
	d.Press("n", "enter", "52-54-00-AA-BB-01", "enter", "enter", "enter", "enter")
	d.Until("worker-01 is registered", ">  worker-01")
	d.Press("enter")
	d.Until("52:54:00:aa:bb:01 = worker-01")
	d.Press("d", "tab", "tab", "right", "tab")
	d.Until("master_tpl_1.img")
	d.Press("enter")
	d.Until("Task: create a disk", "1 succeeded", "+ succeeded")
	d.Press("esc")
	d.Until("clone of master_tpl_1.img", "target stands on node-1")
	d.Press("b", "right", "tab", "tab", "3000", "enter")
	d.Until("boot of worker-01 is set", "3000 ms")
	w := s.worker("worker-01")
	if w.DefaultOS != "ubuntu" || *w.Boot.MenuTimeout != 3000 || len(s.nodes[0].Targets()) != 1 {
		t.Errorf("%+v %v", w, s.nodes[0].Targets())
	}
	d.Press("p")
	d.Until("set root-ubuntu iscsi:192.168.80.3")
	d.Press("esc", "e", "ctrl+u", "52:54:00:aa:bb:02", "enter")
	d.Until("MAC of worker-01 is changed", "52:54:00:aa:bb:02 = worker-01")
	d.Press("x", "space", "tab", "tab", "tab", "ubuntu", "tab", "right", "enter")
	d.Until("disk ubuntu of worker-01 is deleted", "Disks (0)")
	if files := s.nodes[0].Files(); slices.Contains(files, "worker-01.ubuntu.img") {
		t.Errorf("%v", files)
	}
}

func TestTenMachinesGetDisksOnThreeNodesByRoundRobinAndTwoAreDeleted(t *testing.T) {
	s := start(t, 3)
	s.workers(10)
	d := s.console()
	d.Press("2")
	d.Until("pc-10")
	for range 9 {
		d.Press("shift+down")
	}
	d.Until("10 marked")
	d.Press("b", "enter", "enter", "enter")
	d.Until("[ ] node-3", "10 without a node")
	d.Press("enter")
	d.Until("start is off: 10 workers have no node yet")
	d.Press("space", "space", "space", "r")
	d.Until("node-1  gets 4", "node-2  gets 3", "node-3  gets 3")
	d.Press("tab", "right", "enter") // pc-01 to the next node
	d.Until("node-2: gets 4")
	d.Press("enter")
	d.Until("10 succeeded", "+ succeeded  [")
	for i, want := range []int{3, 4, 3} {
		if n := len(s.nodes[i].Targets()); n != want {
			t.Errorf("node-%d has %d targets, want %d", i+1, n, want)
		}
	}
	if w := s.worker("pc-01"); w.Disks[0].Agent != "node-2" || w.DefaultOS != "ubuntu" {
		t.Errorf("%+v", w)
	}
	d.Press("esc")
	d.Without("marked") // each has what it was marked for
	d.Press("home", "shift+down", "D", "enter", "enter", "right", "enter")
	d.Until("Task: delete workers", "2 succeeded")
	d.Press("esc")
	d.Until("8 rows")
	if w, err := s.cp.Workers(t.Context(), client.WorkerFilter{}, ""); err != nil || len(w.Rows) != 8 || w.Rows[0].WorkerID != "pc-03" {
		t.Errorf("%v %+v", err, w.Rows)
	}
}

func TestWhatFailedOfABatchIsMarkedForAnotherTry(t *testing.T) {
	s := start(t, 2)
	s.workers(4)
	s.nodes[1].Refuse("the disk shelf is on fire")
	d := s.console()
	d.Press("2")
	d.Until("pc-04")
	d.Press("a", "b", "enter", "enter", "enter", "space", "space", "r", "enter", "enter")
	d.Until("2 succeeded", "2 failed", "on fire", "m marks the failed")
	s.nodes[1].Refuse("")
	d.Press("m")
	d.Until("2 marked in the list", "* pc-02", "* pc-04")
	d.Press("b", "enter", "enter", "enter", "t", "enter")
	d.Until("node-1: gets 2")
	d.Press("enter")
	d.Until("2 succeeded", "0 failed")
	if n := len(s.nodes[0].Targets()); n != 4 {
		t.Errorf("%d targets", n)
	}
}

func TestProgressIsShownWhileDisksAreMadeAndTheRestCanBeCancelled(t *testing.T) {
	s := start(t, 1)
	s.workers(3)
	s.nodes[0].Hold()
	d := s.console()
	d.Press("2")
	d.Until("pc-03")
	d.Press("a", "b", "enter", "enter", "enter", "enter", "enter")
	d.Until("Task: create disks", "3 to go")
	d.Press("c", "right", "enter")
	d.Until("cancelled")
	s.nodes[0].Release()
	d.Until("0 to go")
}

func TestAStorageNodeIsProbedRegisteredEditedAndSwitchedOff(t *testing.T) {
	s := start(t, 0)
	n := nodetest.Start(t)
	d := s.console()
	d.Press("3")
	d.Until("No storage node yet")
	d.Press("n", "ctrl+u", n.URL, "tab", "wrong", "enter")
	d.Until("! ", "unauthorized")
	d.Press("ctrl+u", n.Token, "enter")
	d.Until("2 of 2", "stgt on tmpfs")
	d.Press("ctrl+u", "shelf-1", "shift+tab", "enter")
	d.Until("shelf-1 is registered", "+ ok", "disk,cd")
	d.Press("e", "tab", "tab", "tab", "tab", "space", "tab", "enter")
	d.Until("shelf-1 is saved", "+ ok")
	d.Without("disk,cd")
	d.Press("x", "right", "enter")
	d.Until("shelf-1 is disabled", "x disabled")
	d.Press("D", "right", "enter")
	d.Until("shelf-1 is taken out", "No storage node yet")
}

func TestTargetsOfANodeAreMadeScannedAndDeleted(t *testing.T) {
	s := start(t, 1)
	s.workers(1)
	if _, err := s.cp.CreateDisk(t.Context(), "pc-01", api.CreateDisk{OS: "debian", Type: "empty", Size: "1G"}); err != nil {
		t.Fatal(err)
	}
	d := s.console()
	d.Press("3")
	d.Until("+ ok")
	d.Press("enter")
	d.Until("pc-01.debian", ">  iqn")
	d.Press("d", "by-hand", "enter", "enter", "enter")
	d.Until("is exported", "by-hand", "(nobody's)")
	d.Press("c", "win.iso", "enter", "enter")
	d.Until("win.iso is exported")
	d.Press("/", "by-hand", "enter", "D", "tab", "tab", "tab", "right", "enter")
	d.Until("is deleted", "Nothing matches", "0 of 2")
	d.Press("esc", "R", "right", "enter")
	d.Until("exported", "skipped")
}

func TestTheConsoleHealsWhenTheControlPlaneIsRestarted(t *testing.T) {
	s := start(t, 1)
	s.workers(3)
	d := s.console()
	d.Press("2")
	d.Until("pc-03")
	d.Press("down", "space")
	s.cancel()
	d.Until("NO CONNECTION", "pc-03", "1 marked")
	s.run()
	s.t.Cleanup(func() { s.cancel() })
	d.Until("+ live", "1 marked", "* pc-02")
	if _, err := s.cp.CreateWorker(t.Context(), api.CreateWorker{WorkerID: "pc-99", MAC: "52:54:00:00:00:99"}); err != nil {
		t.Fatal(err)
	}
	d.Until("pc-99", "* pc-02", ">  pc-03")
}

func TestFindingsAreChosenAndMended(t *testing.T) {
	s := start(t, 1)
	s.workers(1)
	w, err := s.cp.CreateDisk(t.Context(), "pc-01", api.CreateDisk{OS: "debian", Type: "empty", Size: "1G"})
	if err != nil {
		t.Fatal(err)
	}
	s.nodes[0].Drop(w.Disks[0].IQN)
	d := s.console()
	d.Press("6")
	d.Until("missing_target", "export again")
	d.Press("f", "right", "enter")
	d.Until("1 mended", "Files, bindings and nodes agree")
	if n := len(s.nodes[0].Targets()); n != 1 {
		t.Errorf("%d targets", n)
	}
}

func TestAutomaticRegistrationIsSwitchedAndNewMachinesAppearLive(t *testing.T) {
	s := start(t, 1)
	d := s.console()
	d.Press("2")
	d.Until("auto-registration on")
	if _, err := s.cp.BootScript(t.Context(), "52:54:00:12:34:56", ""); err != nil {
		t.Fatal(err)
	}
	d.Until("worker-01", "52:54:00:12:34:56")
	d.Press("A")
	d.Until("auto-registration OFF")
	if a, err := s.cp.AutoRegister(t.Context()); err != nil || a.Enabled {
		t.Errorf("%+v %v", a, err)
	}
}
