//go:build integration

package torture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestNoFailedStepOfANodeLosesADiskOrServesHalfOne(t *testing.T) {
	_, steps := recordedNode(t)
	for k := 1; k <= len(steps); k += every(29) {
		t.Run(fmt.Sprint("step ", k), func(t *testing.T) {
			t.Parallel()
			for _, a := range ailments {
				x := &sick{ailment: a, k: int64(k)}
				err := endureNode(t, x)
				tried(t, "agent: "+a.name+", each step", err != nil)
				if err != nil {
					t.Errorf("%s at step %d, %v: %v", a.name, k, x.where.Load(), err)
				}
			}
		})
	}
}

// endureNode runs a day of a node with a sick disk, sees it recover without a
// restart, kills it and looks what the next start shows.
func endureNode(t *testing.T, x *sick) error {
	n := newNode(t, filepath.Join(quick(t), "node"))
	defer os.RemoveAll(filepath.Dir(n.root))
	defer n.tgtd.Kill()
	n.furnish()
	p := n.plan()
	p.watch, p.judge = true, x.judge
	d, err := start(t, p)
	if err != nil {
		x.well.Store(true)
		if d, err = start(t, p); err != nil {
			return err
		}
	}
	n.daemon = d
	defer func() { n.kill() }()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if status, _, _ := n.call("GET", "/readyz", "", nil); status == 200 || x.struck.Load() {
			break
		}
	}
	if err := n.settled(x.recover); err != nil {
		return err
	}
	for _, act := range n.script() {
		act()
		x.recover()
	}
	x.well.Store(true)
	if err := n.settled(); err != nil {
		return fmt.Errorf("%w\n%s", err, n.log)
	}
	n.calm = true
	n.do("POST", "/lun/disk", `{"iqn":"`+base+`:z.ubuntu","filename":"z.ubuntu.img","master":"u_tpl_1.img"}`, "z.ubuntu.img z.ubuntu", cloned)
	n.kill()
	return errors.Join(n.revive(0), errors.Join(n.errs...))
}
