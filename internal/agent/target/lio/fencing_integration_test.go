//go:build integration

package lio_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm"
)

func TestAClosedDiskOfTheKernelsTargetRefusesAStrangerAndTheAgentTells(t *testing.T) {
	a := agent{newNode(t, func(dir string) {
		must(t, os.WriteFile(filepath.Join(dir, "w1.ubuntu.img"), bytes.Repeat([]byte{0x11}, 2<<20), 0o644))
	})}
	a.program = a.lab.Path("ipxe-agent")
	must(t, liovm.Build(t.Context(), "./cmd/ipxe-agent", a.program))
	a.boot(t, "IPXE_ACL=initiator")

	url := "iscsi://" + guestAddr.String() + "/" + bootBase + ":w1.ubuntu/0"
	asks := func(name string) (string, error) {
		p, err := a.pc.Start("asks-as-"+name, nil, "iscsi-inq", "-i", bootBase+":"+name, url)
		must(t, err)
		<-p.Done()
		how, _ := p.Exited()
		out := p.Log.Text()
		if !strings.Contains(out, "Peripheral") {
			return out, fmt.Errorf("%s: %s", how, out)
		}
		return out, nil
	}
	if _, err := asks("evil"); err == nil {
		t.Error("the stranger got in")
	} else {
		t.Log(err)
	}
	if _, err := asks("w1"); err != nil {
		t.Errorf("its own machine was refused: %v", err)
	}
	must(t, lab.Poll(60*time.Second, func() error {
		status, text, err := a.ask("GET", "/fencing", nil)
		want := `"refusals":[{"iqn":"` + bootBase + `:w1.ubuntu","initiator":"` + bootBase + `:evil","address":"` + a.pc.Addr.String() + `","first":`
		if err == nil && (status != 200 || !strings.Contains(text, want)) {
			err = fmt.Errorf("%d %s, without %s", status, text, want)
		}
		return err
	}))
	a.wants(t, "GET", "/logs", nil, 200, `"op":"refused_initiator"`)
}
