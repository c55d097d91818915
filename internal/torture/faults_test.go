//go:build integration

package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
)

// ailment is how a step fails.
type ailment struct {
	name  string
	errno syscall.Errno
	half  bool // a write is made by half before it fails
	lasts bool // every later step fails too, until the request is answered
}

var ailments = []ailment{
	{"one step fails with EIO", syscall.EIO, false, false},
	{"a write stops half-way with EIO", syscall.EIO, true, false},
	{"the disk is full from a step on", syscall.ENOSPC, true, true},
	{"the disk is read-only from a step on", syscall.EROFS, false, true},
	{"the permission is gone from a step on", syscall.EACCES, false, true},
}

// sick lets the k-th step fail.
type sick struct {
	ailment
	k      int64
	steps  atomic.Int64
	struck atomic.Bool
	well   atomic.Bool
	where  atomic.Value // string: the step
}

func (x *sick) judge(s step) verdict {
	if x.well.Load() {
		return verdict{}
	}
	n := x.steps.Add(1)
	if n < x.k || n > x.k && !x.lasts {
		return verdict{}
	}
	if n == x.k {
		x.where.Store(s.String())
	}
	x.struck.Store(true)
	return verdict{errno: x.errno, half: x.half}
}

// recover ends what lasts, once it has struck and a request was answered.
func (x *sick) recover() {
	if x.struck.Load() {
		x.well.Store(true)
	}
}

func TestNoFailedStepLosesWhatWasAcknowledged(t *testing.T) {
	_, steps := recorded(t)
	for k := 1; k <= len(steps); k += every(41) {
		t.Run(fmt.Sprint("step ", k), func(t *testing.T) {
			t.Parallel()
			for _, a := range ailments {
				x := &sick{ailment: a, k: int64(k)}
				err := endure(t, x)
				tried(t, "control plane: "+a.name+", each step", err != nil)
				if err != nil {
					t.Errorf("%s at step %d, %v: %v", a.name, k, x.where.Load(), err)
				}
			}
		})
	}
}

// endure runs a day of a site with a sick disk, sees it recover without a
// restart, kills it and looks what the next start shows.
func endure(t *testing.T, x *sick) error {
	s := newSite(t, filepath.Join(quick(t), "home"))
	defer os.RemoveAll(filepath.Dir(s.home))
	if err := os.Mkdir(s.home, 0o755); err != nil {
		return err
	}
	p := s.plan()
	p.watch, p.judge = true, x.judge
	d, err := start(t, p)
	x.recover()
	if err != nil { // it may refuse to start, and must start when all is well
		if !x.struck.Load() {
			return err
		}
		if d, err = start(t, p); err != nil {
			return err
		}
	}
	s.daemon = d
	defer func() { s.kill() }()
	for _, act := range s.script() {
		act()
		x.recover()
	}
	x.well.Store(true)
	s.calm = true
	s.do("POST", "/workers", `{"worker_id":"pc-9","mac":"52:54:00:00:09:09"}`, "worker/pc-9")
	s.do("PUT", "/settings/auto-register", `{"enabled":true}`, "setting/auto-register")
	s.do("PUT", "/workers/pc-9/mac", `{"mac":"52:54:00:00:09:10"}`, "worker/pc-9")
	s.boot("52:54:00:00:09:11")
	if err := s.trouble(); err != nil {
		return fmt.Errorf("%w\n%s", err, s.log)
	}
	d.kill()
	_, err = s.revive(0)
	return err
}
