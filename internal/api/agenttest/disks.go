package agenttest

import (
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

func clonesMaster(t *testing.T, n node) {
	made := n.mustMake(t, api.CreateLUN{IQN: n.iqn("pc-1.ubuntu"), Filename: "pc-1.ubuntu.img", Master: Master})
	if !strings.HasSuffix(made.Backing, "/pc-1.ubuntu.img") || made.Clone != "copy" && made.Clone != "reflink" || made.Bytes <= 0 {
		t.Errorf("made %+v", made)
	}
	n.wantServed(t, "pc-1.ubuntu", "pc-1.ubuntu.img", "disk")
	n.wantFile(t, "pc-1.ubuntu.img", true)
	n.wantFile(t, Master, true)
}

func makesBlank(t *testing.T, n node) {
	made := n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Filename: "a.img", Size: "1.5M"})
	if made.Clone != "" || made.Bytes != 0 {
		t.Errorf("made %+v", made)
	}
	n.wantServed(t, "a", "a.img", "disk")
}

func namesFile(t *testing.T, n node) {
	if made := n.mustMake(t, api.CreateLUN{IQN: n.iqn("pc-1.debian"), Size: "1M"}); !strings.HasSuffix(made.Backing, "/pc-1.debian.img") {
		t.Errorf("made %+v", made)
	}
	n.wantFile(t, "pc-1.debian.img", true)
}

func lowersIQN(t *testing.T, n node) {
	made, err := n.CreateDisk(t.Context(), api.CreateLUN{IQN: n.iqn("PC-1.Ubuntu"), Size: "1M"})
	if err != nil || made.IQN != n.iqn("pc-1.ubuntu") {
		t.Fatalf("%+v, %v", made, err)
	}
	n.refuses(t, "POST", "/lun/disk", n.disk("pc-1.UBUNTU", `,"size":"1M"`), 409, "exists")
	if err := n.DeleteLUN(t.Context(), n.iqn("Pc-1.ubuntu"), true, false); err != nil {
		t.Error(err)
	}
	n.wantFile(t, "pc-1.ubuntu.img", false)
}

func servesExisting(t *testing.T, n node) {
	n.Put("kept.img")
	for range 2 {
		n.mustMake(t, api.CreateLUN{IQN: n.iqn("kept"), Filename: "kept.img", Existing: true})
	}
	n.wantServed(t, "kept", "kept.img", "disk")
	if targets, err := n.Targets(t.Context()); err != nil || len(targets) != 1 {
		t.Errorf("%+v, %v", targets, err)
	}
}

func refusesTaken(t *testing.T, n node) {
	n.Put("kept.img")
	n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Size: "1M"})
	for _, body := range []string{
		n.disk("a", `,"size":"1M"`), n.disk("a", `,"master":"`+Master+`"`),
		n.disk("a", `,"filename":"b.img","size":"1M"`),              // the target stands
		n.disk("a", `,"filename":"kept.img","existing":true`),       // with another file
		n.disk("b", `,"filename":"a.img","existing":true`),          // the file is served
		n.disk("b", `,"filename":"kept.img","size":"1M"`),           // the file is there
		n.disk("b", `,"filename":"kept.img","master":"`+Master+`"`), // so it is
	} {
		n.refuses(t, "POST", "/lun/disk", body, 409, "exists")
	}
	n.wantFile(t, "b.img", false)
	n.wantServed(t, "a", "a.img", "disk")
	if n.target(t, "b") != nil {
		t.Error("b is served")
	}
}

func refusesMissing(t *testing.T, n node) {
	n.refuses(t, "POST", "/lun/disk", n.disk("a", `,"master":"gone_tpl_1.img"`), 404, "not_found", "gone_tpl_1.img")
	n.refuses(t, "POST", "/lun/disk", n.disk("a", `,"existing":true`), 404, "not_found", "a.img")
	n.wantFile(t, "a.img", false)
	listsNothing(t, n)
}

func refusesBadDisk(t *testing.T, n node) {
	for _, body := range n.badDisks() {
		n.refuses(t, "POST", "/lun/disk", body, 400, "invalid")
	}
	n.refuses(t, "POST", "/lun/disk", `{"iqn":"`+n.Base+`x:a","size":"1M"}`, 400, "invalid", "iqn base mismatch")
	n.wantFile(t, "a.img", false)
	listsNothing(t, n)
}

func (n node) badDisks() []string {
	bad := []string{
		``, `[]`, `{`, `{"size":"1M"}`, `{"iqn":"nope","size":"1M"}`, `{"iqn":"iqn.2020-01.com.somebody:a","size":"1M"}`, `{"iqn":"` + n.Base + `","size":"1M"}`,
		n.disk("a", ``), n.disk("a", `,"size":"1M","existing":true`), n.disk("a", `,"size":"1M","master":"`+Master+`"`),
		n.disk("a", `,"master":"plain.img"`), n.disk("a", `,"master":"`+ISO+`"`),
		n.disk("a", `,"existing":true,"filename":"`+Master+`"`), n.disk("a", `,"size":"1M","filename":"new_tpl_2.img"`),
	}
	for _, s := range []string{"0", "-1G", "1e3G", "NaN", "65T", "1k"} {
		bad = append(bad, n.disk("a", `,"size":"`+s+`"`))
	}
	for _, s := range []string{"../a.img", "/etc/a.img", "a b.img", "a,b.img", ".a.img", "-a.img", "a.iso", "a", "$(id).img"} {
		bad = append(bad, n.disk("a", `,"size":"1M","filename":"`+s+`"`))
	}
	for _, s := range []string{"a_b", "a,b", "a b", "a/b", ""} {
		bad = append(bad, n.disk(s, `,"size":"1M","filename":"a.img"`))
	}
	return bad
}
