package ledger

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"ipxe-all-ready/internal/netboot"
)

func TestAnEditDuringOurWriteIsReadInAndOurChangeMadeOnTopOfIt(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	h := open(t, dir)
	whole := *osDisk()
	var once sync.Once
	d := &disk{
		replace: func(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
			once.Do(func() { // a person saves in the instant before the rename
				write(t, path, strings.Replace(read(t, path), "hostname: worker-03", "hostname: worker-04", 1))
			})
			return whole.replace(path, perm, content, check)
		},
		rewrite: whole.rewrite,
	}
	var name netboot.Hostname
	runs := 0
	h.commit(func(tx *Tx) error {
		runs++
		for _, s := range tx.b.files.all() {
			s.disk = d
		}
		return registered(mac(50), &name)(tx)
	})
	if runs != 2 || name != host("worker-05") {
		t.Errorf("the function ran %d times and got %s, want worker-05: the person took worker-04", runs, name)
	}
	if w, _ := h.Snapshot().Worker(id("worker-03")); w.Hostname != host("worker-04") {
		t.Errorf("the person's edit is lost: %s", w.Hostname)
	}
	if got := read(t, h.o.HostsFile); strings.Count(got, mac(50).String()) != 1 || !strings.Contains(got, mac(50).String()+",worker-05\n") {
		t.Errorf("bindings:\n%s", got)
	}
}

func TestAnEditInTheInstantAfterOurRewriteOfTheHostsFileIsSeen(t *testing.T) {
	h := open(t, t.TempDir())
	whole := *osDisk()
	var once sync.Once
	d := &disk{
		replace: whole.replace,
		rewrite: func(path, journal string, old, new []byte) (info fs.FileInfo, err error) {
			info, err = whole.rewrite(path, journal, old, new)
			once.Do(func() { write(t, path, string(new)+mac(2).String()+",mine\n") })
			return info, err
		},
	}
	h.commit(func(tx *Tx) error {
		tx.b.files.hosts.disk = d
		return registered(mac(1), new(netboot.Hostname))(tx)
	})
	eventually(t, "the person's binding is served", func() bool {
		got, _ := h.Snapshot().Binding(mac(2))
		return got == host("mine")
	})
	h.commit(registered(mac(3), new(netboot.Hostname)))
	if got, want := read(t, h.o.HostsFile), "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,mine\n52:54:00:00:00:03,worker-02\n"; got != want {
		t.Errorf("bindings: %q, want %q", got, want)
	}
}

func TestReadersNeverSeeHalfACommit(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 50)
	h := open(t, dir)
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s, n := h.Snapshot(), 0
				last := ""
				for w := range s.Workers() {
					n++
					if m, ok := s.MACOf(w.Hostname); !ok {
						t.Errorf("%s without a binding", w.ID)
					} else if got, _, _ := s.ByMAC(m); got != w {
						t.Errorf("%s leads to %v", m, got)
					} else if got, ok := s.Machine(m); ok && got != w {
						t.Errorf("%s leads straight to %v", m, got)
					}
					if last != "" && naturally(last, w.ID.String()) >= 0 {
						t.Errorf("%s before %s", last, w.ID)
					}
					last = w.ID.String()
					h.MarkBoot(w, time.Unix(1, 0))
				}
				if n != s.Len() {
					t.Errorf("%d workers walked, %d counted", n, s.Len())
				}
			}
		})
	}
	for i := range 8 {
		writers.Go(func() {
			for j := range 12 {
				var n netboot.Hostname
				h.CommitNoWait(context.Background(), registered(mac(1000+i*100+j), &n))
				if j%3 == 0 {
					h.CommitNoWait(context.Background(), func(tx *Tx) error {
						tx.DeleteWorker(id(n.String()))
						tx.Unbind(n)
						return nil
					})
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	if got := h.Snapshot().Len(); got != 50+8*8 {
		t.Errorf("%d workers", got)
	}
}

func TestTheNextNameIsOneAboveTheHighestInUse(t *testing.T) {
	h := open(t, t.TempDir())
	next := func(tx *Tx, want string) {
		t.Helper()
		if got := tx.NextName(); got != host(want) {
			t.Errorf("NextName = %s, want %s", got, want)
		}
	}
	put := func(tx *Tx, i, name string) {
		tx.PutWorker(&Worker{ID: id(i), Hostname: host(name), State: Registered})
	}
	h.commit(func(tx *Tx) error {
		next(tx, "worker-01")
		put(tx, "anna", "worker-7")
		next(tx, "worker-08")
		put(tx, "worker-011", "berta")
		next(tx, "worker-12")
		tx.Bind(mac(1), host("worker-98"))
		next(tx, "worker-99")
		put(tx, "worker-1234567890", "worker-x9") // ten digits do not count
		next(tx, "worker-99")
		tx.PutSettings(Settings{Retired: []netboot.Hostname{host("worker-99"), host("worker-100")}})
		next(tx, "worker-101")
		return nil
	})
	undone := errors.New("undone")
	_, err := h.Commit(context.Background(), func(tx *Tx) error {
		tx.Unbind(host("worker-98"))
		next(tx, "worker-12")
		tx.DeleteWorker(id("worker-011"))
		next(tx, "worker-08")
		put(tx, "c", "worker-999999999")
		next(tx, "worker-1000000000")
		return undone
	})
	if !errors.Is(err, undone) {
		t.Errorf("err = %v", err)
	}
	h.commit(func(tx *Tx) error { next(tx, "worker-101"); return nil })
}

func TestNaturalOrder(t *testing.T) {
	list := []string{"1", "2", "10", "a", "a1", "a1b", "a2", "a02", "a10", "worker-2", "worker-10", "worker-10.x"}
	for i := range list {
		for j := range list {
			if got := naturally(list[i], list[j]); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s and %s: %d", list[i], list[j], got)
			}
		}
	}
}
