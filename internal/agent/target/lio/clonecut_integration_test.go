//go:build integration

package lio_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
	"ipxe-all-ready/internal/secret"
)

func TestANodeThatLosesItsPowerInMidCloneHasNeitherFileNorTargetAfterwards(t *testing.T) {
	const size = 96 << 20
	a := agent{newNode(t, func(dir string) {
		must(t, os.WriteFile(filepath.Join(dir, "gold_tpl_.img"), bytes.Repeat([]byte{0x22}, size), 0o644))
	})}
	a.program = a.lab.Path("ipxe-agent")
	must(t, liovm.Build(t.Context(), "./cmd/ipxe-agent", a.program))
	vm := a.boot(t)
	before := a.free(t)

	disk := api.CreateLUN{IQN: bootBase + ":w1.debian", Filename: "half.img", Master: "gold_tpl_.img"}
	c := client.NewAgent(client.AgentOptions{
		ID: "node", BaseURL: "http://" + guestAddr.String() + ":4840", Token: secret.New("t"),
		Timeout: lab.Patience, Clone: time.Minute, HTTP: a.pc.HTTPClient(lab.Patience),
	})
	_, id, err := c.CreateDiskAsync(t.Context(), disk)
	must(t, err)
	var copied int64
	must(t, lab.Poll(time.Minute, func() error {
		task, err := c.Task(t.Context(), id)
		if err == nil && task.BytesDone < 32<<20 {
			err = fmt.Errorf("the clone is %+v", task)
		}
		copied = task.BytesDone
		return err
	}))
	t.Logf("the power is cut when %d of %d bytes are copied", copied, size)
	must(t, vm.Kill())

	a.boot(t)
	a.wants(t, "GET", "/lun", nil, 200)
	if _, text, err := a.ask("GET", "/lun", nil); err != nil || strings.Contains(text, "iqn") {
		t.Errorf("it serves %s, %v", text, err)
	}
	// The half copy would take a third of the clone and more.
	if after := a.free(t); after < before-8<<20 {
		t.Errorf("%d bytes were free and %d are", before, after)
	}
	a.wants(t, "POST", "/lun/disk", disk, 201, `"clone":"copy"`)
	a.reads(t, "w1.debian", 0x22)
}

func (a agent) free(t *testing.T) int64 {
	t.Helper()
	_, text, err := a.ask("GET", "/capabilities", nil)
	must(t, err)
	var c api.Capabilities
	must(t, json.Unmarshal([]byte(text), &c))
	return c.FreeBytes
}
