package controlplane

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

var (
	randomSteps = flag.Int("random.steps", 150, "steps of a random sequence of calls")
	randomSeed  = flag.Uint64("random.seed", 0, "seed of the sequence; 0: another one each time")
)

var (
	someIDs   = []string{"pc-1", "pc-2", "worker-03", "worker-7", "Alias"}
	someHosts = []string{"", "", "alias", "pc-2", "worker-12"}
	someOS    = []string{"ubuntu", "debian", "windows"}
	someNodes = []string{"st1", "st2", "st3"}
)

// step is one call; its numbers choose from the lists above, so that it still
// means something when those before it are left out.
type step struct{ what, x, y, z int }

// trial is a site, its nodes and what should be there.
type trial struct {
	*site
	nodes map[string]*nodetest.Node
	want  *fleet
}

// TestAnySequenceOfCallsLeavesWhatTheModelSays prints its seed, and the shortest
// sequence that fails. -random.seed and -random.steps make others.
func TestAnySequenceOfCallsLeavesWhatTheModelSays(t *testing.T) {
	seed := *randomSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-random.seed=%d -random.steps=%d", seed, *randomSteps)
	r := rand.New(rand.NewPCG(seed, 1))
	steps := make([]step, *randomSteps)
	for i := range steps {
		steps[i] = step{r.IntN(len(moves)), r.IntN(1 << 16), r.IntN(1 << 16), r.IntN(1 << 16)}
	}
	done, err := playOut(t, steps)
	if err == nil {
		return
	}
	short, why := shrunk(t, steps[:done], err)
	t.Errorf("seed %d: %v\nafter\n%s", seed, why, short)
}

// shrunk leaves out steps as long as the rest still fails.
func shrunk(t *testing.T, steps []step, why error) (string, error) {
	for size := len(steps) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(steps); {
			fewer := slices.Delete(slices.Clone(steps), i, i+size)
			if done, err := playOut(t, fewer); err != nil {
				steps, why = fewer[:done], err
			} else {
				i += size
			}
		}
	}
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "  %s %d %d %d\n", moves[s.what].name, s.x, s.y, s.z)
	}
	return b.String(), why
}

// playOut plays the steps on a fresh site and returns how many were done when
// something was not as the model says.
func playOut(t *testing.T, steps []step) (done int, err error) {
	tr := &trial{newSite(t, "IPXE_CP_REGISTER_BURST", "0"), map[string]*nodetest.Node{}, newFleet(someNodes)}
	for _, id := range someNodes {
		tr.nodes[id] = nodetest.Start(t)
	}
	tr.agents(tr.nodes)
	tr.start()
	defer func() { tr.stop() }()
	for i, s := range steps {
		m := moves[s.what]
		if err := m.make(tr, s); err != nil {
			return i + 1, fmt.Errorf("%s: %w", m.name, err)
		}
		if err := tr.compare(); err != nil {
			return i + 1, fmt.Errorf("after %s: %w", m.name, err)
		}
	}
	return len(steps), nil
}

func choose(from []string, n int) string { return from[n%len(from)] }

func (s step) mac() string  { return fmt.Sprintf("52:54:00:00:00:%02x", s.y%8) }
func (s step) os() string   { return choose(someOS, s.y) }
func (s step) node() string { return choose(someNodes, s.z) }

// id is mostly one that stands.
func (tr *trial) id(n int) string {
	if n%16 == 0 || len(tr.want.workers) == 0 {
		return "pc-1"
	}
	return choose(slices.Sorted(maps.Keys(tr.want.workers)), n/16)
}

