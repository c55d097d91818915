package controlplane

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// ledgerOf writes a ledger of n registered workers with their bindings.
func (s *site) ledgerOf(n int) {
	var workers, hosts strings.Builder
	workers.WriteString("workers:\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&workers, "  worker-%02d: {hostname: worker-%02d, arch: x86_64, state: registered, disks: []}\n", i, i)
		fmt.Fprintf(&hosts, "52:54:01:00:%02x:%02x,worker-%02d\n", i>>8, i&255, i)
	}
	s.file("state/workers.yml", workers.String())
	s.file("dnsmasq/dhcp-hosts.conf", hosts.String())
}

// bindings reads dhcp-hosts.conf: MAC → host name.
func (s *site) bindings() map[string]string {
	out := make(map[string]string)
	for sc := bufio.NewScanner(strings.NewReader(s.read("dnsmasq/dhcp-hosts.conf"))); sc.Scan(); {
		mac, host, ok := strings.Cut(sc.Text(), ",")
		if _, twice := out[mac]; !ok || twice {
			s.t.Errorf("bad or repeated binding %q", sc.Text())
		}
		out[mac] = host
	}
	return out
}

func hostnameOf(script string) string {
	for line := range strings.SplitSeq(script, "\n") {
		if name, ok := strings.CutPrefix(line, "set hostname "); ok {
			return name
		}
	}
	return ""
}

