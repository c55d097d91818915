package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
)

// golden is a master and what must stay of it.
type golden struct {
	path string
	was  os.FileInfo
	text []byte
}

func newGolden(t *testing.T, dir string) golden {
	t.Helper()
	g := golden{path: filepath.Join(dir, "u_tpl_1.img"), text: bytes.Repeat([]byte("gold"), 1<<18)}
	must(t, os.WriteFile(g.path, g.text, 0o640))
	var err error
	g.was, err = os.Stat(g.path)
	must(t, err)
	return g
}

func (g golden) untouched(t *testing.T, after string) {
	t.Helper()
	now, err := os.Stat(g.path)
	must(t, err)
	text, err := os.ReadFile(g.path)
	must(t, err)
	if !os.SameFile(g.was, now) || !now.ModTime().Equal(g.was.ModTime()) || now.Mode() != g.was.Mode() || !bytes.Equal(text, g.text) {
		t.Fatalf("after %s the master is %v, %v; it was %v, %v", after, now.Mode(), now.ModTime(), g.was.Mode(), g.was.ModTime())
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoCallServesChangesOrDeletesAMaster(t *testing.T) {
	o := options(t)
	g := newGolden(t, o.DiskDir)
	must(t, os.Link(g.path, filepath.Join(o.DiskDir, "twin.img")))
	b := fake.New()
	// What a person exported by hand may be taken down, and its file stays.
	b.Add(target.Target{Name: base + ":by-hand", LUNs: []target.LUN{{Number: 1, Type: target.TypeDisk, Backing: g.path}}, ACL: []string{"ALL"}})
	n := start(t, o, b)
	const twin = "twin.img is the master u_tpl_1.img under another name"
	const never = "u_tpl_1.img is a master by its name: masters are never exported writable, overwritten or made here"
	for _, c := range []struct {
		method, path, body string
		status             int
		code, detail       string
	}{
		{"POST", "/lun/disk", `{"iqn":"` + base + `:a","existing":true,"filename":"u_tpl_1.img"}`, 400, "invalid", never},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:a","size":"1M","filename":"u_tpl_1.img"}`, 400, "invalid", never},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:a","master":"u_tpl_1.img","filename":"u_tpl_1.img"}`, 400, "invalid", never},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:a","size":"1M","filename":"new_tpl_.img"}`, 400, "invalid",
			"new_tpl_.img is a master by its name: masters are never exported writable, overwritten or made here"},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:twin","existing":true}`, 409, "conflict", twin},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:twin","size":"1M"}`, 409, "conflict", twin},
		{"POST", "/lun/cd", `{"iso":"u_tpl_1.img"}`, 400, "invalid", `iso "u_tpl_1.img" does not end in .iso`},
		{"DELETE", "/lun?delete_file=true&iqn=" + base + ":u-tpl-1", ``, 404, "not_found", "iqn not found: " + base + ":u-tpl-1"},
		{"DELETE", "/lun?delete_file=true&force=true&iqn=" + base + ":by-hand", ``, 409, "conflict", "u_tpl_1.img is a master: masters are never deleted"},
	} {
		n.wantDetail(t, c.method, c.path, c.body, c.status, c.code, c.detail)
		g.untouched(t, c.method+" "+c.path+" "+c.body)
	}
	n.want(t, "POST", "/lun/scan", ``, 200, `{"created":[],"skipped":["u_tpl_1.img"],"failed":[{"name":"twin.img","error":"`+twin+`"}]}`)
	n.want(t, "DELETE", "/lun?iqn="+base+":by-hand", ``, 200, `{"deleted":"`+base+`:by-hand","delete_file":false}`)
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","master":"u_tpl_1.img"}`); status != 201 {
		t.Fatal(status, text)
	}
	// A clone shares no byte with its master, by reflink neither.
	must(t, os.WriteFile(filepath.Join(o.DiskDir, "a.img"), []byte("written by the machine"), 0o600))
	n.want(t, "DELETE", "/lun?delete_file=true&iqn="+base+":a", ``, 200, `{"deleted":"`+base+`:a","delete_file":true}`)
	g.untouched(t, "the life of a clone")
}
