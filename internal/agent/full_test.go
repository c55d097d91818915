package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
)

// wantNotes holds a ready node to what it notes; patterns are whole notes.
func (n *node) wantNotes(t *testing.T, patterns ...string) {
	t.Helper()
	var quoted []string
	for _, p := range patterns {
		quoted = append(quoted, `"`+p+`"`)
	}
	want := `^{"status":"ready","notes":\[` + strings.Join(quoted, ",") + `\]}$`
	if status, text := n.call(t, "GET", "/readyz", ""); status != 200 || !regexp.MustCompile(want).MatchString(text) {
		t.Errorf("readyz %d %s\nwant %s", status, text, want)
	}
}

func TestALogThatCannotBeOpenedIsNotedAndMachinesAreServed(t *testing.T) {
	o := options(t)
	beside := filepath.Join(filepath.Dir(o.LogFile), "log")
	must(t, os.WriteFile(beside, nil, 0o600)) // a file where a folder is wanted
	o.LogFile, o.Folders, o.Served = beside+"/x.jsonl", beside+"/x.folders.json", ""
	must(t, os.WriteFile(filepath.Join(o.DiskDir, ".ipxe-agent.id"), []byte("MARK\n"), 0o600))
	(&node{dir: o.DiskDir}).put(t, "a.img")
	n := start(t, o, fake.New())
	until(t, "a.img is exported", func() bool { return len(get[[]any](t, n, "/lun")) == 1 })
	n.wantDetail(t, "GET", "/logs", "", 503, "unavailable", "log "+o.LogFile+" cannot be created")
	if status, text := n.call(t, "GET", "/readyz", ""); status != 503 || !strings.Contains(text, `"notes":["log `+o.LogFile+` cannot be created"]`) {
		t.Errorf("readyz %d %s", status, text) // 503: a new disk could not be made without the record
	}

	must(t, os.Remove(beside))
	for range 2 { // the first one's entry makes the folder, in which the second keeps its record
		n.call(t, "POST", "/lun/scan", "")
	}
	n.want(t, "GET", "/readyz", "", 200, `{"status":"ready"}`)
	if got := len(get[api.Operations](t, n, "/logs").Entries); got != 2 {
		t.Errorf("%d entries", got)
	}
}

func TestLowSpaceIsNotedAndTheNodeIsReady(t *testing.T) {
	o := options(t)
	o.MinFree = store.Reserve{Bytes: 1 << 60}
	n := start(t, o, fake.New())
	n.wantNotes(t, fmt.Sprintf(`[0-9]+ bytes are free and %d are kept in reserve \(IPXE_MIN_FREE\): no new disk is made`, 1<<60))
}

func TestWhatTargetsServeIsNotedWhenItCannotBeKept(t *testing.T) {
	o := options(t)
	o.Served = filepath.Join(o.DiskDir, "gone", "targets.json")
	n := start(t, o, fake.New())
	n.put(t, "a.img")
	n.call(t, "POST", "/lun/scan", "")
	n.wantNotes(t, o.Served+" cannot be written: after a restart of this agent nobody knows which file each target serves")
}
