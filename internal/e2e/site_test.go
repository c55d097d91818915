//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/site"
)

// proof is the running site with what the tests ask of it.
type proof struct {
	*site.Site
}

func startSite(t *testing.T) *proof {
	t.Helper()
	l, err := lab.New()
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			for _, p := range l.Processes() {
				t.Logf("%s said last:\n%s", p.Name, p.Log.Tail(25))
			}
		}
		must(t, l.Close())
	})
	s, err := site.Start(l)
	must(t, err)
	return &proof{s}
}

func (p *proof) machine(t *testing.T, name, mac string, fw lab.Firmware) *lab.Machine {
	t.Helper()
	m, err := p.AddMachine(name, mac, fw)
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen of %s showed last:\n%s", name, m.Screen.Tail(25))
		}
		must(t, m.PowerOff())
	})
	return m
}

// call asks the control plane and fails the test on a refusal.
func (p *proof) call(t *testing.T, method, path, body string, out any) {
	t.Helper()
	var in any
	if body != "" {
		in = json.RawMessage(body)
	}
	must(t, p.Call(method, path, in, out))
	t.Logf("%s %s %s", method, path, body)
}

// session waits until the agent sees the initiator logged in to the target.
func session(t *testing.T, n *site.Node, iqn, initiator string) {
	t.Helper()
	must(t, lab.Poll(lab.Patience, func() error {
		target, err := targetOf(n, iqn)
		if err != nil {
			return err
		}
		for _, s := range target.Sessions {
			if s.Initiator == initiator {
				t.Logf("%s sees on %s the initiator %s from %s", n.ID, iqn, s.Initiator, text(s.Address))
				return nil
			}
		}
		return fmt.Errorf("%s sees no session of %s on %s, but %+v", n.ID, initiator, iqn, target.Sessions)
	}))
}

func targetOf(n *site.Node, iqn string) (api.Target, error) {
	var targets []api.Target
	if err := n.Call("GET", "/lun", nil, &targets); err != nil {
		return api.Target{}, err
	}
	for _, target := range targets {
		if target.IQN == iqn {
			return target, nil
		}
	}
	return api.Target{}, fmt.Errorf("%s has no target %s among %d", n.ID, iqn, len(targets))
}

func text(s *string) string {
	if s == nil {
		return "an unknown address"
	}
	return *s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sees waits for a pattern, logs what was seen and returns its groups.
func sees(t *testing.T, where string, l *lab.Log, pattern string, timeout time.Duration) []string {
	t.Helper()
	start := time.Now()
	found, err := l.WaitFor(pattern, timeout)
	must(t, err)
	t.Logf("%s after %.1f s: %s", where, time.Since(start).Seconds(), strings.TrimSpace(found[0]))
	return found
}

// fileHas waits until the file matches and logs the part that does.
func fileHas(t *testing.T, path, pattern string) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	must(t, lab.Poll(lab.Patience, func() error {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found := re.Find(b)
		if found == nil {
			return fmt.Errorf("%s has no %s, but\n%s", path, pattern, b)
		}
		t.Logf("%s has:\n%s", path, bytes.TrimSpace(found))
		return nil
	}))
}

// bootsCounted reads the counter that a BIOS guest disk keeps in its third sector.
func bootsCounted(t *testing.T, path string) byte {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return b[2*512]
}
