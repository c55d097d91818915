//go:build integration

package lio_test

import (
	"fmt"
	"testing"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
)

// A system that never flushes, such as ESXi, believes a write when it is
// answered.
func TestADiskWithoutAWriteCacheKeepsWhatWasNeverFlushedWhenTheNodeLosesItsPower(t *testing.T) {
	n := newNode(t, func(string) {})
	boot := func() *liovm.VM {
		vm := n.start(t, liovm.Options{
			Program: n.program, Args: []string{"-test.run=^TestServe$", "-test.timeout=0"},
			Env: []string{"IMAGES=" + n.disk.Mount, "SYNC=1"},
		})
		must(t, lab.Poll(lab.Patience, func() error {
			return n.call(t, "PUT", fmt.Sprintf("/disks/%s?size=%d", diskIQN, diskSize), new(string))
		}))
		return vm
	}
	vm := boot()
	writer := n.writing(t, "write -P 0x77 32M 4M", "read -P 0x77 32M 4k")
	must(t, vm.Kill())
	must(t, writer.Kill()) // it has lost its disk and would try again for ever

	vm = boot()
	n.qemuIO(t, "read -P 0x77 32M 4M")
	must(t, vm.Kill())
}
