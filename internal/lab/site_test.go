//go:build integration

package lab_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
)

const (
	mac     = "52:54:00:00:10:01"
	baseIQN = "iqn.2026-07.lab"
)

// site is a control plane's host with DHCP and TFTP, and a storage node with
// the disks ubuntu and debian of the machine w1.
type site struct {
	*lab.Lab
	cp      *lab.Host
	dnsmasq *lab.Dnsmasq
	tgtd    *lab.Tgtd
	answers *answers
}

func newSite(t *testing.T) *site {
	t.Helper()
	l, err := lab.New()
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			for _, p := range l.Processes() {
				t.Logf("%s said last:\n%s", p.Name, p.Log.Tail(20))
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &site{Lab: l, answers: &answers{}}
	s.cp, err = l.AddHost("cp", netip.MustParseAddr("192.168.80.1"), lab.RouterPrefix)
	must(t, err)
	node, err := l.AddHost("st", netip.MustParseAddr("192.168.80.3"))
	must(t, err)
	hosts := l.Path("dhcp-hosts.conf")
	must(t, os.WriteFile(hosts, []byte(mac+",w1\n"), 0o644))
	s.dnsmasq, err = s.cp.StartDnsmasq(hosts)
	must(t, err)
	port, err := l.FreeControlPort()
	must(t, err)
	s.tgtd, err = node.StartTgtd("tgtd", port)
	must(t, err)
	for i, os := range []string{"ubuntu", "debian"} {
		disk := l.Path("w1." + os + ".img")
		must(t, lab.WriteGuestDisk(disk, "disk-of-"+os, lab.BIOS))
		must(t, s.tgtd.Export(i+1, baseIQN+":w1."+os, disk))
	}
	return s
}

// listen lets the control plane answer.
func (s *site) listen(t *testing.T) {
	t.Helper()
	ln, err := s.cp.Listen(":4839")
	must(t, err)
	server := &http.Server{Handler: s.answers, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Close() })
}

func (s *site) machine(t *testing.T, name, mac string, fw lab.Firmware) *lab.Machine {
	t.Helper()
	m, err := s.AddMachine(name, mac, fw)
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen of %s showed last:\n%s", name, m.Screen.Tail(25))
		}
		must(t, m.PowerOff())
	})
	return m
}

// answers is the control plane as far as the boot scripts see it.
type answers struct {
	mu    sync.Mutex
	text  string
	deaf  bool // takes questions and never answers
	asked []string
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, deaf := a.question(r.URL.Query().Get("mac") + " " + r.URL.Query().Get("hostname"))
	if deaf {
		<-r.Context().Done()
		return
	}
	fmt.Fprint(w, "#!ipxe\n"+text)
}

func (a *answers) question(asker string) (text string, deaf bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.deaf {
		a.asked = append(a.asked, asker)
	}
	return a.text, a.deaf
}

// say sets the answer and forgets who asked before.
func (a *answers) say(lines ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deaf = false
	a.text, a.asked = strings.Join(lines, "\n")+"\n", nil
}

func (a *answers) sayNothing() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deaf = true
}

func (a *answers) askers() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.asked...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sees waits for a pattern and logs what was seen.
func sees(t *testing.T, l *lab.Log, pattern string, timeout time.Duration) {
	t.Helper()
	start := time.Now()
	found, err := l.WaitFor(pattern, timeout)
	must(t, err)
	t.Logf("after %.1f s: %s", time.Since(start).Seconds(), strings.TrimSpace(found[0]))
}
