package controlplane

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// says is a node that answers a status and its own words.
func says(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"detail":"its own words"}`)
	}
}

func TestANodesStatusIsPassedOn(t *testing.T) {
	s, n := siteWithNode(t)
	words := api.AgentError{Agent: "st1", Error: "its own words"}
	for _, c := range []struct {
		told, status int
		code         string
	}{
		{400, 400, "invalid"}, {401, 502, "agent_unauthorized"}, {403, 502, "agent_unauthorized"}, {404, 404, "not_found"},
		{409, 409, "conflict"}, {418, 418, "upstream"}, {422, 422, "invalid"}, {429, 429, "upstream"},
		{500, 500, "internal"}, {502, 502, "upstream"}, {503, 503, "unavailable"}, {504, 504, "upstream"}, {507, 507, "no_space"},
	} {
		for call, r := range map[string]refusal{
			"GET /lun":       {method: "GET", path: "/agents/st1/luns"},
			"POST /lun/scan": {method: "POST", path: "/agents/st1/luns/scan"},
			"POST /lun/disk": {method: "POST", path: "/workers/pc-01/luns/disk", body: `{"os":"ubuntu","type":"empty","size":"1G"}`},
			"POST /lun/cd":   {method: "POST", path: "/workers/pc-01/luns/cd", body: `{"iso":"win.iso"}`},
		} {
			n.Answer(call, says(c.told))
			r.status, r.code, r.detail = c.status, c.code, words
			r.check(t, s.call(r.method, r.path, r.body))
		}
	}
}

func TestWhatAProbedAddressRefusesIsAlwaysA502(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t).start()
	for _, told := range []int{404, 418, 422, 500} {
		n.Answer("GET /capabilities", says(told))
		a := s.want(502, "POST", "/agents/probe", `{"base_url":"`+n.URL+`","token":"`+n.Token+`"}`)
		if !strings.Contains(string(a.body), `"its own words"`) || decode[api.Error](t, a).Code != "agent_refused" {
			t.Errorf("%s", a)
		}
	}
}
