package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"
)

func TestAnAddressLeadsToTheWorkerOfItsNameWhateverHappens(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			h := open(t, t.TempDir())
			failing := false
			whole := *osDisk()
			h.commit(func(tx *Tx) error {
				tx.b.files.workers.disk = &disk{rewrite: whole.rewrite, replace: func(path string, perm fs.FileMode, content func(io.Writer) error, check func() error) (fs.FileInfo, error) {
					if failing {
						return nil, errors.New("no space left")
					}
					return whole.replace(path, perm, content, check)
				}}
				return nil
			})
			for range 300 {
				failing = r.IntN(10) == 0
				_, err := h.Commit(context.Background(), func(tx *Tx) error {
					for range 1 + r.IntN(4) {
						change(r, tx)
					}
					if r.IntN(10) == 0 {
						return errors.New("changed my mind")
					}
					return nil
				})
				if err == nil && failing && r.IntN(2) == 0 {
					continue // nothing was to be written
				}
				h.machinesAgree()
			}
		})
	}
}

// change is one of what callers do, among few names and addresses so that they
// meet.
func change(r *rand.Rand, tx *Tx) {
	n, m := id(fmt.Sprintf("pc-%d", r.IntN(6))), mac(1+r.IntN(8))
	host := host(fmt.Sprintf("pc-%d", r.IntN(6)))
	switch w, ok := tx.Worker(n); r.IntN(7) {
	case 0:
		tx.Bind(m, host)
	case 1:
		tx.Unbind(host)
	case 2:
		tx.DeleteWorker(n)
	case 3:
		tx.Bind(m, host)
		tx.PutWorker(&Worker{ID: n, Hostname: host, Arch: "x86_64", State: Registered})
	case 4:
		if ok {
			w = w.Clone()
			w.Hostname = host
			tx.PutWorker(w)
		}
	default:
		if ok {
			w = w.Clone()
			w.Error = fmt.Sprint(r.IntN(100))
			tx.PutWorker(w)
		}
	}
}
