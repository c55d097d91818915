package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

func TestARowOfAnOldLedgerHasTheDefaultArchAndIsNotRewritten(t *testing.T) {
	const old = "workers:\n  pc-01: {hostname: pc-01, state: registered}\n  pc-02: {hostname: pc-02, arch: i386, state: registered}\n"
	s := newSite(t, "IPXE_CP_DEFAULT_ARCH", "arm64")
	s.file("state/workers.yml", old)
	s.file("dnsmasq/dhcp-hosts.conf", "")
	s.start()
	if all := s.workers(); len(all) != 2 || all[0].Arch != "arm64" || all[1].Arch != "i386" {
		t.Errorf("%+v", all)
	}
	if got := s.read("state/workers.yml"); got != old {
		t.Errorf("it was rewritten: %s", got)
	}
}

func TestALedgerLostWhileStoppedRegistersNobodyAnewUntilItIsBack(t *testing.T) {
	s := newSite(t).start()
	s.boot("mac=52:54:00:00:00:01")
	rows := s.read("state/workers.yml")
	s.stop()
	if err := os.Remove(filepath.Join(s.home, "state/workers.yml")); err != nil {
		t.Fatal(err)
	}
	s.start()
	r := decode[api.Ready](t, s.want(503, "GET", "/readyz", ""))
	if len(r.Faults) != 1 || !strings.Contains(r.Faults[0].Error, "remove its name from .known-files.json beside workers.yml") {
		t.Errorf("%+v", r)
	}
	for _, mac := range []string{"52:54:00:00:00:01", "52:54:00:00:00:02"} {
		if got := s.boot("mac=" + mac); got != nobody {
			t.Errorf("%s: %s", mac, got)
		}
	}
	s.file("state/workers.yml", rows)
	eventually(t, "it is back", func() bool { return s.call("GET", "/readyz", "").status == 200 })
	if got := s.boot("mac=52:54:00:00:00:01"); !strings.Contains(got, "set hostname worker-01\n") {
		t.Errorf("%s", got)
	}
}

func TestHalfABindingsFileRegistersNobodyAnew(t *testing.T) {
	s := newSite(t).start()
	for _, n := range []string{"1", "2", "3", "4"} {
		s.boot("mac=52:54:00:00:00:0" + n)
	}
	whole := s.read("dnsmasq/dhcp-hosts.conf")
	s.file("dnsmasq/dhcp-hosts.conf", whole[:len(whole)/2])
	eventually(t, "it is named", func() bool { return s.call("GET", "/readyz", "").status == 503 })
	if got := s.boot("mac=52:54:00:00:00:04"); !strings.Contains(got, "set hostname worker-04\n") {
		t.Errorf("%s", got)
	}
	s.file("dnsmasq/dhcp-hosts.conf", whole)
	eventually(t, "it is mended", func() bool { return s.call("GET", "/readyz", "").status == 200 })
	if all := s.workers(); len(all) != 4 {
		t.Errorf("%d workers", len(all))
	}
}
