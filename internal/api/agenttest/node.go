package agenttest

import (
	"encoding/json"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

func wantsToken(t *testing.T, n node) {
	for _, c := range [][2]string{
		{"GET", "/capabilities"}, {"GET", "/lun"}, {"GET", "/masters"}, {"GET", "/tasks/x"}, {"DELETE", "/tasks/x"},
		{"POST", "/lun/disk"}, {"POST", "/lun/cd"}, {"POST", "/lun/scan"}, {"DELETE", "/lun?iqn=" + n.iqn("a")},
	} {
		for _, sent := range []string{"", "Bearer ", "Bearer " + n.Token + "x", "Basic " + n.Token, n.Token} {
			a := n.call(t, c[0], c[1], "", "Authorization", sent)
			var e api.Error
			if err := json.Unmarshal(a.body, &e); err != nil || a.status != 401 || e.Code != "unauthorized" {
				t.Errorf("%s %s with %q: %d %s", c[0], c[1], sent, a.status, a.body)
			}
		}
	}
	if a := n.call(t, "GET", "/healthz", "", "Authorization", ""); a.status != 200 || !strings.Contains(string(a.body), `"status":"ok"`) {
		t.Errorf("healthz: %d %s", a.status, a.body)
	}
}

func errorsAreWhole(t *testing.T, n node) {
	a := n.call(t, "DELETE", "/lun?iqn="+n.iqn("none"), "")
	var e api.Error
	if err := json.Unmarshal(a.body, &e); err != nil || a.status != 404 || e.Code != "not_found" || e.RequestID == "" ||
		a.header.Get(api.HeaderRequestID) != e.RequestID || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
}

func answersHEAD(t *testing.T, n node) {
	for _, path := range []string{"/healthz", "/capabilities", "/lun", "/masters"} {
		if a := n.call(t, "HEAD", path, ""); a.status != 200 || len(a.body) != 0 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

func capabilities(t *testing.T, n node) {
	n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Size: "1M"})
	got, err := n.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clone := got.Clone == "reflink (FICLONE)" || strings.HasPrefix(got.Clone, "full copy (")
	if got.BaseIQN != n.Base || got.FSType == "" || !clone || got.EmptyDisk == "" || got.FreeBytes <= 0 || got.TotalBytes < got.FreeBytes ||
		got.Targets != 1 || got.Backend != "stgt" && got.Backend != "lio" || got.CD != (got.Backend == "stgt") {
		t.Errorf("capabilities %+v", got)
	}
}

func listsNothing(t *testing.T, n node) {
	if a := n.call(t, "GET", "/lun", ""); a.status != 200 || strings.TrimSpace(string(a.body)) != "[]" {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func listsMasters(t *testing.T, n node) {
	n.Put("plain.img")
	got, err := n.Masters(t.Context())
	if err != nil || len(got.Masters) != 1 || got.Masters[0].Name != Master || got.Masters[0].Size <= 0 || got.Masters[0].MTime.IsZero() {
		t.Errorf("masters %+v, %v", got, err)
	}
}

func scans(t *testing.T, n node) {
	n.mustMake(t, api.CreateLUN{IQN: n.iqn("a"), Size: "1M"})
	n.Put("B_2.img")
	first, err := n.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	caps, err := n.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// What scans makes of an ISO depends on the backend.
	created, skipped := " b-2", " a "+Master
	if caps.CD {
		created += " " + ISO + "(cd)"
	} else {
		skipped += " " + ISO
	}
	if c, s := n.rows(first); c != created || s != skipped || len(first.Failed) != 0 {
		t.Errorf("created%s, skipped%s, failed %v", c, s, first.Failed)
	}
	n.wantServed(t, "b-2", "B_2.img", "disk")
	if again, err := n.Scan(t.Context()); err != nil || len(again.Created) != 0 || len(again.Failed) != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	if n.target(t, "master-tpl-1") != nil {
		t.Error("a master is served")
	}
}

// rows are a scan's suffixes and files, each with a space before it.
func (n node) rows(s api.Scan) (created, skipped string) {
	for _, c := range s.Created {
		created += " " + strings.TrimPrefix(c.IQN, n.Base+":")
		if c.CD {
			created += "(cd)"
		}
	}
	for _, x := range s.Skipped {
		skipped += " " + strings.TrimPrefix(x, n.Base+":")
	}
	return created, skipped
}

func keepsChosenIQN(t *testing.T, n node) {
	n.mustMake(t, api.CreateLUN{IQN: n.iqn("chosen"), Filename: "x.img", Size: "1M"})
	if err := n.DeleteLUN(t.Context(), n.iqn("chosen"), false, false); err != nil {
		t.Fatal(err)
	}
	n.refuses(t, "POST", "/lun/disk", n.disk("chosen", `,"size":"1M"`), 409, "exists")
	if _, err := n.Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.wantServed(t, "chosen", "x.img", "disk")
	if n.target(t, "x") != nil {
		t.Error("the disk is served twice")
	}
}
