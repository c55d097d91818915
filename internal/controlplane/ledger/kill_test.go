package ledger

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"ipxe-all-ready/internal/netboot"
)

// childDir, in the environment, makes this test binary a ledger that registers
// machines until it is killed, saying each one that was acknowledged.
const childDir = "LEDGER_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		registerForEver(dir)
	}
	os.Exit(m.Run())
}

func registerForEver(dir string) {
	o := optionsIn(dir)
	l, err := Open(o)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	go l.Run(context.Background())
	var mu sync.Mutex
	first := l.Snapshot().Len() * 100
	for i := range 8 {
		go func() {
			for n := 0; ; n++ {
				m := mac(first + n*8 + i + 1)
				var name netboot.Hostname
				if _, err := l.Commit(context.Background(), registered(m, &name)); err != nil {
					fmt.Println("error", err)
					continue
				}
				mu.Lock()
				fmt.Println("ok", m, name)
				mu.Unlock()
			}
		}()
	}
	select {}
}

func TestAKilledLedgerLosesNothingItAcknowledged(t *testing.T) {
	dir := t.TempDir()
	promised := map[netboot.MAC]netboot.Hostname{}
	for round := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := 5 + round*7 // killed in the middle of whatever follows the n-th answer
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			f := strings.Fields(lines.Text())
			if f[0] != "ok" {
				t.Fatalf("child: %s", lines.Text())
			}
			promised[must(netboot.ParseMAC(f[1]))] = host(f[2])
			if n == after {
				time.AfterFunc(time.Duration(round)*300*time.Microsecond, func() { cmd.Process.Kill() })
			}
		}
		cmd.Wait()
		checkPromises(t, dir, promised)
	}
}

func checkPromises(t *testing.T, dir string, promised map[netboot.MAC]netboot.Hostname) {
	t.Helper()
	l, err := Open(optionsIn(dir))
	if err != nil {
		t.Fatal(err)
	}
	if f := l.Faults(); len(f) != 0 {
		t.Fatalf("faults: %v", f)
	}
	s := l.Snapshot()
	if f := s.Findings(); len(f) != 0 {
		t.Errorf("findings: %v", f)
	}
	owner := map[netboot.Hostname]netboot.MAC{}
	for m, h := range promised {
		if w, got, ok := s.ByMAC(m); !ok || got != h || w == nil {
			t.Errorf("%s was promised %s and has %s, %v", m, h, got, w)
		}
		if other, twice := owner[h]; twice {
			t.Errorf("%s and %s are both %s", m, other, h)
		}
		owner[h] = m
	}
	for w := range s.Workers() {
		if _, ok := s.MACOf(w.Hostname); !ok {
			t.Errorf("%s has no binding", w.ID)
		}
	}
}
