package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/clocktest"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// jumps are what a host's clock is set by while the daemon runs.
var jumps = map[string]time.Duration{
	"three hours on": 3 * time.Hour, "three hours back": -3 * time.Hour,
	"twenty years on": 20 * 365 * 24 * time.Hour, "twenty years back": -20 * 365 * 24 * time.Hour,
}

// TestAClockThatIsSetStallsNothingAndNothingIsDoneTwice sets it in the middle of
// what takes its time.
func TestAClockThatIsSetStallsNothingAndNothingIsDoneTwice(t *testing.T) {
	for name, jump := range jumps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var clock clocktest.Clock
			n := nodetest.Start(t)
			n.OfferTasks()
			s := newSite(t)
			s.now = clock.Now
			s.agents(map[string]*nodetest.Node{"st1": n})
			s.start()
			s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
			r := s.watch("")
			made := s.call("POST", "/workers/pc-01/luns/disk", newUbuntu, "Idempotency-Key", "k1")
			n.Hold()
			began := s.call("POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"empty","size":"1G"}`, "Prefer", "respond-async")
			working(t, n)

			clock.Set(jump)
			n.Release()
			if again := s.call("POST", "/workers/pc-01/luns/disk", newUbuntu, "Idempotency-Key", "k1"); made.status != 201 || string(again.body) != string(made.body) {
				t.Errorf("asked again: %s, first %s", again, made)
			}
			id := decode[api.TaskStarted](t, began).TaskID
			eventually(t, "the disk that was being made stands", func() bool {
				return decode[api.Task](t, s.want(200, "GET", "/tasks/"+id, "")).State == api.TaskSucceeded
			})
			if got := s.boot("mac=52:54:00:00:00:02"); !strings.Contains(got, "set hostname worker-01") {
				t.Errorf("a new machine is told %s", got)
			}
			s.editedInAnotherAge(time.Now().Add(-2 * jump))
			r.hasNoGap("worker-01")
			s.restart()
			if w := s.worker("worker-01"); len(s.workers()) != 2 || w.LastBootAt == nil {
				t.Errorf("%+v", s.workers())
			}
			s.trailIsWhole()
		})
	}
}

// editedInAnotherAge has a person save the bindings with the time of modification at.
func (s *site) editedInAnotherAge(at time.Time) {
	s.t.Helper()
	path := filepath.Join(s.home, "dnsmasq/dhcp-hosts.conf")
	s.file("dnsmasq/dhcp-hosts.conf", s.read("dnsmasq/dhcp-hosts.conf")+"52:54:00:00:00:09,pc-01\n")
	if err := os.Chtimes(path, at, at); err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t, "the edit is read", func() bool {
		return strings.Contains(string(s.want(200, "GET", "/reconcile", "").body), "52:54:00:00:00:09")
	})
}

// hasNoGap reads until it was told that a worker came.
func (r *reader) hasNoGap(worker string) {
	r.t.Helper()
	for last := -1; ; {
		e, err := r.next()
		if err != nil {
			r.t.Fatal(err)
		}
		n := e.number(r.t)
		if last >= 0 && n != last+1 {
			r.t.Errorf("after event %d comes %d", last, n)
		}
		if last = n; e.kind == "worker" && e.data.ID == worker {
			return
		}
	}
}

// trailIsWhole holds that ids rise by one and that what began has one end.
func (s *site) trailIsWhole() {
	s.t.Helper()
	open, last := map[int64]bool{}, int64(0)
	for _, e := range s.operations("after=0&limit=500") {
		if e.ID != last+1 {
			s.t.Errorf("after operation %d comes %d", last, e.ID)
		}
		last = e.ID
		switch {
		case e.Status == "started":
			open[e.ID] = true
		case e.Ref != 0 && !open[e.Ref]:
			s.t.Errorf("%d ends %d, which had ended", e.ID, e.Ref)
		}
		delete(open, e.Ref)
	}
	if last < 6 || len(open) > 0 {
		s.t.Errorf("%d operations, without end: %v", last, open)
	}
}

func TestAClockThatIsSetNeitherOpensABudgetNorShutsItForLonger(t *testing.T) {
	for name, jump := range jumps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var clock clocktest.Clock
			s := newSite(t, "IPXE_CP_REGISTER_BURST", "2", "IPXE_CP_REGISTER_PER_MINUTE", "20", "IPXE_CP_TOKEN", "the-token-0123456789")
			s.now = clock.Now
			s.start()
			boot := func(i int) bool {
				return hostnameOf(s.bootFrom("192.0.2.7", mac(1, i))) != ""
			}
			guess := func() int {
				return s.call("GET", "/agents?live=false", "", "X-Forwarded-For", "192.0.2.8", "Authorization", "Bearer wrong").status
			}
			_, _ = boot(1), boot(2)
			for range 20 {
				guess()
			}
			clock.Set(jump)
			if boot(3) {
				t.Error("the jump brought in one more machine than the budget has")
			}
			if got := guess(); got != 429 {
				t.Errorf("the jump gave a guesser another try: %d", got)
			}
			eventually(t, "another machine may come after three seconds", func() bool { return boot(3) })
			eventually(t, "and another token", func() bool { return guess() == 401 })
		})
	}
}
