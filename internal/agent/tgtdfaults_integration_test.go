//go:build integration

package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/target/stgt"
	"ipxe-all-ready/internal/agent/target/stgt/stgttest"
	"ipxe-all-ready/internal/agent/target/targettest"
	"ipxe-all-ready/internal/api"
)

// tgtadmFaults are what can become of one call of tgtadm, as lines of a shell;
// TGTD is the process, and at their end the call itself is made.
var tgtadmFaults = map[string]string{
	"tgtd dies before it":          `give 9 Z`,
	"tgtd dies behind it":          `tgtadm "$@"; status=$?; give 9 Z; exit $status`,
	"tgtd is stopped":              `give STOP T`,
	"it hangs":                     `exec sleep 100`,
	"it is done and hangs":         `tgtadm "$@"; exec sleep 100`,
	"it is slow":                   `sleep 0.3`,
	"it is refused":                `echo "tgtadm: out of memory" >&2; exit 22`,
	"it is done and called failed": `tgtadm "$@" >/dev/null 2>&1; echo "tgtadm: unknown error" >&2; exit 1`,
	"all are refused from there":   `echo 0 >$DIR/all; echo "tgtadm: invalid request" >&2; exit 22`,
	"there is no target":           `echo "tgtadm: can't find the target" >&2; exit 22`,
	"the target exists":            `echo "tgtadm: this target already exists" >&2; exit 22`,
	"the rule exists":              `echo "tgtadm: this access control rule already exists" >&2; exit 22`,
	"the target is active":         `echo "tgtadm: this target is still active" >&2; exit 22`,
	"nobody is connected":          `exit 107`,
	"it fails without a word":      `exit 1`,
	"it crashes":                   `kill -SEGV $$`,
	"it prints bytes":              `head -c 3000 /dev/urandom; exit 0`,
	"it prints its help":           `tgtadm --help; exit 0`,
	"it says nothing":              `exit 0`,
	"it prints half":               `tgtadm "$@" >$DIR/out; head -c $(($(stat -c %s $DIR/out) / 2)) $DIR/out; exit 0`,
	"it prints half of the lines":  `tgtadm "$@" >$DIR/out; head -n $(($(wc -l <$DIR/out) / 2)) $DIR/out; exit 0`,
}

// The looks of the watch are not counted: they come at any time.
const faultyTgtadm = `#!/bin/sh
DIR=%s
case "$*" in *"--mode portal"*) exec tgtadm "$@" ;; esac
[ -e $DIR/fault ] || exec tgtadm "$@"
[ ! -e $DIR/all ] || { echo "tgtadm: invalid request" >&2; exit 22; }
n=$(flock $DIR/count sh -c 'n=$(($(cat '$DIR'/count) + 1)); echo $n >'$DIR'/count; echo $n')
[ $n -eq $(cat $DIR/at) ] || exec tgtadm "$@"
: >$DIR/reached
TGTD=$(cat $DIR/tgtd)
# A signal has done its work when the process is in that state, not when it is sent.
give() { kill -$1 $TGTD; until grep -q "^State:.$2" /proc/$TGTD/status; do sleep 0.01; done; }
. $DIR/fault
exec tgtadm "$@"
`

// suffering is an agent whose tgtadm fails when it is told to. bystander.img is
// served to a machine, the rest comes and goes.
type suffering struct {
	*node
	t     *testing.T
	d     *stgttest.Tgtd
	tools string
}

const (
	wrongMaster = "golden_tpl_1.img"
	diskSize    = 1 << 20
)

func suffer(t *testing.T) *suffering {
	t.Helper()
	s := &suffering{t: t, d: stgttest.Start(t), tools: t.TempDir()}
	tgtadm := filepath.Join(s.tools, "tgtadm")
	must(t, os.WriteFile(tgtadm, fmt.Appendf(nil, faultyTgtadm, s.tools), 0o700))
	b := stgt.New(stgt.Options{Tgtadm: tgtadm, ControlPort: s.d.ControlPort, Portal: s.d.Portal, Timeout: 2 * time.Second, Parallel: 1})
	o := options(t)
	s.node = &node{dir: o.DiskDir}
	s.put(t, "bystander.img", wrongMaster, "win.iso")
	a, err := assemble(o, quiet(), b, metrics.New())
	must(t, err)
	s.url = run(t, a)
	s.settle("at the start")
	return s
}

