package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/api"
)

// pipe puts a named pipe that nobody ever opens in a file's place.
func (s *site) pipe(name string) {
	s.t.Helper()
	path := filepath.Join(s.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		s.t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func TestAPipeInALedgersPlaceStopsNeitherBootsNorTheDaemon(t *testing.T) {
	s := newSite(t).start()
	s.boot("mac=52:54:00:00:00:01")
	s.pipe("dnsmasq/dhcp-hosts.conf")
	eventually(t, "it is named", func() bool {
		r := decode[api.Ready](t, s.call("GET", "/readyz", ""))
		return len(r.Faults) == 1 && strings.HasPrefix(r.Faults[0].Error, "this is a named pipe and no file")
	})
	if got := s.boot("mac=52:54:00:00:00:01"); !strings.Contains(got, "set hostname worker-01\n") {
		t.Errorf("a known machine: %s", got)
	}
	if got := s.boot("mac=52:54:00:00:00:02"); got != nobody {
		t.Errorf("a new machine: %s", got)
	}
	s.want(200, "PUT", "/settings/auto-register", `{"enabled":false}`)
	s.stop()
	s.start()
	s.want(503, "GET", "/readyz", "")
}

func TestAPipeAmongTheFilesOfOurOwnIsPassedByOrRefusesTheStart(t *testing.T) {
	for name, refused := range map[string]string{
		"state/operations.jsonl":   "", // changes are refused until it can be written
		"state/dhcp-hosts.journal": "dhcp-hosts.journal: a named pipe, not a regular file",
		"state/ipxe-cp.lock":       "ipxe-cp.lock is not a regular file",
		"state/tasks.json":         "",
		"state/boots.json":         "",
		"state/leftovers.json":     "",
		"state/.known-files.json":  "",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "IPXE_CP_DNSMASQ_PID_FILE", filepath.Join(t.TempDir(), "absent"))
			s.pipe(name)
			if refused == "" {
				s.start()
				s.boot("mac=52:54:00:00:00:01")
				return
			}
			o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			if _, err := New(o, s.logger()); err == nil || !strings.Contains(err.Error(), refused) {
				t.Errorf("%v", err)
			}
		})
	}
}
