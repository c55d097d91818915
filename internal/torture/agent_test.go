//go:build integration

package torture

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target/stgt/stgttest"
	"ipxe-all-ready/internal/api"
)

const base = "iqn.2026-07.com.controller"

// node is an agent with its folder, a real tgtd, and what it was asked.
type node struct {
	t *testing.T
	*daemon
	root string // of all its files
	tgtd *stgttest.Tgtd
	h    *history
	errs []error
	calm bool // a refusal is a failure
}

// master is what clones must be, byte by byte.
var master = bytes.Repeat([]byte("every sector of this is data. \n\x00"), 1<<15)

func newNode(t *testing.T, root string) *node {
	t.Helper()
	return &node{t: t, root: root, tgtd: stgttest.Start(t), h: newHistory()}
}

// furnish makes what a person brought: a master and an ISO.
func (n *node) furnish() {
	n.t.Helper()
	dir := filepath.Join(n.root, "images")
	err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(dir+"/u_tpl_1.img", master, 0o644), os.WriteFile(dir+"/win.iso", master, 0o644))
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) plan() plan {
	return plan{program: "ipxe-agent", root: n.root, env: []string{
		"IPXE_AGENT_LISTEN=127.0.0.1:0", "IPXE_AGENT_TOKEN=" + token, "IPXE_DISK_DIR=" + n.root + "/images", "IPXE_IQN_BASE=" + base,
		"IPXE_BACKEND=stgt", "IPXE_TGT_CONTROL_PORT=" + strconv.Itoa(int(n.tgtd.ControlPort)), "IPXE_TGT_PORTAL=" + n.tgtd.Portal,
		"IPXE_LOG_FILE=" + n.root + "/agent.jsonl", "IPXE_MIN_FREE=0",
	}}
}

func (n *node) position() int {
	if n.daemon == nil || n.warden == nil {
		return 0
	}
	return n.warden.position()
}

// do asks for a change of one target; state is what it is promised to be then.
func (n *node) do(method, path, body, file, state string) {
	n.h.begin(n.position(), file)
	status, text, err := n.call(method, path, body, nil)
	if err != nil {
		return
	}
	if status/100 == 2 {
		n.h.end(n.position(), file, state)
	} else if n.calm {
		n.errs = append(n.errs, fmt.Errorf("%s %s: %d %s", method, path, status, text))
	}
}

const (
	cloned = "a clone"
	blank  = "blank"
)

// script is a day of a node, in which every kind of write happens.
func (n *node) script() []func() {
	disk := func(iqn, file, source, state string) func() {
		return func() {
			n.do("POST", "/lun/disk", fmt.Sprintf(`{"iqn":"%s:%s","filename":%q,%s}`, base, iqn, file, source), file+" "+iqn, state)
		}
	}
	drop := func(iqn, file, query, state string) func() {
		return func() { n.do("DELETE", "/lun?iqn="+base+":"+iqn+query, "", file+" "+iqn, state) }
	}
	const gone = "&delete_file=true"
	return []func(){
		disk("a.ubuntu", "a.ubuntu.img", `"master":"u_tpl_1.img"`, cloned),
		disk("b.debian", "b.debian.img", `"size":"2M"`, blank),
		disk("pc", "other.img", `"master":"u_tpl_1.img"`, cloned), // a name that the file does not tell
		func() {
			n.do("POST", "/lun/cd", fmt.Sprintf(`{"iso":"win.iso","iqn":"%s:pc.windows.iso"}`, base), "win.iso pc.windows.iso", cloned)
		},
		drop("b.debian", "b.debian.img", gone, absent),
		drop("a.ubuntu", "a.ubuntu.img", "", unknown), // its file stays, and a scan exports it
		func() { _, _, _ = n.call("POST", "/lun/scan", "", nil) },
		disk("b.debian", "b.debian.img", `"master":"u_tpl_1.img"`, cloned),
		drop("pc", "other.img", gone, absent),
		disk("d.esxi", "d.esxi.img", `"size":"3M"`, blank),
	}
}

// revive starts the agent on what a crash left and waits until the folder and
// the server are as was promised.
func (n *node) revive(at int) error {
	d, err := start(n.t, n.plan())
	if err != nil {
		return err
	}
	n.daemon = d
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if err = n.verify(at); err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w\n%s", err, d.log)
		}
	}
}

func (n *node) verify(at int) error {
	if status, text, err := n.call("GET", "/readyz", "", nil); err != nil || status != 200 {
		return fmt.Errorf("readyz: %d %s %v", status, text, err)
	}
	var log api.Operations
	if _, _, err := n.call("GET", "/logs?since=0", "", &log); err != nil {
		return err
	}
	var targets []api.Target
	if status, text, err := n.call("GET", "/lun", "", &targets); err != nil || status != 200 {
		return fmt.Errorf("GET /lun: %d %s %v", status, text, err)
	}
	backing := map[string]string{}
	for _, t := range targets {
		for _, l := range t.LUNs {
			if l.Backing != nil && strings.HasPrefix(*l.Backing, "/") {
				backing[t.IQN] = filepath.Base(*l.Backing)
			}
		}
	}
	files, err := n.files()
	errs := []error{err}
	for iqn, file := range backing {
		if files[file] == "" {
			errs = append(errs, fmt.Errorf("%s serves %s, which is not there", iqn, file))
		}
	}
	for _, thing := range n.h.order {
		errs = append(errs, n.promise(thing, at, files, backing))
	}
	return errors.Join(errs...)
}