// arm makes the k-th call from now, 1 being the first, suffer.
func (s *suffering) arm(k int, fault string) {
	for name, text := range map[string]string{"at": strconv.Itoa(k), "count": "0", "tgtd": strconv.Itoa(s.d.Pid()), "fault.new": fault} {
		must(s.t, os.WriteFile(filepath.Join(s.tools, name), []byte(text+"\n"), 0o600))
	}
	must(s.t, os.Rename(filepath.Join(s.tools, "fault.new"), filepath.Join(s.tools, "fault")))
}

// heal brings tgtd back and reports whether the fault came to pass.
func (s *suffering) heal() (reached bool) {
	must(s.t, os.Remove(filepath.Join(s.tools, "fault")))
	_ = os.Remove(filepath.Join(s.tools, "all"))
	reached = os.Remove(filepath.Join(s.tools, "reached")) == nil
	_ = syscall.Kill(s.d.Pid(), syscall.SIGCONT)
	if s.dead() {
		s.d.Kill() // and wait for it
		s.d.Run(s.t)
	}
	return reached
}

// dead reports whether tgtd was killed; it is not waited for yet.
func (s *suffering) dead() bool { return s.state() == 'Z' }

func (s *suffering) stopped() bool { return s.state() == 'T' }

func (s *suffering) state() byte {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.d.Pid()))
	must(s.t, err)
	return stat[strings.LastIndexByte(string(stat), ')')+2]
}

// use logs a machine in.
func (s *suffering) use(iqn string) *targettest.Initiator {
	s.t.Helper()
	i, err := targettest.Login(s.d.Portal, iqn, base+":guest")
	must(s.t, err)
	return i
}

// shown is what the real tgtd serves: target names with file and rules.
func (s *suffering) shown() map[string]string {
	b := s.d.Backend()
	targets, err := b.List(s.t.Context())
	must(s.t, err)
	out := map[string]string{}
	for _, t := range targets {
		l, _ := t.Image()
		out[t.Name] = fmt.Sprint(filepath.Base(l.Backing), " ", t.ACL)
	}
	return out
}

// settle waits until tgtd serves the folder, the whole of it and nothing else.
func (s *suffering) settle(when string) {
	s.t.Helper()
	var want, got map[string]string
	defer func() {
		if s.t.Failed() {
			s.t.Logf("%s: folder %v\nserved %v", when, want, got)
		}
	}()
	until(s.t, when+": tgtd serves the folder", func() bool {
		want = map[string]string{}
		for _, file := range images(s.t, s.dir) {
			if file != wrongMaster {
				want[base+":"+strings.TrimSuffix(file, ".img")] = file + " [ALL]"
			}
		}
		got = s.shown()
		return fmt.Sprint(want) == fmt.Sprint(got)
	})
}

// whole holds that all files are, and that no other was left.
func (s *suffering) whole(when string) {
	s.t.Helper()
	entries, err := os.ReadDir(s.dir)
	must(s.t, err)
	for _, e := range entries {
		i, err := e.Info()
		must(s.t, err)
		if !strings.HasPrefix(e.Name(), ".ipxe-agent.") && (i.Size() != diskSize || strings.HasPrefix(e.Name(), ".")) {
			s.t.Errorf("%s: %s of %d bytes is in the folder", when, e.Name(), i.Size())
		}
	}
	if s.dead() || s.stopped() {
		return
	}
	for name, serves := range s.shown() {
		if strings.HasPrefix(serves, wrongMaster) {
			s.t.Errorf("%s: %s serves the master", when, name)
		}
	}
}

// wrong is one request that needs tgtd.
type wrong struct {
	before, method, path, body string
	file                       string // that is there when it was done
	gone                       string // that is not
}

const newDisk = base + ":fresh"

