package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/target/fake"
)

// wantHeld holds n to what an agent does in whose folder another one works.
func (n *node) wantHeld(t *testing.T, pid int) {
	t.Helper()
	stamp, err := os.ReadFile(filepath.Join(n.dir, ".ipxe-agent.lock"))
	must(t, err)
	host, err := os.Hostname()
	must(t, err)
	if want := fmt.Sprintf(`^%d on %s since \d{4}-\d\d-\d\dT[0-9:.]{12}Z\n$`, pid, regexp.QuoteMeta(host)); !regexp.MustCompile(want).Match(stamp) {
		t.Errorf("the lock says %q, want %s", stamp, want)
	}
	sentence := "another storage agent, process " + strings.TrimSpace(string(stamp)) + ", holds " + n.dir + "/.ipxe-agent.lock; two must not write the same images"
	n.want(t, "GET", "/readyz", "", 503, `{"status":"not_ready","reasons":["`+sentence+`"]}`)
	for _, c := range [][3]string{
		{"GET", "/capabilities"}, {"GET", "/masters"}, {"POST", "/lun/scan"},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:b","size":"1M"}`},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:b","master":"u_tpl_1.img"}`},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:a","existing":true}`},
		{"DELETE", "/lun?delete_file=true&iqn=" + base + ":a"},
		{"DELETE", "/lun?force=true&iqn=" + base + ":a"},
	} {
		n.wantDetail(t, c[0], c[1], c[2], 503, "unavailable", sentence)
	}
}

func TestASecondAgentWaitsWithoutATouchAndHasTheFolderOnceTheFirstIsKilled(t *testing.T) {
	root, o := withMaster(t)
	(&node{dir: o.DiskDir}).put(t, "a.img")
	pid, kill := cloneInAnother(t, root)
	before := filesOf(t, o.DiskDir)
	if !strings.HasPrefix(before, ".ipxe-tmp-") {
		t.Fatalf("the folder holds %q, and no half clone", before)
	}
	n := start(t, o, fake.New())
	n.wantHeld(t, pid)
	n.want(t, "GET", "/lun", "", 200, `[]`)
	if got := filesOf(t, o.DiskDir); got != before {
		t.Errorf("the folder holds %q, and held %q", got, before)
	}

	kill()
	until(t, "the folder is exported", func() bool { return len(get[[]any](t, n, "/lun")) == 1 })
	n.want(t, "GET", "/readyz", "", 200, `{"status":"ready"}`)
	if got := filesOf(t, o.DiskDir); got != "a.img u_tpl_1.img" {
		t.Errorf("the folder holds %q", got)
	}
}

func TestAFolderOfAnAgentThatKnewNoLockIsTakenAsItIs(t *testing.T) {
	o := options(t)
	n := &node{dir: o.DiskDir}
	n.put(t, "a.img")
	must(t, os.WriteFile(filepath.Join(o.DiskDir, ".ipxe-agent.id"), []byte("MARK\n"), 0o600))
	must(t, os.WriteFile(o.Folders, []byte(`{"schema":1,"folders":{"`+o.DiskDir+`":"MARK"}}`), 0o600))
	n = start(t, o, fake.New())
	until(t, "the folder is exported", func() bool { return len(get[[]any](t, n, "/lun")) == 1 })
	n.want(t, "GET", "/readyz", "", 200, `{"status":"ready"}`)
	if _, err := os.Stat(filepath.Join(n.dir, ".ipxe-agent.lock")); err != nil {
		t.Error(err)
	}
}

func TestAnAgentWhoseLockIsRemovedWhileItRunsGoesOnWithAnother(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	lock := filepath.Join(n.dir, ".ipxe-agent.lock")
	until(t, "the folder is locked", func() bool { _, err := os.Stat(lock); return err == nil })
	must(t, os.Remove(lock))
	n.want(t, "POST", "/lun/disk", `{"iqn":"`+base+`:b","size":"1M"}`, 201, fmt.Sprintf(`{"iqn":"%s:b","backing":"%s/b.img"}`, base, n.dir))
	n.want(t, "GET", "/readyz", "", 200, `{"status":"ready"}`)
	if _, err := os.Stat(lock); err != nil {
		t.Error(err)
	}
}

func TestALockThatCannotBeMadeIsNotedAndMachinesAreServed(t *testing.T) {
	o := options(t)
	must(t, os.Mkdir(filepath.Join(o.DiskDir, ".ipxe-agent.lock"), 0o700))
	(&node{dir: o.DiskDir}).put(t, "a.img")
	n := start(t, o, fake.New())
	until(t, "a.img is exported", func() bool { return len(get[[]any](t, n, "/lun")) == 1 })
	n.wantNotes(t, `no other agent is kept off image folder `+regexp.QuoteMeta(n.dir)+`: \.ipxe-agent\.lock is a folder, not a regular file`)
}

func TestACheckTellsWhoWorksInTheFolderAndStopsNobody(t *testing.T) {
	root, env := checkSite(t)
	put(t, filepath.Join(root, "target", "core", "x"), "")
	o, err := FromEnv(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	must(t, err)
	a, err := assemble(o, quiet(), fake.New(), metrics.New())
	must(t, err)
	run(t, a)
	(&node{dir: o.DiskDir}).put(t, "pc.img")
	if _, err := a.store.Images(); err != nil {
		t.Fatal(err)
	}
	stamp, err := os.ReadFile(filepath.Join(o.DiskDir, ".ipxe-agent.lock"))
	must(t, err)
	who := strings.TrimSpace(string(stamp))

	text, good := checked(t, root, env) // with a port of its own
	want := "warning  ROOT/images/.ipxe-agent.lock\n         another storage agent, process " + who + ", works in the image folder, and nobody listens on 127.0.0.1:0\n" +
		"         → stop it, or give each a folder of its own: this one would wait for its end\nipxe-agent: 0 faults, 1 warning\n"
	if text != want || !good {
		t.Errorf("got %v\n%s\nwant\n%s", good, text, want)
	}
	env["IPXE_AGENT_LISTEN"] = a.Addr().String()
	text, good = checked(t, root, env)
	want = "\nnote     ROOT/images/.ipxe-agent.lock\n         a storage agent, process " + who + ", works in the image folder\nipxe-agent: 0 faults, 1 warning\n"
	if !strings.HasSuffix(text, want) || !good {
		t.Errorf("got %v\n%s\nwant at its end\n%s", good, text, want)
	}
	if err := errors.Join(a.store.Writable(), a.store.Unlocked()); err != nil {
		t.Errorf("the agent says %v", err)
	}
}
