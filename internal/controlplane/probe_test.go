package controlplane

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// elsewhere is a server that is no node of ours and counts who asks it.
func elsewhere(t *testing.T, h http.HandlerFunc) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestAProbeUsesTheStoredTokenAtTheNewAddressToo(t *testing.T) {
	moved := nodetest.Start(t) // the same node at another address
	s, n := siteWithNode(t)
	s.noFileChanged("a probe", func() {
		for _, url := range []string{n.URL, moved.URL} {
			p := decode[api.Probe](t, s.want(200, "POST", "/agents/probe", `{"base_url":"`+url+`","agent_id":"ST1"}`))
			if p.BaseURL != url {
				t.Errorf("%+v", p)
			}
		}
	})
	said := refusal{status: 502, code: "agent_unauthorized", detail: api.AgentError{Agent: "st1", Error: "unauthorized"}}
	said.check(t, s.call("POST", "/agents/probe", `{"base_url":"`+n.URL+`","agent_id":"st1","token":"other"}`))
	said.detail = api.AgentError{Agent: n.URL, Error: "unauthorized"}
	said.check(t, s.call("POST", "/agents/probe", `{"base_url":"`+n.URL+`"}`))
	said.detail = api.AgentError{Agent: "st7", Error: "unauthorized"}
	said.check(t, s.call("POST", "/agents/probe", `{"base_url":"`+n.URL+`","agent_id":"st7"}`))

	trail := s.read("state/operations.jsonl")
	for _, url := range []string{n.URL, moved.URL} {
		if !strings.Contains(trail, `"op":"agent.probe","status":"started","agent":"st1","client":"127.0.0.1","base_url":"`+url+`"`) {
			t.Errorf("the probe of %s is not in the trail:\n%s", url, trail)
		}
	}
}

func TestAProbeOfALIONodeProposesNoCDRole(t *testing.T) {
	n := nodetest.Start(t)
	n.Answer("GET /capabilities", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"backend":"lio","fs_type":"xfs","cd":false,"persistent":true,"base_iqn":"iqn.2026-07.com.c","clone":"reflink (FICLONE)","empty_disk":"sparse"}`)
	})
	s := newSite(t).start()
	a := s.want(200, "POST", "/agents/probe", `{"base_url":"`+n.URL+`","token":"node-token"}`)
	want := `{"base_url":"` + n.URL + `","role":{"disk":true,"cd":false},"tags":["storage","lio"],"iscsi_server":"127.0.0.1","enabled":true,` +
		`"backend":"lio","fs_type":"xfs","base_iqn":"iqn.2026-07.com.c","clone":"reflink (FICLONE)","empty_disk":"sparse","persistent":true}`
	if got := string(a.body); got != want {
		t.Errorf("%s", got)
	}
}

func TestAProbeThatFindsNoNodeIsABadGateway(t *testing.T) {
	s, _ := siteWithNode(t)
	target, followed := elsewhere(t, func(http.ResponseWriter, *http.Request) {})
	for _, c := range []struct {
		says         http.HandlerFunc
		code, detail string
	}{
		{func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) },
			"agent_redirect", "answered with a redirect (302 Found), which is not followed"},
		{func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, "agent_protocol", "the answer is not the JSON expected"},
		{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "agent_refused", "answered 404 Not Found"},
		{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "agent_refused", "answered 503 Service Unavailable"},
		{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "agent_unauthorized", "answered 401 Unauthorized"},
	} {
		url, _ := elsewhere(t, c.says)
		refusal{status: 502, code: c.code, detail: api.AgentError{Agent: "st1", Error: c.detail}}.
			check(t, s.call("POST", "/agents/probe", `{"base_url":"`+url+`","agent_id":"st1"}`))
	}
	if followed.Load() != 0 {
		t.Error("a redirect was followed")
	}
	for answer, sentence := range map[string]string{
		`{}`:   `the answer is not what was agreed: its base_iqn is ""`,
		`null`: `the answer is not what was agreed: its base_iqn is ""`,
		`{"base_iqn":"iqn.2026-07.com.c","backend":"x"}`: `the answer is not what was agreed: its backend is "x"`,
	} {
		url, _ := elsewhere(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) })
		refusal{status: 502, code: "agent_protocol", detail: api.AgentError{Agent: url, Error: sentence}}.check(t, s.call("POST", "/agents/probe", `{"base_url":"`+url+`"}`))
	}
	refusal{status: 502, code: "agent_unreachable", detail: api.AgentError{Agent: "http://127.0.0.1:1", Error: "unreachable: connect: connection refused"}}.
		check(t, s.call("POST", "/agents/probe", `{"base_url":"http://127.0.0.1:1"}`))
	for _, o := range s.operations("op=agent.probe&status=failed") {
		if o.Error == "" {
			t.Errorf("%+v", o)
		}
	}
}

func TestAProbeOfWhatIsNoAddressAsksNobody(t *testing.T) {
	s, n := siteWithNode(t)
	trail := s.read("state/operations.jsonl")
	s.refuses([]refusal{
		{"POST", "/agents/probe", `{}`, 400, "invalid", `base_url "" is not http(s)://host[:port][/path]`},
		{"POST", "/agents/probe", `{"base_url":"gopher://nas"}`, 400, "invalid", `base_url "gopher://nas" is not http(s)://host[:port][/path]`},
		{"POST", "/agents/probe", `{"base_url":"http://169.254.169.254/latest"}`, 400, "invalid", `base_url "http://169.254.169.254/latest": 169.254.169.254 is link-local or a metadata service and no storage node`},
		{"POST", "/agents/probe", `{"base_url":"http://[::ffff:169.254.169.254]"}`, 400, "invalid", `base_url "http://[::ffff:169.254.169.254]": [::ffff:169.254.169.254] is link-local or a metadata service and no storage node`},
		{"POST", "/agents/probe", `{"base_url":"http://nas","token":"a\nb"}`, 400, "invalid", `token holds white space or a character that no HTTP header carries`},
		{"POST", "/agents/probe", `{"base_url":"http://nas","agent_id":"a b"}`, 400, "invalid", `agent id "a b" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		{"GET", "/agents/probe", ``, 405, "method_not_allowed", `GET is not allowed on /agents/probe`},
	}, n)
	if s.read("state/operations.jsonl") != trail {
		t.Error("a malformed probe is in the trail")
	}
}

func TestAProbeThatHangsEndsWithTheAgentTimeout(t *testing.T) {
	n := nodetest.Start(t)
	n.Answer("GET /capabilities", nodetest.Hang)
	s := newSite(t, "IPXE_CP_AGENT_TIMEOUT", "200ms").start()
	refusal{status: 502, code: "agent_unreachable", detail: api.AgentError{Agent: n.URL, Error: "no answer within 200ms"}}.
		check(t, s.call("POST", "/agents/probe", `{"base_url":"`+n.URL+`","token":"node-token"}`))
}
