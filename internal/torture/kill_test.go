//go:build integration

package torture

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// roundsPerSite is how often one site is killed before the next is tried.
const roundsPerSite = 25

func TestNoKillUnderLoadLosesWhatWasAcknowledged(t *testing.T) {
	rounds := intensity(12)
	for first := 0; first < rounds; first += roundsPerSite {
		t.Run(fmt.Sprint("from round ", first+1), func(t *testing.T) {
			t.Parallel()
			l := newLoad(t)
			r := rand.New(rand.NewPCG(uint64(first), uint64(time.Now().UnixNano())))
			for n := first; n < min(first+roundsPerSite, rounds); n++ {
				what, err := l.round(n, r)
				tried(t, "control plane under load: "+what, err != nil)
				if err != nil {
					t.Fatalf("round %d, %s: %v", n+1, what, err)
				}
			}
		})
	}
}

func newLoad(t *testing.T) *load {
	t.Helper()
	s := newSite(t, filepath.Join(quick(t), "home"))
	if err := os.Mkdir(s.home, 0o755); err != nil {
		t.Fatal(err)
	}
	d, err := start(t, s.plan())
	if err != nil {
		t.Fatal(err)
	}
	s.daemon, s.calm = d, true
	s.script()[3]() // the node
	s.calm = false
	d.kill()
	return &load{site: s}
}

// round runs the daemon under load, kills it, and looks what the next one shows.
func (l *load) round(n int, r *rand.Rand) (what string, err error) {
	p := l.plan()
	l.noEdits = n%3 == 1
	switch n % 3 {
	case 0:
		what = "killed at a random instant"
	case 1:
		what, p.watch, p.judge = "killed at a random step, a write half made", true, killAt(1+r.IntN(400), true)
	case 2: // while it recovers from the kill before, and just after
		what, p.watch, p.judge = "killed again at its start", true, killAt(1+r.IntN(30), false)
	}
	d, err := start(l.t, p)
	if err != nil && !p.watch {
		return what, err
	}
	if err == nil {
		l.daemon = d
		if !p.watch {
			time.AfterFunc(time.Duration(r.IntN(200))*time.Millisecond, func() { _ = d.cmd.Process.Kill() })
		}
		timeout := time.AfterFunc(10*time.Second, func() { _ = d.cmd.Process.Kill() })
		l.run()
		timeout.Stop()
	}
	d.kill()
	states, err := l.revive(0)
	if err == nil {
		err = errors.Join(l.trouble(), l.storage())
	}
	if err == nil {
		l.h.settle(states)
	}
	l.kill()
	return what, err
}

// killAt kills the program at its n-th step.
func killAt(n int, half bool) judge {
	return func(step) verdict {
		n--
		return verdict{kill: n <= 0, half: half && n == 0}
	}
}
