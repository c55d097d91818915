//go:build integration

package lio_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
)

// agent is the product's own, on a node whose kernel has LIO.
type agent struct{ *node }

// boot returns when the folder is exported.
func (a agent) boot(t *testing.T, env ...string) *liovm.VM {
	t.Helper()
	vm := a.start(t, liovm.Options{Program: a.program, Env: append([]string{
		"IPXE_AGENT_TOKEN=t", "IPXE_BACKEND=lio", "IPXE_DISK_DIR=" + a.disk.Mount, "IPXE_IQN_BASE=" + bootBase,
	}, env...)})
	err := lab.Poll(lab.Patience, func() error {
		if status, text, err := a.ask("GET", "/readyz", nil); err != nil || status != http.StatusOK {
			return fmt.Errorf("agent is not ready: status %d, %w: %s", status, err, text)
		}
		// Its log is in the guest's memory, and so of this boot.
		if _, text, err := a.ask("GET", "/logs", nil); err != nil || !strings.Contains(text, `"op":"auto_scan"`) {
			return fmt.Errorf("agent has not exported its folder: %w: %s", err, text)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v; it said:\n%s", err, vm.Output.Tail(15))
	}
	return vm
}

func (a agent) ask(method, path string, body any) (int, string, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return 0, "", err
	}
	req, err := http.NewRequest(method, "http://"+guestAddr.String()+":4840"+path, bytes.NewReader(b))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer t")
	resp, err := a.pc.HTTPClient(lab.Patience).Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// wants fails when the answer has another status or lacks a word.
func (a agent) wants(t *testing.T, method, path string, body any, status int, words ...string) {
	t.Helper()
	got, text, err := a.ask(method, path, body)
	if err != nil || got != status {
		t.Errorf("%s %s: status %d, %v, want %d: %s", method, path, got, err, status, text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s %s: %s, without %q", method, path, text, w)
		}
	}
}

// reads expects a byte at the start of a disk.
func (a agent) reads(t *testing.T, suffix string, b byte) {
	t.Helper()
	url := "iscsi://" + guestAddr.String() + "/" + bootBase + ":" + suffix + "/0"
	if out := a.run(t, "qemu-io", "-f", "raw", "-r", "-c", fmt.Sprintf("read -P %#x 0 1M", b), url); strings.Contains(out, "failed") {
		t.Errorf("qemu-io says %q", out)
	}
}

func TestTheAgentOnANodeWithTheKernelsTarget(t *testing.T) {
	a := agent{newNode(t, func(dir string) {
		for name, b := range map[string]byte{"w1.ubuntu.img": 0x11, "gold_tpl_.img": 0x22, "tools.iso": 0x33} {
			must(t, os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte{b}, 2<<20), 0o644))
		}
	})}
	a.program = a.lab.Path("ipxe-agent")
	must(t, liovm.Build(t.Context(), "./cmd/ipxe-agent", a.program))
	vm := a.boot(t)

	t.Run("exports the folder's disks at its start", func(t *testing.T) {
		a.wants(t, "GET", "/capabilities", nil, 200, `"backend":"lio"`, `"cd":false`, `"fs_type":"ext4"`)
		a.wants(t, "GET", "/lun", nil, 200, `"iqn":"`+bootBase+`:w1.ubuntu"`, `"lun":0`, `"backing":"/mnt/images/w1.ubuntu.img"`)
		a.reads(t, "w1.ubuntu", 0x11)
	})
	disk := api.CreateLUN{IQN: bootBase + ":w2.debian", Master: "gold_tpl_.img"}
	t.Run("makes a disk of a master", func(t *testing.T) {
		a.wants(t, "POST", "/lun/disk", disk, 201, `"clone":"copy"`)
		a.reads(t, "w2.debian", 0x22)
	})
	t.Run("refuses a CD", func(t *testing.T) {
		a.wants(t, "POST", "/lun/cd", api.CreateCD{ISO: "tools.iso"}, 400, "lio backend does not support cd")
	})
	t.Run("deletes a disk in use by force alone", func(t *testing.T) {
		url := "iscsi://" + guestAddr.String() + "/" + disk.IQN + "/0"
		p, err := a.pc.Start("reader", nil, "stdbuf", "-oL", "qemu-io", "-f", "raw", "-c", "read 0 4096", "-c", "sleep 600000", url)
		must(t, err)
		_, err = p.Log.WaitFor(`read 4096/4096 bytes`, lab.Patience)
		must(t, err)
		a.wants(t, "DELETE", "/lun?delete_file=true&iqn="+disk.IQN, nil, 409, "target_in_use", "iqn.2008-11.org.linux-kvm")
		a.wants(t, "DELETE", "/lun?delete_file=true&force=true&iqn="+disk.IQN, nil, 200)
		must(t, p.Kill())
		_, text, err := a.ask("GET", "/lun", nil)
		if err != nil || strings.Contains(text, disk.IQN) {
			t.Errorf("after the deletion: %s, %v", text, err)
		}
	})
	t.Run("exports them again after a power failure", func(t *testing.T) {
		a.wants(t, "POST", "/lun/disk", disk, 201)
		must(t, vm.Kill())
		a.boot(t)
		a.wants(t, "GET", "/lun", nil, 200, bootBase+":w1.ubuntu", disk.IQN)
		a.reads(t, "w1.ubuntu", 0x11)
		a.reads(t, "w2.debian", 0x22)
	})
}
