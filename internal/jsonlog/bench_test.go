package jsonlog

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// million writes a log of a million ordinary lines, about 200 MB.
func million(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "log.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for i := 1; i <= 1_000_000; i++ {
		fmt.Fprintf(w, `{"id":%d,"ts":"2026-07-01T08:00:00.000Z","op":"worker.disk.create","status":"succeeded","worker_id":"worker-%05d",`+
			`"agent":"storage-1","client":"192.168.80.20","ref":%d,"iqn":"iqn.2026-07.com.controller:worker-%05d.ubuntu"}`+"\n", i, i%10000, i-1, i%10000)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func BenchmarkOpenOfAMillionLines(b *testing.B) {
	path := million(b)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		l, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		l.Close()
	}
}

func BenchmarkReadsOfAMillionLines(b *testing.B) {
	l, err := Open(million(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	rare := Filter{Contains: [][]byte{[]byte(`"auto_register"`)}}
	one := Filter{Contains: [][]byte{[]byte(`"worker-00777"`)}}
	for name, read := range map[string]func() error{
		"tail 100":           func() error { _, err := l.Tail(100, Filter{}); return err },
		"since near the end": func() error { _, _, err := l.Read(999_900, 1000, Filter{}); return err },
		"since 0 limit 1000": func() error { _, _, err := l.Read(0, 1000, Filter{}); return err },
		"limit 10000":        func() error { _, _, err := l.Read(500_000, 10000, Filter{}); return err },
		"tail 50 of one":     func() error { _, err := l.Tail(50, one); return err },
		"filter without hit": func() error { _, err := l.Tail(100, rare); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{1, 200} {
		b.Run(fmt.Sprint(callers, " callers"), func(b *testing.B) {
			l, err := Open(filepath.Join(b.TempDir(), "log.jsonl"), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			b.SetParallelism(callers)
			if callers == 1 {
				for b.Loop() {
					if _, err := l.Append(context.Background(), event{Op: "x"}); err != nil {
						b.Fatal(err)
					}
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := l.Append(context.Background(), event{Op: "x"}); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