func (tr *trial) expect(status int, method, path, body string) error {
	req, err := http.NewRequest(method, tr.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != status {
		err = fmt.Errorf("%s %s %s: %d %s; the model says %d", method, path, body, resp.StatusCode, b, status)
	}
	return err
}

// get is a GET's answer.
func get[T any](tr *trial, path string) (v T, err error) {
	resp, err := http.Get(tr.url + path)
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return v, fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	return v, json.NewDecoder(resp.Body).Decode(&v)
}

// compare holds all that the site, its files and its nodes tell against the model.
func (tr *trial) compare() error {
	got, err := tr.rows()
	if err != nil {
		return err
	}
	if want := tr.want.rows(); got != want {
		return fmt.Errorf("the site says\n%sand the model\n%s", got, want)
	}
	server := map[string]string{}
	for id := range tr.want.agents {
		server[id] = "192.168.80.3"
	}
	for mac, host := range tr.want.bound {
		m := tr.want.named(host)
		if m == nil {
			continue // to ask is to register it
		}
		v, err := get[api.BootVars](tr, "/boot-vars?format=json&mac="+mac)
		if err != nil {
			return err
		}
		got := fmt.Sprintf("%s %s %s %s %s %s", v.Hostname, v.MenuDefault, number(v.MenuTimeout), v.BaseIQN, v.ISCSIServer, v.ISCSISep)
		if want := m.script(server); got != want {
			return fmt.Errorf("boot of %s: %s; the model says %s", mac, got, want)
		}
	}
	return nil
}

// rows is fleet.rows of what is really there.
func (tr *trial) rows() (string, error) {
	workers, err := get[[]api.Worker](tr, "/workers")
	if err != nil {
		return "", err
	}
	agents, err := get[[]api.Agent](tr, "/agents?live=false")
	if err != nil {
		return "", err
	}
	auto, err := get[api.AutoRegister](tr, "/settings/auto-register")
	if err != nil {
		return "", err
	}
	f := newFleet(nil)
	f.auto = auto.Enabled
	for _, w := range workers {
		m := &machine{id: w.WorkerID, host: w.Hostname, os: w.DefaultOS}
		if w.Boot != nil {
			m.menu, m.menuTimeout = w.Boot.MenuDefault, w.Boot.MenuTimeout
		}
		for _, d := range w.Disks {
			if want := w.Hostname + "." + d.OS; d.IQN != "iqn.2026-07.com.controller:"+want || d.Filename != want+".img" || d.Backing != "/images/"+want+".img" {
				return "", fmt.Errorf("disk %+v of %s", d, w.WorkerID)
			}
			m.disks = append(m.disks, disk{d.OS, d.Agent})
		}
		if f.taken(w.WorkerID) || f.taken(w.Hostname) {
			return "", fmt.Errorf("%s or %s is there twice", w.WorkerID, w.Hostname)
		}
		f.workers[w.WorkerID] = m
		if mac := f.macOf(w.Hostname); mac != "" || w.MAC == nil && tr.bindingOf(w.Hostname) != "" || w.MAC != nil && tr.bindingOf(w.Hostname) != *w.MAC {
			return "", fmt.Errorf("%s has the mac %v and the binding %q", w.WorkerID, w.MAC, tr.bindingOf(w.Hostname))
		}
		if want := map[bool]string{true: "ready", false: "registered"}[len(w.Disks) > 0]; w.State != want {
			return "", fmt.Errorf("%s is %s with %d disks", w.WorkerID, w.State, len(w.Disks))
		}
	}
	f.bound = tr.lines()
	for _, a := range agents {
		f.agents[a.ID] = a.Enabled
	}
	for id, n := range tr.nodes {
		f.nodes[id] = &shelf{map[string]bool{}, map[string]bool{}}
		for _, file := range n.Files() {
			if name, isDisk := strings.CutSuffix(file, ".img"); isDisk && file != "master_tpl_1.img" {
				f.nodes[id].files[name] = true
			}
		}
		for _, iqn := range n.Targets() {
			f.nodes[id].targets[strings.TrimPrefix(iqn, "iqn.2026-07.com.controller:")] = true
		}
	}
	var settings struct{ Retired []string }
	if b, err := os.ReadFile(filepath.Join(tr.home, "state/settings.json")); err == nil { // absent until something is set
		if err := json.Unmarshal(b, &settings); err != nil {
			return "", err
		}
	}
	for _, host := range settings.Retired {
		f.retired[host] = true
	}
	return f.rows(), nil
}

// lines are the bindings of the file, comments left out.
func (tr *trial) lines() map[string]string {
	out := map[string]string{}
	b, _ := os.ReadFile(filepath.Join(tr.home, "dnsmasq/dhcp-hosts.conf")) // absent until somebody is bound
	for line := range strings.Lines(string(b)) {
		if mac, host, ok := strings.Cut(strings.TrimSpace(line), ","); ok && !strings.HasPrefix(line, "#") {
			out[mac] = host
		}
	}
	return out
}

func (tr *trial) bindingOf(host string) string {
	for mac, h := range tr.lines() {
		if h == host {
			return mac
		}
	}
	return ""
}

// seen waits until the site has read a hand edit.
func (tr *trial) seen() error {
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := tr.compare()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		<-time.After(50 * time.Millisecond)
	}
}
