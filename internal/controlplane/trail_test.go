package controlplane

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/api"
)

const trailFile = "state/operations.jsonl"

// withOneWorker is a site whose pc-1 has a MAC.
func withOneWorker(t *testing.T) *site {
	s := newSite(t)
	s.file("state/workers.yml", "workers:\n  pc-1: {hostname: pc-1, arch: x86_64, state: registered, disks: []}\n")
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:01,pc-1\n")
	return s
}

// fullTrail is the trail's content that leaves no room under a limit of
// len(fullTrail()) bytes a file: no other file of the site is so long, nor is
// what the go command notes of the files that these tests open.
func fullTrail() string {
	return `{"id":1,"ts":"2026-07-01T08:00:00.000Z","op":"create_worker","status":"started","worker_id":"x"}` + "\n" +
		strings.Repeat(strings.Repeat(" ", 64<<10-1)+"\n", 512)
}

// fillDisk makes a file that is as long as fullTrail grow no more, until the
// function that it returns is called.
func fillDisk(t *testing.T) (free func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	full := before
	full.Cur = uint64(len(fullTrail()))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	free = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(free)
	return free
}

// serves fails the test unless a known machine boots.
func (s *site) serves() {
	s.t.Helper()
	if got := s.boot("mac=52:54:00:00:00:01"); !strings.Contains(got, "set hostname pc-1\n") {
		s.t.Errorf("a known machine got %q", got)
	}
}

// refusesChanges fails the test unless every change is refused with the trail's
// fault and readyz names it.
func (s *site) refusesChanges(cause string) {
	s.t.Helper()
	path := filepath.Join(s.home, trailFile)
	a := s.want(503, "PUT", "/workers/pc-1/default-os", `{"menu_timeout":7}`)
	if !strings.Contains(string(a.body), "the audit trail "+path) || !strings.Contains(string(a.body), cause) {
		s.t.Errorf("%s", a)
	}
	r := decode[api.Ready](s.t, s.want(503, "GET", "/readyz", ""))
	if r.Status != "not_ready" || len(r.Faults) != 1 || r.Faults[0].File != path || !strings.Contains(r.Faults[0].Error, cause) {
		s.t.Errorf("%+v", r)
	}
	if got := s.boot("mac=52:54:00:00:00:99"); got != nobody {
		s.t.Errorf("a new machine got %q", got)
	}
}

// mended fails the test unless changes and registrations go on.
func (s *site) mended() {
	s.t.Helper()
	eventually(s.t, "ready", func() bool { return s.call("GET", "/readyz", "").status == 200 })
	s.want(200, "PUT", "/workers/pc-1/default-os", `{"menu_timeout":7}`)
	if got := s.boot("mac=52:54:00:00:00:99"); !strings.Contains(got, "set hostname worker-") {
		s.t.Errorf("a new machine got %q", got)
	}
}

func TestATrailThatCannotBeOpenedKeepsNoKnownMachineFromBooting(t *testing.T) {
	s := withOneWorker(t)
	path := filepath.Join(s.home, trailFile)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.serves()
	s.noFileChanged("a trail that is a folder", func() { s.refusesChanges("is not a regular file") })
	if a := s.want(503, "GET", "/operations", ""); !strings.Contains(string(a.body), path+" is not a regular file") {
		t.Errorf("%s", a)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.mended()
	if got := s.operations("op=auto_register"); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestATrailWithoutRoomForWhatWasInterruptedIsClosedWhenThereIsSome(t *testing.T) {
	s := withOneWorker(t)
	s.file(trailFile, fullTrail())
	free := fillDisk(t)
	s.start()
	s.serves()
	s.noFileChanged("a full disk", func() { s.refusesChanges("file too large") })
	if got := s.operations("status=interrupted"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	free()
	s.mended()
	if got := s.operations("status=interrupted"); len(got) != 1 || got[0].Ref != 1 || got[0].ID != 2 {
		t.Errorf("%+v", got)
	}
	s.restart()
	if got := s.operations("status=interrupted"); len(got) != 1 {
		t.Errorf("closed twice: %+v", got)
	}
}

func TestWhatHappenedBeforeTheDiskWasKnownToBeFullIsInTheTrailLater(t *testing.T) {
	s := withOneWorker(t)
	s.start()
	s.file(trailFile, fullTrail())
	free := fillDisk(t)
	if got := s.boot("mac=52:54:00:00:00:11"); !strings.Contains(got, "set hostname worker-01\n") {
		t.Errorf("nobody knew yet: %q", got)
	}
	s.serves()
	s.noFileChanged("a full disk", func() { s.refusesChanges("file too large") })
	free()
	s.mended()
	var names []string
	for _, o := range s.operations("op=auto_register") {
		names = append(names, o.WorkerID)
	}
	if got := strings.Join(names, " "); got != "worker-01 worker-02" {
		t.Errorf("the trail knows of %q", got)
	}
}
