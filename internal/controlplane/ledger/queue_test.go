package ledger

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ipxe-all-ready/internal/netboot"
)

// rack is a ledger on a clock of its own and the machines that register with it.
type rack struct {
	*house
	written []int // changes in each commit

	wg       sync.WaitGroup
	mu       sync.Mutex
	machines int
	longest  time.Duration // that one of them waited
}

// powerOn is a rack of which n machines wait before one commit begins. Each
// write takes so long.
func powerOn(t *testing.T, n int, write time.Duration) *rack {
	r := &rack{}
	r.house = open(t, t.TempDir(), func(o *Options) {
		o.Poll = time.Hour
		o.OnCommit = func(changes int, _ time.Duration, _ error) { r.written = append(r.written, changes) }
	})
	gate := make(chan struct{})
	r.wg.Go(func() {
		r.commit(func(tx *Tx) error {
			tx.b.files.workers.disk = slow(write)
			<-gate
			return nil
		})
	})
	synctest.Wait()
	for range n {
		r.register()
	}
	synctest.Wait()
	close(gate)
	return r
}

func slow(write time.Duration) *disk {
	d := osDisk()
	replace := d.replace
	d.replace = func(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
		time.Sleep(write)
		return replace(path, perm, content, check)
	}
	return d
}

func (r *rack) register() {
	r.machines++
	m := mac(r.machines)
	r.wg.Go(func() {
		begun := time.Now()
		err := r.CommitNoWait(context.Background(), registered(m, new(netboot.Hostname)))
		r.mu.Lock()
		defer r.mu.Unlock()
		r.longest = max(r.longest, time.Since(begun))
		if err != nil {
			r.t.Error(err)
		}
	})
}

func TestACrowdLetsLatecomersInUntilNobodyComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := powerOn(t, crowd, 0)
		for range 10 {
			time.Sleep(lull - 1)
			r.register()
		}
		r.wg.Wait()
		if !slices.Equal(r.written, []int{crowd + 10}) {
			t.Errorf("changes in each commit: %v, want all in one", r.written)
		}
		if most := 12 * lull; r.longest > most {
			t.Errorf("the first waited %s, want %s at most: the last one had come", r.longest, most)
		}
	})
}

func TestACrowdThatNeverEndsIsAnsweredAfterTheLongestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const turns, write = 200, 3 * time.Millisecond
		r := powerOn(t, crowd, write)
		for range turns {
			time.Sleep(lull / 2)
			for range crowd {
				r.register()
			}
		}
		r.wg.Wait()
		if r.longest > write+patience+lull+write {
			t.Errorf("somebody waited %s", r.longest)
		}
		if got, want := r.Snapshot().Len(), (1+turns)*crowd; got != want {
			t.Errorf("%d of %d machines are registered", got, want)
		}
		if n := len(r.written); n > 5 {
			t.Errorf("%d commits in %s, want one each %s", n, turns*lull/2, patience)
		}
	})
}

func TestFewWaitForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := powerOn(t, crowd-1, 0)
		r.wg.Wait()
		if r.longest != 0 || !slices.Equal(r.written, []int{crowd - 1}) {
			t.Errorf("they waited %s, changes in each commit: %v", r.longest, r.written)
		}
	})
}

func TestWhoWaitsInACrowdWhenItStopsIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := powerOn(t, crowd, 0)
		for range 8 {
			time.Sleep(lull / 4)
			r.register()
		}
		synctest.Wait()
		r.stop()
		r.wg.Wait()
		if got := r.Snapshot().Len(); got != crowd+8 {
			t.Errorf("%d of %d machines are registered", got, crowd+8)
		}
	})
}
