package agenttest

import (
	"encoding/json"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

func deletesDisk(t *testing.T, n node) {
	for _, c := range []struct {
		query string
		gone  bool
	}{{"", false}, {"&delete_file=false", false}, {"&delete_file=true", true}} {
		n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Filename: "a.img", Size: "1M"})
		a := n.call(t, "DELETE", "/lun?iqn="+n.iqn("a")+c.query, "")
		var got api.LUNDeleted
		if err := json.Unmarshal(a.body, &got); err != nil || a.status != 200 || got != (api.LUNDeleted{Deleted: n.iqn("a"), DeleteFile: c.gone}) {
			t.Errorf("%q: %d %s", c.query, a.status, a.body)
		}
		n.wantFile(t, "a.img", !c.gone)
		listsNothing(t, n)
		if !c.gone { // the kept file is attached again, and goes
			n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Filename: "a.img", Existing: true})
			if err := n.DeleteLUN(t.Context(), n.iqn("a"), true, false); err != nil {
				t.Fatal(err)
			}
			n.wantFile(t, "a.img", false)
		}
	}
}

func deletesNothing(t *testing.T, n node) {
	n.Put("a.img")
	for _, query := range []string{"", "&delete_file=true", "&force=true"} {
		n.refuses(t, "DELETE", "/lun?iqn="+n.iqn("a")+query, "", 404, "not_found", "iqn not found")
	}
	n.wantFile(t, "a.img", true)
}

func deletesInUse(t *testing.T, n node) {
	n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Size: "1M"})
	n.Use(n.iqn("a"), n.iqn("pc-1"))
	sessions := n.target(t, "a").Sessions
	if len(sessions) != 1 || sessions[0].Initiator != n.iqn("pc-1") {
		t.Errorf("sessions %+v", sessions)
	}
	for _, query := range []string{"", "&delete_file=true", "&delete_file=true&force=false"} {
		n.refuses(t, "DELETE", "/lun?iqn="+n.iqn("a")+query, "", 409, "target_in_use", "in use by "+n.iqn("pc-1"))
	}
	n.wantServed(t, "a", "a.img", "disk")
	n.wantFile(t, "a.img", true)
	if err := n.DeleteLUN(t.Context(), n.iqn("a"), true, true); err != nil {
		t.Error(err)
	}
	n.wantFile(t, "a.img", false)
	listsNothing(t, n)
}

func refusesDeletion(t *testing.T, n node) {
	n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Size: "1M"})
	n.refuses(t, "DELETE", "/lun", "", 400, "invalid")
	n.refuses(t, "DELETE", "/lun?iqn=nope", "", 400, "invalid")
	n.refuses(t, "DELETE", "/lun?iqn="+n.iqn("a_b"), "", 400, "invalid")
	n.refuses(t, "DELETE", "/lun?iqn=iqn.2020-01.com.somebody:a", "", 400, "invalid", "iqn base mismatch")
	for _, flag := range []string{"delete_file", "force"} {
		n.refuses(t, "DELETE", "/lun?iqn="+n.iqn("a")+"&"+flag+"=perhaps", "", 400, "invalid", flag, "perhaps")
	}
	n.wantServed(t, "a", "a.img", "disk")
	if x := n.target(t, "a"); x.Sessions == nil || len(x.Sessions) != 0 || strings.Contains(x.IQN, "A") {
		t.Errorf("%+v", x)
	}
}
