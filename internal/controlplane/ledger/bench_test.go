package ledger

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/netboot"
)

// BenchmarkRegisterWithoutDisk is a commit's own cost: all but the writes.
// Each turn adds a worker: -benchtime=300x keeps ten of them few.
func BenchmarkRegisterWithoutDisk(b *testing.B) {
	for _, n := range []int{10, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			fill(b, dir, n)
			h := open(b, dir)
			d := &disk{
				replace: func(path string, _ fs.FileMode, content func(io.Writer) error, _ func() error) (fs.FileInfo, error) {
					if err := content(io.Discard); err != nil {
						return nil, err
					}
					return os.Stat(path)
				},
				rewrite: func(path, _ string, _, _ []byte) (fs.FileInfo, error) { return os.Stat(path) },
			}
			h.commit(func(tx *Tx) error {
				for _, s := range tx.b.files.all() {
					s.disk = d
				}
				return nil
			})
			i := 0
			for b.Loop() {
				i++
				h.commit(registered(mac(1<<24+i), new(netboot.Hostname)))
			}
		})
	}
}

// BenchmarkRegister is a commit with all that makes it durable; compare it with
// BenchmarkBareWrite.
func BenchmarkRegister(b *testing.B) {
	for _, n := range []int{10, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			fill(b, dir, n)
			h := open(b, dir)
			i := 0
			for b.Loop() {
				i++
				h.commit(registered(mac(1<<24+i), new(netboot.Hostname)))
			}
		})
	}
}

func BenchmarkBareWrite(b *testing.B) {
	for _, n := range []int{10, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			fill(b, dir, n)
			workers := []byte(read(b, optionsIn(dir).WorkersFile))
			hosts := []byte(read(b, optionsIn(dir).HostsFile))
			for b.Loop() {
				next := fmt.Appendf(hosts[:len(hosts):len(hosts)], "52:54:01:00:00:00,x\n")
				if _, err := atomicfile.Rewrite(optionsIn(dir).HostsFile, filepath.Join(dir, "j"), hosts, next); err != nil {
					b.Fatal(err)
				}
				hosts = next
				if _, err := atomicfile.Replace(optionsIn(dir).WorkersFile, 0o644, func(w io.Writer) error { _, err := w.Write(workers); return err }, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStorm(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		fill(b, dir, 10_000)
		h := open(b, dir)
		b.StartTimer()
		h.commit(func(tx *Tx) error {
			for i := range 1000 {
				if err := registered(mac(1<<24+i), new(netboot.Hostname))(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func BenchmarkLookup(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 10_000)
	h := open(b, dir)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if w, _, _ := h.Snapshot().ByMAC(mac(1 + i%10_000)); w == nil {
			b.Fatal("not found")
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 10_000)
	for b.Loop() {
		if _, err := Open(optionsIn(dir)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOrderAfterOneChange(b *testing.B) {
	dir := b.TempDir()
	fill(b, dir, 10_000)
	h := open(b, dir)
	for b.Loop() {
		b.StopTimer()
		if _, err := h.Commit(context.Background(), func(tx *Tx) error {
			w, _ := tx.Worker(id("worker-5000"))
			w = w.Clone()
			w.Error += "x"
			tx.PutWorker(w)
			return nil
		}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for range h.Snapshot().Workers() {
			break
		}
	}
}