func (n *node) promise(thing string, at int, files, backing map[string]string) error {
	file, iqn, _ := strings.Cut(thing, " ")
	iqn = base + ":" + iqn
	state := files[file]
	if state == "" {
		state = absent
	}
	var errs []error
	for _, want := range n.h.allowed(thing, at) {
		if want == absent && strings.HasSuffix(file, ".iso") {
			return nil // the file is the site's, and a scan may serve it
		}
		switch {
		case want == unknown, want == absent && state == absent, want == state && backing[iqn] == file:
			return nil
		}
		errs = append(errs, fmt.Errorf("%s is %s, served as %q, promised was %s", thing, state, backing[iqn], want))
	}
	return errors.Join(errs...)
}

// files are those in the folder and what is in each: whole, or an error.
func (n *node) files() (map[string]string, error) {
	out := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(n.root, "images"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(n.root, "images", e.Name()))
		switch {
		case err != nil:
			return nil, err
		case strings.HasPrefix(e.Name(), ".ipxe-agent"):
		case strings.HasPrefix(e.Name(), "."):
			return nil, fmt.Errorf("%s is left", e.Name())
		case bytes.Equal(content, master):
			out[e.Name()] = cloned
		case len(bytes.Trim(content, "\x00")) == 0 && len(content) >= 2<<20:
			out[e.Name()] = blank
		default:
			return nil, fmt.Errorf("%s is half made: %d bytes", e.Name(), len(content))
		}
	}
	return out, nil
}

// recordedNode is a day of a node, step by step.
func recordedNode(t *testing.T) (*node, []step) {
	t.Helper()
	n := newNode(t, filepath.Join(quick(t), "node"))
	n.furnish()
	p := n.plan()
	p.watch, p.keep = true, true
	d, err := start(t, p)
	if err != nil {
		t.Fatal(err)
	}
	n.daemon, n.calm = d, true
	if err := n.settled(); err != nil {
		t.Fatal(err)
	}
	for _, act := range n.script() {
		act()
	}
	d.stop()
	<-d.warden.done
	if err := errors.Join(n.errs...); err != nil {
		t.Fatal(err, d.log)
	}
	return n, d.warden.steps
}

// settled waits until the agent has looked at its folder.
func (n *node) settled(meanwhile ...func()) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		for _, do := range meanwhile {
			do()
		}
		status, text, err := n.call("GET", "/readyz", "", nil)
		if status == 200 || n.dead() {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("it does not get ready: %d %s %v", status, text, err)
		}
	}
}

func TestNoPowerCutOfANodeLosesADiskOrServesHalfOne(t *testing.T) {
	n, steps := recordedNode(t)
	d := newDisk()
	for _, s := range furniture() {
		if err := d.apply(s); err != nil {
			t.Fatal(err)
		}
	}
	stride := every(17)
	for at := 0; at <= len(steps); at++ {
		if at > 0 {
			if err := d.apply(steps[at-1]); err != nil {
				t.Fatal(err)
			}
		}
		if at%stride != 0 && at != len(steps) {
			continue
		}
		t.Run(fmt.Sprint("step ", at), func(t *testing.T) {
			after := newNode(t, "")
			for _, c := range cuts(uint64(at)) {
				err := after.cutAndRevive(n.h, d, c, at)
				tried(t, "agent: "+c.name+", each step, started again", err != nil)
				if err != nil {
					t.Errorf("%s after step %d of %d: %v", c.name, at, len(steps), err)
				}
			}
		})
	}
	if err := d.differs(n.root); err != nil {
		t.Fatal(err)
	}
}

// furniture is furnish as steps, flushed.
func furniture() []step {
	return []step{
		{kind: "mkdir", path: "/images"}, {kind: "fsync", path: ""},
		{kind: "create", path: "/images/u_tpl_1.img"}, {kind: "write", path: "/images/u_tpl_1.img", data: master}, {kind: "fsync", path: "/images/u_tpl_1.img"},
		{kind: "create", path: "/images/win.iso"}, {kind: "write", path: "/images/win.iso", data: master}, {kind: "fsync", path: "/images/win.iso"},
		{kind: "fsync", path: "/images"},
	}
}

func (n *node) cutAndRevive(h *history, d *disk, c cut, at int) error {
	n.root, n.h = filepath.Join(quick(n.t), "node"), h
	defer os.RemoveAll(filepath.Dir(n.root))
	if err := os.Mkdir(n.root, 0o755); err != nil {
		return err
	}
	if err := d.powerCut(n.root, c); err != nil {
		return err
	}
	n.tgtd.Kill() // the power went
	n.tgtd.Run(n.t)
	err := n.revive(at)
	if n.daemon != nil {
		n.kill()
	}
	return err
}

func TestNoKillOfAnAgentLosesADiskOrServesHalfOne(t *testing.T) {
	_, steps := recordedNode(t)
	rounds := intensity(6)
	for k := range rounds {
		t.Run(fmt.Sprint("round ", k+1), func(t *testing.T) {
			at := 1 + rand.IntN(len(steps))
			if rounds >= 1000 {
				at = 1 + k%len(steps)
			}
			half := k/len(steps)%2 == 1
			n := newNode(t, filepath.Join(quick(t), "node"))
			defer os.RemoveAll(filepath.Dir(n.root))
			n.furnish()
			p := n.plan()
			p.watch, p.judge = true, killAt(at, half)
			d, err := start(t, p)
			if err == nil {
				n.daemon = d
				_ = n.settled()
				for _, act := range n.script() {
					act()
				}
			}
			d.kill()
			err = n.revive(0)
			tried(t, "agent: killed at each step, tgtd lives on", err != nil)
			if err != nil {
				t.Errorf("killed at step %d: %v", at, err)
			}
		})
	}
}
