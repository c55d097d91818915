package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/lab"
)

const (
	stgtImages = 1000
	stgtRounds = 2
	iqnBase    = "iqn.2026-07.com.controller"
)

// storage is a host with a tgtd.
type storage struct {
	host *lab.Host
	tgtd *lab.Tgtd
}

func addStorage(l *lab.Lab, n int) (s storage, err error) {
	name := fmt.Sprintf("tgt-%d", n)
	if s.host, err = l.AddHost(name, netip.AddrFrom4([4]byte{192, 168, 80, byte(10 + n)})); err != nil {
		return s, err
	}
	port, err := l.FreeControlPort()
	if err != nil {
		return s, err
	}
	s.tgtd, err = s.host.StartTgtd(name, port)
	return s, err
}

// stgt starts the agent on a folder of 1,000 images, in turns with a loop of the
// calls that this needs, each on a fresh tgtd.
func stgt(b *bench) (_ []result, err error) {
	l, err := lab.New()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	images := l.Path("images")
	if err := makeImages(images, stgtImages); err != nil {
		return nil, err
	}
	var ours, loop series
	var last storage
	for round := range stgtRounds {
		bare, err := addStorage(l, 2*round)
		if err != nil {
			return nil, err
		}
		if err := loop.time(func() error { return exportBare(bare.tgtd, images, stgtImages) }); err != nil {
			return nil, err
		}
		if err := bare.tgtd.Stop(); err != nil {
			return nil, err
		}
		if last, err = addStorage(l, 2*round+1); err != nil {
			return nil, err
		}
		agent := ""
		if err := ours.time(func() error { agent, err = b.startAgent(last, images, round); return err }); err != nil {
			return nil, err
		}
		if round < stgtRounds-1 {
			if err := errors.Join(stopNamed(l, agent), last.tgtd.Stop()); err != nil {
				return nil, err
			}
		}
	}
	list, show, err := showThousand(last)
	if err != nil {
		return nil, err
	}
	return []result{
		atMost("stgt: export of 1,000 images at the agent's start, against the bare `tgtadm` calls it cannot avoid (4 an image) in a loop",
			ratio(ours, loop), 1.2, "%s against %s", seconds(ours.median()), seconds(loop.median())),
		atMost("stgt: `GET /lun` with 1,000 targets, against one bare `tgtadm --op show`", ratio(list, show), 1.5, "%s against %s", seconds(list.median()), seconds(show.median())),
	}, nil
}

func makeImages(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range n {
		path := filepath.Join(dir, imageName(i))
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<30)); err != nil {
			return err
		}
	}
	return nil
}

func imageName(i int) string { return fmt.Sprintf("worker-%05d.ubuntu.img", i+1) }

// exportBare makes the calls that make a target as the agent makes it.
func exportBare(t *lab.Tgtd, dir string, n int) error {
	for i := range n {
		tid, iqn := strconv.Itoa(i+1), iqnBase+":"+strings.TrimSuffix(imageName(i), ".img")
		q, err := iscsi.ParseIQN(iqn)
		if err != nil {
			return err
		}
		serial := target.Export{IQN: q}.Serial()
		for _, args := range [][]string{
			{"--mode", "target", "--op", "new", "--tid", tid, "--targetname", iqn},
			{"--mode", "logicalunit", "--op", "new", "--tid", tid, "--lun", "1", "--backing-store", filepath.Join(dir, imageName(i))},
			{"--mode", "logicalunit", "--op", "update", "--tid", tid, "--lun", "1", "--params", "scsi_id=" + serial + ",scsi_sn=" + serial + ",vendor_id=IPXE,product_id=VIRTUAL-DISK"},
			{"--mode", "target", "--op", "bind", "--tid", tid, "--initiator-address", "ALL"},
		} {
			if _, err := t.Admin(args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// startAgent returns when the folder is exported.
func (b *bench) startAgent(s storage, images string, round int) (name string, err error) {
	name = fmt.Sprintf("agent-%d", round)
	p, err := s.host.Start(name, []string{
		"IPXE_AGENT_TOKEN=t", "IPXE_DISK_DIR=" + images, "IPXE_IQN_BASE=" + iqnBase, "IPXE_BACKEND=stgt",
		"IPXE_TGT_CONTROL_PORT=" + strconv.Itoa(s.tgtd.ControlPort), "IPXE_LOG_FILE=" + filepath.Join(b.dir, name+".jsonl"),
	}, b.program("ipxe-agent"))
	if err != nil {
		return name, err
	}
	_, err = p.Log.WaitFor(`folder exported.* created=1000 `, 5*time.Minute)
	return name, err
}

func stopNamed(l *lab.Lab, name string) error {
	for _, p := range l.Processes() {
		if p.Name == name {
			return p.Stop()
		}
	}
	return fmt.Errorf("no process %s", name)
}

// showThousand lists in turns by the agent and by tgtadm.
func showThousand(s storage) (list, show series, err error) {
	client := s.host.HTTPClient(time.Minute)
	for range 15 {
		if err := list.time(func() error {
			text, err := agentSays(client, http.MethodGet, "http://"+netip.AddrPortFrom(s.host.Addr, 4840).String()+"/lun")
			if n := strings.Count(text, `"iqn":`); err == nil && n != stgtImages {
				err = fmt.Errorf("%d targets", n)
			}
			return err
		}); err != nil {
			return nil, nil, err
		}
		if err := show.time(func() error {
			text, err := s.tgtd.Admin("--mode", "target", "--op", "show")
			if n := strings.Count(text, "Target "); err == nil && n != stgtImages {
				err = fmt.Errorf("%d targets", n)
			}
			return err
		}); err != nil {
			return nil, nil, err
		}
	}
	return list, show, nil
}

// agentSays calls an agent whose token is t.
func agentSays(client *http.Client, method, url string) (string, error) {
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer t")
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, url, resp.Status, text)
	}
	return string(text), err
}
