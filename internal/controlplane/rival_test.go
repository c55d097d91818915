package controlplane

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/api"
)

// lines collects a log that several goroutines write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

func TestOfTwoMachinesWithOneHostNameTheFirstLinesAloneBoots(t *testing.T) {
	s := newSite(t)
	log := &lines{}
	s.log = log
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:77:01,52:54:00:00:77:02,worker-1\n52:54:00:00:77:10,worker-1")
	s.file("state/workers.yml", "workers:\n  worker-1: {hostname: worker-1, arch: x86_64, state: registered, disks: []}\n")
	s.start()
	for _, card := range []string{"01", "02"} {
		if got := s.boot("mac=52:54:00:00:77:" + card); !strings.Contains(got, "set hostname worker-1\n") {
			t.Errorf("card %s of the first machine: %s", card, got)
		}
	}
	for range 3 {
		if got := s.boot("mac=52:54:00:00:77:10&hostname=worker-1"); got != nobody {
			t.Errorf("the second machine: %s", got)
		}
	}
	if n := log.count("it gets no boot script"); n != 1 {
		t.Errorf("it was logged %d times", n)
	}
	if all := s.workers(); len(all) != 1 || *all[0].MAC != "52:54:00:00:77:01" {
		t.Errorf("%+v", all)
	}
	note := "dhcp-hosts line 2: host name worker-1 is that of 52:54:00:00:77:01 in line 1: 52:54:00:00:77:10 gets no boot script until it has another name (cards of one machine stand on one line)"
	if r := decode[api.Ready](t, s.want(200, "GET", "/readyz", "")); !slices.Contains(r.Notes, note) {
		t.Errorf("notes %q", r.Notes)
	}
	want := api.Finding{ID: "shared_hostname:52:54:00:00:77:10", Kind: "shared_hostname", WorkerID: "worker-1",
		Detail: "mac 52:54:00:00:77:10 has the host name worker-1 in line 2 of dhcp-hosts.conf, which line 1 gives to 52:54:00:00:77:01: it gets no boot script until it has another name"}
	if got := s.findings(); len(got) != 1 || got[want.ID] != want {
		t.Errorf("%+v", got)
	}
	s.want(200, "PUT", "/workers/worker-1/mac", `{"mac":"52:54:00:00:77:10"}`)
	if got := s.boot("mac=52:54:00:00:77:10"); !strings.Contains(got, "set hostname worker-1\n") {
		t.Errorf("after a person said which it is: %s", got)
	}
	if got := s.findings(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAMachineWhoseNameIsAnothersIsNobodyByHostNameEither(t *testing.T) {
	s := newSite(t, "IPXE_CP_STRICT_IDENTITY", "false")
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:77:01,worker-1\n52:54:00:00:77:10,worker-1\n")
	s.start()
	if got := s.boot("mac=52:54:00:00:77:01"); !strings.Contains(got, "set hostname worker-1\n") {
		t.Errorf("the first machine is not adopted: %s", got)
	}
	if got := s.boot("mac=52:54:00:00:77:10&hostname=worker-1"); got != nobody {
		t.Errorf("%s", got)
	}
}
