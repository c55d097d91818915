//go:build integration

package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// recorded is a day of a site, step by step.
func recorded(t *testing.T) (*site, []step) {
	t.Helper()
	s := newSite(t, filepath.Join(quick(t), "home"))
	if err := os.Mkdir(s.home, 0o755); err != nil {
		t.Fatal(err)
	}
	p := s.plan()
	p.watch, p.keep = true, true
	d, err := start(t, p)
	if err != nil {
		t.Fatal(err)
	}
	s.daemon, s.calm = d, true
	for _, act := range s.script() {
		act()
	}
	d.stop()
	<-d.warden.done
	if err := s.trouble(); err != nil {
		t.Fatal(err, d.log)
	}
	return s, d.warden.steps
}

func TestNoPowerCutLosesWhatWasAcknowledged(t *testing.T) {
	s, steps := recorded(t)
	d := newDisk()
	stride := every(23)
	for at := 0; at <= len(steps); at++ {
		if at > 0 {
			if err := d.apply(steps[at-1]); err != nil {
				t.Fatal(err)
			}
		}
		if at == len(steps) {
			if err := d.differs(s.home); err != nil {
				t.Fatal(err)
			}
		}
		if at%stride != 0 && at != len(steps) {
			continue
		}
		next := step{kind: "the end"}
		if at < len(steps) {
			next = steps[at]
		}
		for _, c := range cuts(uint64(at)) {
			if err := cutAndRevive(t, s, d, c, at); err != nil {
				t.Errorf("%s after step %d, before %s:\n%v", c.name, at, next, err)
			}
		}
		if undo := d.half(next); undo != nil {
			c := cut{"process killed in the middle of a write", all, written}
			if err := cutAndRevive(t, s, d, c, at); err != nil {
				t.Errorf("killed in the middle of step %d, %s:\n%v", at+1, next, err)
			}
			undo()
		}
	}
	t.Logf("%d steps", len(steps))
}

func cutAndRevive(t *testing.T, s *site, d *disk, c cut, at int) error {
	home := filepath.Join(quick(t), "home")
	defer os.RemoveAll(filepath.Dir(home))
	if err := os.Mkdir(home, 0o755); err != nil {
		return err
	}
	if err := d.powerCut(home, c); err != nil {
		return err
	}
	after := newSite(t, home)
	after.h, after.node = s.h, s.node
	_, err := after.revive(at)
	if after.daemon != nil {
		after.daemon.kill()
	}
	tried(t, "control plane: "+c.name+", each step, started again", err != nil)
	if err != nil {
		return fmt.Errorf("%w", err)
	}
	return nil
}
