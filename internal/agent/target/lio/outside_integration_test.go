//go:build integration

package lio_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/lab/liovm"
)

func TestADiskOnAnotherMachinesKernelTarget(t *testing.T) {
	n := newNode(t, func(string) {})
	vm, serial := n.boot(t, diskIQN)

	t.Run("has its serial and an identifier made of it", func(t *testing.T) {
		if out := n.run(t, "iscsi-inq", "-e", "1", "-c", "128", url()); !strings.Contains(out, serial) {
			t.Errorf("iscsi-inq says %q, without serial %s", out, serial)
		}
		// NAA 6, the company id 001405 of LIO, and what fits of the serial; the
		// program prints the bytes as they are.
		naa, err := hex.DecodeString("6001405" + serial[:25])
		must(t, err)
		if out := n.run(t, "iscsi-inq", "-e", "1", "-c", "131", url()); !strings.Contains(out, "Designator:["+string(naa)) {
			t.Errorf("iscsi-inq says %q, without %q", out, naa)
		}
	})

	t.Run("has the size of its file", func(t *testing.T) {
		if out := strings.TrimSpace(n.run(t, "iscsi-readcapacity16", "-s", url())); out != fmt.Sprint(diskSize) {
			t.Errorf("iscsi-readcapacity16 says %q, want %d", out, diskSize)
		}
	})

	t.Run("gives back what was written, and its space when that is trimmed", func(t *testing.T) {
		before := n.allocated(t)
		n.qemuIO(t, "write -P 0xa5 0 8M", "flush", "read -P 0xa5 0 8M")
		written := n.allocated(t)
		n.qemuIO(t, "discard 0 8M", "flush")
		after := n.allocated(t)
		t.Logf("allocated: %d before, %d written, %d after the trim", before, written, after)
		if written-before < 8<<20 || written-after < 8<<20 {
			t.Errorf("8 MiB were written and trimmed; allocated were %d, %d and %d bytes", before, written, after)
		}
	})

	t.Run("keeps what was flushed when the node loses its power", func(t *testing.T) { losePower(t, n, vm) })
}

// losePower ends the node while an initiator is in the middle of its work: what
// it has flushed must be there after the boot, whatever else is not.
func losePower(t *testing.T, n *node, vm *liovm.VM) {
	writer := n.writing(t, "write -P 0x5a 16M 4M", "flush", "write -P 0x77 32M 4M", "read -P 0x5a 16M 4k")
	var targets []target.Target
	must(t, n.call(t, "GET", "/targets", &targets))
	if len(targets) != 1 || len(targets[0].Sessions) != 1 {
		t.Errorf("the node shows %+v, want one target with one session", targets)
	}
	must(t, vm.Kill())
	must(t, writer.Kill()) // it has lost its disk and would try again for ever

	again, _ := n.boot(t, diskIQN)
	n.qemuIO(t, "read -P 0x5a 16M 4M")
	out := n.run(t, "qemu-io", "-f", "raw", "-r", "-c", "read -v 32M 16", url())
	t.Logf("written and never flushed: %s", strings.TrimSpace(strings.Split(out, "\n")[0]))
	must(t, again.Kill())
}
