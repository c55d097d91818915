//go:build integration

package agent

import (
	"os"
	"path/filepath"
	"testing"

	"ipxe-all-ready/internal/agent/target/targettest"
	"ipxe-all-ready/internal/api"
)

func TestAFileReplacedUnderATgtdThatOutlivesTheAgentIsTold(t *testing.T) {
	o := managed(t)
	n, stop := begin(t, o)
	n.put(t, "rep.img")
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:rep","existing":true}`); status != 201 {
		t.Fatal(status, text)
	}
	session, err := targettest.Login(o.Portal, base+":rep", base+":pc")
	must(t, err)
	stop()
	mv(t, n, "rep.img", 2<<20)
	n, _ = begin(t, o)
	const sentence = "rep.img was replaced under its target " + base + ":rep, which still serves the file that was there before; " +
		"a scan serves the new one once nobody is logged in"
	failed := `{"created":[],"skipped":[],"failed":[{"name":"rep.img","error":"` + sentence + `"}]}`
	n.want(t, "POST", "/lun/scan", ``, 200, failed)
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:rep","existing":true}`, 409, "conflict", sentence)
	if got := shownSize(t, n); got != 1<<20 {
		t.Errorf("GET /lun shows %d bytes", got)
	}
	if got := capacity(t, o, "rep"); got != "1048576" {
		t.Errorf("tgtd serves %s bytes", got)
	}
	must(t, session.Ping())

	session.Close()
	until(t, "tgtd has seen the end of the session", func() bool { return len(get[[]api.Target](t, n, "/lun")[0].Sessions) == 0 })
	n.want(t, "POST", "/lun/scan", ``, 200, `{"created":[{"iqn":"`+base+`:rep","cd":false}],"skipped":[]}`)
	if got := capacity(t, o, "rep"); got != "2097152" || shownSize(t, n) != 2<<20 {
		t.Errorf("tgtd serves %s bytes, GET /lun shows %d", got, shownSize(t, n))
	}
}

func mv(t *testing.T, n *node, name string, size int64) {
	t.Helper()
	fresh := filepath.Join(n.dir, ".new")
	must(t, os.WriteFile(fresh, nil, 0o600))
	must(t, os.Truncate(fresh, size))
	must(t, os.Rename(fresh, filepath.Join(n.dir, name)))
}

// shownSize is that of the only target's image.
func shownSize(t *testing.T, n *node) int64 {
	t.Helper()
	targets := get[[]api.Target](t, n, "/lun")
	if len(targets) != 1 {
		t.Fatalf("targets %+v", targets)
	}
	return targets[0].LUNs[1].Size
}