func TestTwoHundredNewMachinesAtOnceOnALedgerOfAThousand(t *testing.T) {
	const had, fresh = 1000, 200
	pidFile, hangups := fakeDNSMasq(t)
	s := newSite(t, "IPXE_CP_DNSMASQ_PID_FILE", pidFile)
	s.ledgerOf(had)
	s.start()
	names := make([]string, fresh)
	var wg sync.WaitGroup
	for i := range fresh {
		wg.Go(func() {
			names[i] = hostnameOf(string(s.call("GET", fmt.Sprintf("/boot-vars?mac=52:54:02:00:00:%02x&hostname=", i), "").body))
		})
	}
	wg.Wait()
	bound := s.bindings()
	for i, name := range names {
		if got := bound[fmt.Sprintf("52:54:02:00:00:%02x", i)]; name == "" || got != name {
			t.Errorf("machine %d was told %q and is bound to %q", i, name, got)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if want := fmt.Sprintf("worker-%d", had+1+i); name != want {
			t.Fatalf("name %d is %q, want %q: a gap or a duplicate", i, name, want)
		}
	}
	for line := range strings.Lines(s.read("state/operations.jsonl")) {
		if strings.Contains(line, `"auto_register"`) && strings.Contains(line, "dnsmasq_reloaded") {
			t.Fatalf("a machine waited for dnsmasq: %s", line)
		}
	}
	list := s.workers()
	if len(list) != had+fresh || len(bound) != had+fresh {
		t.Errorf("%d workers, %d bindings", len(list), len(bound))
	}
	for _, w := range list {
		if w.MAC == nil || bound[*w.MAC] != w.Hostname {
			t.Errorf("ledger and bindings disagree on %s", w.WorkerID)
		}
	}
	s.restart()
	if got := s.workers(); len(got) != had+fresh {
		t.Errorf("after a restart %d workers", len(got))
	}
	n := hangups()
	t.Logf("%d registrations, %d reloads", fresh, n)
	if n < 1 || n > 10 {
		t.Errorf("%d reloads, want at least one and at most ten", n)
	}
}

// TestAKillLosesNothingAcknowledged kills a real process in the middle of 400
// registrations, time after time, and counts what its successor finds.
func TestAKillLosesNothingAcknowledged(t *testing.T) {
	s := newSite(t)
	s.ledgerOf(50)
	acknowledged := make(map[string]string) // MAC → host name
	for round := range 5 {
		p := play(t, self(t), "ipxe-cp", "IPXE_CP_HOME="+s.home, "IPXE_CP_LISTEN=127.0.0.1:0")
		url := "http://" + p.line(t)
		got := make(chan [2]string, 400)
		var wg sync.WaitGroup
		for i := range 400 {
			mac := fmt.Sprintf("52:54:%02x:00:%02x:%02x", 0x10+round, i>>8, i&255)
			wg.Go(func() {
				resp, err := http.Get(url + "/boot-vars?mac=" + mac)
				if err != nil {
					return // it was killed: not acknowledged
				}
				defer resp.Body.Close()
				sc := bufio.NewScanner(resp.Body)
				for sc.Scan() {
					if name, ok := strings.CutPrefix(sc.Text(), "set hostname "); ok {
						got <- [2]string{mac, name}
					}
				}
			})
		}
		// The kill comes after a random number of answers, in mid-storm.
		for range rand.IntN(200) {
			pair := <-got
			acknowledged[pair[0]] = pair[1]
		}
		p.kill(t)
		wg.Wait()
		close(got)
		for pair := range got {
			acknowledged[pair[0]] = pair[1]
		}
		s.checkAfterKill(round, acknowledged)
	}
	t.Logf("%d registrations acknowledged over 5 kills, none lost", len(acknowledged))
}

// checkAfterKill starts a successor on the files and looks at what it serves.
func (s *site) checkAfterKill(round int, acknowledged map[string]string) {
	s.t.Helper()
	s.start()
	defer s.stop()
	if a := s.call("GET", "/readyz", ""); a.status != 200 {
		s.t.Fatalf("round %d: the successor is not ready: %s", round, a)
	}
	bound := s.bindings()
	for mac, name := range acknowledged {
		if bound[mac] != name {
			s.t.Errorf("round %d: %s was told %s and is bound to %q", round, mac, name, bound[mac])
		}
	}
	seen := make(map[string]bool)
	for _, w := range s.workers() {
		if seen[w.Hostname] || w.MAC == nil {
			s.t.Errorf("round %d: %s is there twice or unbound", round, w.Hostname)
		}
		seen[w.Hostname] = true
	}
	for mac, name := range acknowledged {
		if !seen[name] {
			s.t.Errorf("round %d: %s (%s) is lost", round, name, mac)
		}
	}
	for mac, host := range bound {
		if !seen[host] {
			// Bound and not entered: cut off between the two writes. Asking again heals it.
			if got := hostnameOf(s.boot("mac=" + mac)); got != host {
				s.t.Errorf("round %d: %s, bound to %s, came back as %q", round, mac, host, got)
			}
		}
	}
}

func TestOperationsCutOffByAKillAreClosedAsInterrupted(t *testing.T) {
	s := newSite(t)
	s.file("state/operations.jsonl", `{"id":1,"ts":"2026-07-01T08:00:00.000Z","op":"create_worker","status":"started","worker_id":"x"}
{"id":2,"ts":"2026-07-01T08:00:01.000Z","op":"delete_wor`)
	s.start()
	var found bool
	for _, o := range s.operations("since=0") {
		found = found || o.Status == "interrupted" && o.Ref == 1 && o.WorkerID == "x"
	}
	if !found {
		t.Errorf("%s", s.read("state/operations.jsonl"))
	}
	before := len(s.operations("since=0"))
	s.boot("mac=52:54:00:00:00:01")
	if after := s.operations("since=0"); len(after) != before+1 {
		t.Errorf("the torn line swallowed a record: %s", s.read("state/operations.jsonl"))
	}
}

func TestABrokenEditIsNamedServedAroundAndNeverOverwritten(t *testing.T) {
	s := newSite(t).start()
	s.boot("mac=52:54:00:00:00:01")
	good := s.read("state/workers.yml")
	for _, broken := range []string{"", "workers:\n  worker-01: {hostname: [}\n", good[:len(good)/2]} {
		s.file("state/workers.yml", broken)
		eventually(t, "the edit is named", func() bool {
			return strings.Contains(string(s.call("GET", "/readyz", "").body), "workers.yml")
		})
		if got := s.boot("mac=52:54:00:00:00:01"); hostnameOf(got) != "worker-01" {
			t.Errorf("the last good copy is not served:\n%s", got)
		}
		a := s.call("POST", "/workers", `{"worker_id":"x","mac":"52:54:00:00:00:09"}`)
		if a.status != 503 || !strings.Contains(string(a.body), `"code":"ledger_unreadable"`) {
			t.Errorf("%s", a)
		}
		if got := s.boot("mac=52:54:00:00:00:08"); got != nobody {
			t.Errorf("a new machine got\n%s", got)
		}
		if got := s.read("state/workers.yml"); got != broken {
			t.Errorf("overwritten:\n%s", got)
		}
		s.file("state/workers.yml", good)
		eventually(t, "it is mended", func() bool { return s.call("GET", "/readyz", "").status == 200 })
	}
	s.want(201, "POST", "/workers", `{"worker_id":"x","mac":"52:54:00:00:00:09"}`)
}

func TestAHandEditIsSeenWithoutARestart(t *testing.T) {
	s := newSite(t).start()
	s.boot("mac=52:54:00:00:00:01")
	start := time.Now()
	s.file("dnsmasq/dhcp-hosts.conf", "# mine\n52:54:00:00:00:05,worker-01 # moved\n")
	eventually(t, "the new binding is served", func() bool { return hostnameOf(s.boot("mac=52:54:00:00:00:05")) == "worker-01" })
	t.Logf("seen after %s", time.Since(start))
	s.want(201, "POST", "/workers", `{"worker_id":"x","mac":"52:54:00:00:00:09"}`)
	if got := s.read("dnsmasq/dhcp-hosts.conf"); got != "# mine\n52:54:00:00:00:05,worker-01 # moved\n52:54:00:00:00:09,x\n" {
		t.Errorf("%q", got)
	}
}
