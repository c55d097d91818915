package controlplane

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

// tells is a node that answers 200 with this body.
func tells(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

func TestANodeThatSpeaksNonsenseIsNotWell(t *testing.T) {
	s, n := siteWithNode(t)
	for body, words := range map[string]string{
		`null`: `its base_iqn is ""`,
		`{"backend":"<b>","base_iqn":"iqn.2026-07.com.c"}`: `its backend is "<b>"`,
		`{"backend":"lio","base_iqn":"../../etc"}`:         `its base_iqn is "../../etc"`,
	} {
		n.Answer("GET /capabilities", tells(body))
		got := decode[[]api.Agent](t, s.want(200, "GET", "/agents", ""))[0]
		if got.Health != "unreachable" || got.Capabilities != nil || got.Error != "agent st1: the answer is not what was agreed: "+words {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

func TestAnAnswerThatSaysNothingIsNoDeletionAndNoScan(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	for _, call := range []string{"DELETE /lun", "POST /lun/scan", "GET /lun", "POST /lun/cd"} {
		n.Answer(call, tells("null"))
	}
	for _, r := range [][3]string{
		{"DELETE", "/workers/pc-01/luns/disk/ubuntu"},
		{"DELETE", "/agents/st1/luns?iqn=" + ubuntuIQN},
		{"POST", "/agents/st1/luns/scan"},
		{"GET", "/agents/st1/luns"},
		{"GET", "/agents/st1/sessions"},
		{"POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`},
	} {
		a := s.want(502, r[0], r[1], r[2])
		if e := decode[api.Error](t, a); e.Code != "agent_protocol" || !strings.Contains(string(a.body), "the answer is not what was agreed: ") {
			t.Errorf("%v: %s", r, a)
		}
	}
	if w := s.worker("pc-01"); len(w.Disks) != 1 || w.CD != nil {
		t.Errorf("%+v", w)
	}
}

func TestNamesThatAreNoMastersAreTheRowsFault(t *testing.T) {
	s, n := siteWithNode(t)
	n.Answer("GET /masters", tells(`{"masters":[{"name":"ok_tpl_1.img","size":1},{"name":"../x_tpl_.img","size":1},{"name":"plain.img","size":1}]}`))
	row := decode[api.MastersByAgent](t, s.want(200, "GET", "/masters", "")).Agents[0]
	if len(row.Masters) != 1 || row.Masters[0].Name != "ok_tpl_1.img" ||
		row.Error != `agent st1 lists what is no master's name: "../x_tpl_.img", "plain.img"` {
		t.Errorf("%+v", row)
	}
	n.Answer("GET /masters", tells(`null`))
	s.want(502, "GET", "/masters", "")
}

func TestWhatANodeCallsItsTargetsIsBoundedInFindings(t *testing.T) {
	s, n := siteWithNode(t)
	n.Answer("GET /lun", tells(fmt.Sprintf(`[{"iqn":"iqn.2020-01.com.x:%s","luns":[]}]`, strings.Repeat("y", 100_000))))
	found := s.findings()
	if f, ok := found["agent_unreachable:st1"]; len(found) != 1 || !ok || len(f.Detail) > 300 {
		t.Errorf("%.500v", found)
	}
}
