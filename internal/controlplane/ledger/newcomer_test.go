package ledger

import (
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/netboot"
)

func TestANewcomersRowIsWhatTheEncoderWrites(t *testing.T) {
	at := time.Date(2026, 7, 1, 8, 0, 0, 0, time.FixedZone("", 3600))
	quick := 0
	for _, name := range []string{"worker-01", "pc", "a", "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "e10", "x-1e3",
		"1", "01-pc", "0x10", "1e3", "12-30-05", "2026-07-01", strings.Repeat("a", 63), strings.Repeat("ab-", 20) + "c", "café"} {
		for _, indent := range []int{2, 4} {
			for _, arch := range []string{"x86_64", "arm64", "", "no", "i386 "} {
				id, err := netboot.ParseWorkerID(name)
				name, refused := netboot.ParseHostname(name)
				if err != nil || refused != nil {
					continue
				}
				w := &Worker{ID: id, Hostname: name, Arch: arch, State: Registered, CreatedAt: at, life: lifeOf(nil)}
				s := newSheet("workers")
				s.indent = indent
				want, err := s.rowText(w.ID.String(), workerFields(w))
				if err != nil {
					t.Fatal(err)
				}
				if got, ok := s.newcomer(w); ok {
					quick++
					if got != want {
						t.Errorf("%s: got\n%s, want\n%s", name, got, want)
					}
				}
			}
		}
	}
	if quick < 20 {
		t.Errorf("only %d rows were written without the encoder", quick)
	}
}

func TestOnlyANewcomerIsWrittenWithoutTheEncoder(t *testing.T) {
	plain := func() *Worker {
		return &Worker{ID: id("pc"), Hostname: host("pc"), Arch: "x86_64", State: Registered, CreatedAt: time.Unix(1, 0), life: lifeOf(nil)}
	}
	ten := 10
	for name, change := range map[string]func(w *Worker){
		"a disk": func(w *Worker) { w.Disks = plainWorker("pc").Disks }, "a CD": func(w *Worker) { w.CD = &CD{} },
		"a default system": func(w *Worker) { w.DefaultOS = plainWorker("pc").Disks[0].OS }, "a menu": func(w *Worker) { w.Boot.MenuTimeout = &ten },
		"an error": func(w *Worker) { w.Error = "x" }, "no time": func(w *Worker) { w.CreatedAt = time.Time{} }, "a broken row": func(w *Worker) { w.Broken = "x" },
	} {
		w := plain()
		change(w)
		if _, ok := newSheet("workers").newcomer(w); ok {
			t.Errorf("%s is left out", name)
		}
	}
	s := newSheet("workers")
	s.put("pc", "  pc: {hostname: pc, colour: green}\n")
	if _, ok := s.newcomer(plain()); ok {
		t.Error("what a person wrote is lost")
	}
}
