//go:build integration

package liovm_test

import (
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
)

func TestAGuestRunsOneProgramWithLIODiskAndNetworkAndHandsOutItsStatus(t *testing.T) {
	l, err := lab.New()
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	h, err := l.AddHost("lio", netip.MustParseAddr("192.168.80.5"))
	must(t, err)
	disk := l.Path("disk.raw")
	must(t, os.WriteFile(disk, nil, 0o644))
	must(t, os.Truncate(disk, 16<<20))
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", disk).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v: %s", err, out)
	}
	program := l.Path("hello")
	must(t, liovm.Build(t.Context(), "./internal/lab/liovm/testdata/hello", program))

	start := time.Now()
	vm, err := liovm.Start(t.Context(), l, h, liovm.Options{
		Name: "guest", Program: program, Args: []string{"one", "two three"}, Env: []string{"GREETING=hello"},
		Network: true, Disks: []liovm.Disk{{File: disk, Mount: "/mnt/disk"}},
	})
	must(t, err)
	status, err := vm.Wait(2 * time.Minute)
	if err != nil || status != 7 {
		t.Errorf("the guest ended with status %d, %v; want 7", status, err)
	}
	t.Logf("from building to the end: %.1f s", time.Since(start).Seconds())
	for _, want := range []string{
		"args [one two three] hello\n", "/sys/kernel/config/target <nil>\n", "/mnt/disk/lost+found <nil>\n", "192.168.80.5/24",
	} {
		if out := vm.Output.Text(); !strings.Contains(out, want) {
			t.Errorf("the guest printed %q, without %q", out, want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