var wrongs = map[string]wrong{
	"a blank disk":      {"", "POST", "/lun/disk", `{"iqn":"` + newDisk + `","size":"1M"}`, "fresh.img", ""},
	"a clone":           {"", "POST", "/lun/disk", `{"iqn":"` + newDisk + `","master":"` + wrongMaster + `"}`, "fresh.img", ""},
	"a CD":              {"", "POST", "/lun/cd", `{"iso":"win.iso"}`, "win.iso", ""},
	"a deletion":        {"fresh.img", "DELETE", "/lun?iqn=" + newDisk + "&delete_file=true", "", "", "fresh.img"},
	"a forced deletion": {"fresh.img", "DELETE", "/lun?iqn=" + newDisk + "&delete_file=true&force=true", "", "", "fresh.img"},
	"a CD's detachment": {"", "DELETE", "/lun?iqn=" + base + ":win.iso", "", "", ""},
	"a scan":            {"+fresh.img", "POST", "/lun/scan", "", "fresh.img", ""},
	"the list":          {"", "GET", "/lun", "", "", ""},
}

func TestWhateverBecomesOfTgtadmTheFolderIsServedAgain(t *testing.T) {
	stride := 4 // each fault at some calls, and each call with some faults
	if os.Getenv("IPXE_TORTURE_ROUNDS") != "" {
		stride = 1
	}
	for i, fault := range slices.Sorted(maps.Keys(tgtadmFaults)) {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			s := suffer(t)
			for j, name := range slices.Sorted(maps.Keys(wrongs)) {
				for k := 1 + (i+j)%stride; s.try(fmt.Sprintf("%s at call %d of %s", fault, k, name), wrongs[name], k, tgtadmFaults[fault]); k += stride {
				}
			}
		})
	}
}

// try makes one request with a fault at call k, and reports whether it got so far.
func (s *suffering) try(when string, w wrong, k int, lines string) (reached bool) {
	s.t.Helper()
	if file, later := strings.CutPrefix(w.before, "+"); w.before != "" {
		s.put(s.t, file)
		if !later {
			s.call(s.t, "POST", "/lun/scan", "")
		}
	}
	guest := s.use(base + ":bystander")
	defer guest.Close()
	if strings.Contains(w.path, "force") {
		defer s.use(newDisk).Close()
	}
	s.arm(k, lines)
	start := time.Now()
	status, text := s.call(s.t, w.method, w.path, w.body)
	took := time.Since(start)
	if took > time.Minute { // some calls hang for longer
		s.t.Errorf("%s: took %s", when, took)
	}
	s.said(when, status, text)
	s.whole(when)
	if s.dead() || s.stopped() {
		if status, text := s.call(s.t, "GET", "/readyz", ""); status != 503 || !strings.Contains(text, "tgtd on control port") && !strings.Contains(text, "tgtd is not running") {
			s.t.Errorf("%s: /readyz says %d %s", when, status, text)
		}
	} else if err := guest.Ping(); err != nil {
		s.t.Errorf("%s: the machine on another disk lost it: %v", when, err)
	}
	reached = s.heal()
	if status == 200 && w.path == "/lun?iqn="+base+":win.iso" {
		s.call(s.t, "POST", "/lun/scan", "") // a CD that is detached stays so until then
	}
	s.settle(when)
	s.whole(when)
	s.t.Logf("%s: %d %.160s", when, status, text)
	if status < 300 {
		s.was(when, w)
	}
	s.clean(when)
	return reached
}

// said holds that a failure is told in words of our own kind.
func (s *suffering) said(when string, status int, text string) {
	s.t.Helper()
	if status < 400 {
		return
	}
	var e api.Error
	err := json.Unmarshal([]byte(text), &e)
	if detail, ok := e.Detail.(string); err != nil || !ok || e.Code == "" || len(detail) < 15 || strings.Contains(detail, "internal error") {
		s.t.Errorf("%s: answered %d %q, %v", when, status, text, err)
	}
}

// was holds that what was called done is done.
func (s *suffering) was(when string, w wrong) {
	s.t.Helper()
	have := map[string]bool{}
	for _, file := range images(s.t, s.dir) {
		have[file] = true
	}
	if w.file != "" && !have[w.file] || have[w.gone] {
		s.t.Errorf("%s: was called done, and the folder holds %v", when, have)
	}
}

// clean brings the site back to what it was, by the API alone.
func (s *suffering) clean(when string) {
	s.t.Helper()
	if status, text := s.call(s.t, "DELETE", "/lun?delete_file=true&force=true&iqn="+newDisk, ""); status != 200 && status != 404 {
		s.t.Errorf("%s: deleted afterwards: %d %s", when, status, text)
	}
	s.call(s.t, "POST", "/lun/scan", "")
	s.settle(when + ", cleaned up")
}
