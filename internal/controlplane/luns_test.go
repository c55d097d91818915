package controlplane

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

const iqnBase = "iqn.2026-07.com.controller:"

func TestTargetsAreMadeListedAndDeletedPastTheLedger(t *testing.T) {
	s, n := siteWithNode(t)
	s.noFileChanged("direct management", func() {
		made := decode[api.LUNCreated](t, s.want(201, "POST", "/agents/st1/luns/disk", `{"iqn":"IQN.2026-07.com.controller:Scratch","filename":"scratch.img","size":"1G"}`))
		if made.IQN != iqnBase+"scratch" || made.Backing != "/images/scratch.img" {
			t.Errorf("%+v", made)
		}
		s.want(201, "POST", "/agents/st1/luns/disk", `{"iqn":"`+iqnBase+`copy","filename":"copy.img","master":"master_tpl_1.img"}`)
		s.want(201, "POST", "/agents/st1/luns/cd", `{"iso":"win.iso"}`)
		s.want(201, "POST", "/agents/ST1/luns/cd", `{"iso":"win.iso","iqn":"`+iqnBase+`second"}`)

		targets := decode[[]api.Target](t, s.want(200, "GET", "/agents/st1/luns", ""))
		var iqns []string
		for _, x := range targets {
			iqns = append(iqns, strings.TrimPrefix(x.IQN, iqnBase))
		}
		if want := []string{"copy", "scratch", "second", "win.iso"}; !slices.Equal(iqns, want) || targets[0].LUNs[0].Backing != nil || *targets[0].LUNs[1].Backing != "/images/copy.img" {
			t.Errorf("%v %+v", iqns, targets[0])
		}
		if d := string(s.want(200, "DELETE", "/agents/st1/luns?iqn="+iqnBase+"scratch&delete_file=true", "").body); d != `{"deleted":"`+iqnBase+`scratch","delete_file":true}` {
			t.Errorf("%s", d)
		}
		if d := string(s.want(200, "DELETE", "/agents/st1/luns?iqn="+iqnBase+"scratch&ignore_missing=true", "").body); d != `{"deleted":"`+iqnBase+`scratch","delete_file":false,"ignored_missing":true}` {
			t.Errorf("%s", d)
		}
	})
	if slices.Contains(n.Files(), "scratch.img") {
		t.Errorf("%v", n.Files())
	}
	got := []string{}
	for _, o := range s.operations("since=0") {
		if strings.HasPrefix(o.Op, "lun.") {
			got = append(got, o.Op+" "+o.Status)
			if o.Agent != "st1" || o.Client != "127.0.0.1" {
				t.Errorf("%+v", o)
			}
		}
	}
	if want := "lun.create_disk started,lun.create_disk succeeded,lun.create_disk started,lun.create_disk succeeded,lun.create_cd started,lun.create_cd succeeded," +
		"lun.create_cd started,lun.create_cd succeeded,lun.delete started,lun.delete succeeded,lun.delete started,lun.delete succeeded"; strings.Join(got, ",") != want {
		t.Errorf("%v", got)
	}
}

func TestAScanSaysWhatItDid(t *testing.T) {
	s, n := siteWithNode(t)
	n.Put("found.img")
	want := `{"created":[{"iqn":"` + iqnBase + `found","cd":false},{"iqn":"` + iqnBase + `win.iso","cd":true}],"skipped":["master_tpl_1.img"]}`
	if got := string(s.want(200, "POST", "/agents/st1/luns/scan", "").body); got != want {
		t.Errorf("%s", got)
	}
	n.Answer("POST /lun/scan", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"created":null,"skipped":[]}`) })
	if got := string(s.want(200, "POST", "/agents/st1/luns/scan", "").body); got != `{"created":[],"skipped":[]}` {
		t.Errorf("%s", got)
	}
	if o := s.operations("op=lun.scan"); len(o) != 4 || o[3].Status != "succeeded" {
		t.Errorf("%+v", o)
	}
}

func TestEveryRefusedDirectChangeHasItsSentenceAndReachesNoNode(t *testing.T) {
	s, n := refusalSite(t)
	const disk, cd = "/agents/st1/luns/disk", "/agents/st1/luns/cd"
	iqn := func(more string) string { return `{"iqn":"` + iqnBase + `x"` + more + `}` }
	s.refuses([]refusal{
		{"GET", "/agents/nope/luns", ``, 404, "not_found", `agent nope not found`},
		{"GET", "/agents/no%20pe/luns", ``, 400, "invalid", `agent id "no pe" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`},
		{"GET", "/agents/gone/luns", ``, 503, "agent_unreachable", api.AgentError{Agent: "gone", Error: "unreachable: connect: connection refused"}},
		{"POST", "/agents/nope/luns/disk", iqn(`,"size":"1G"`), 404, "not_found", `agent nope not found`},
		{"POST", "/agents/cdonly/luns/disk", iqn(`,"size":"1G"`), 400, "invalid", `agent cdonly is not configured for disk role`},
		{"POST", "/agents/gone/luns/cd", `{"iso":"win.iso"}`, 400, "invalid", `agent gone is not configured for cd role`},
		{"POST", "/agents/gone/luns/disk", iqn(`,"size":"1G"`), 503, "agent_unreachable", api.AgentError{Agent: "gone", Error: "unreachable: connect: connection refused"}},
		{"POST", disk, `{"size":"1G"}`, 400, "invalid", `iqn "" does not start with iqn.YYYY-MM.<reversed domain>`},
		{"POST", disk, `{"iqn":"` + iqnBase + `a_b","size":"1G"}`, 400, "invalid", `iqn "` + iqnBase + `a_b" holds a character other than a-z, 0-9, '.', ':' and '-'`},
		{"POST", disk, `{"iqn":"` + iqnBase + `a\nb","size":"1G"}`, 400, "invalid", `iqn "` + iqnBase + `a\nb" holds a character other than a-z, 0-9, '.', ':' and '-'`},
		{"POST", disk, iqn(``), 400, "invalid", `exactly one of master and size is wanted; master is "" and size ""`},
		{"POST", disk, iqn(`,"size":"1G","master":"master_tpl_1.img"`), 400, "invalid", `exactly one of master and size is wanted; master is "master_tpl_1.img" and size "1G"`},
		{"POST", disk, iqn(`,"size":"0"`), 400, "invalid", `size "0" is less than 1M`},
		{"POST", disk, iqn(`,"size":"1e3G"`), 400, "invalid", `size "1e3G" is not a number with an optional K, M, G or T`},
		{"POST", disk, iqn(`,"size":"1G","filename":"../x.img"`), 400, "invalid", `disk file "../x.img" starts with '.' or '-'`},
		{"POST", disk, iqn(`,"size":"1G","filename":"x.iso"`), 400, "invalid", `disk file "x.iso" does not end in .img`},
		{"POST", disk, iqn(`,"size":"1G","filename":"a b.img"`), 400, "invalid", `disk file "a b.img" is not one file name of A-Z, a-z, 0-9, '.', '_' and '-'`},
		{"POST", disk, iqn(`,"master":"plain.img"`), 400, "invalid", `master "plain.img" does not carry _tpl_ in its name`},
		{"POST", cd, `{}`, 400, "invalid", `iso "" is empty`},
		{"POST", cd, `{"iso":"x.img"}`, 400, "invalid", `iso "x.img" does not end in .iso`},
		{"POST", cd, `{"iso":"x;y.iso"}`, 400, "invalid", `iso "x;y.iso" is not one file name of A-Z, a-z, 0-9, '.', '_' and '-'`},
		{"POST", cd, `{"iso":"win.iso","iqn":"x"}`, 400, "invalid", `iqn "x" does not start with iqn.YYYY-MM.<reversed domain>`},
		{"DELETE", "/agents/st1/luns", ``, 400, "invalid", `iqn "" does not start with iqn.YYYY-MM.<reversed domain>`},
		{"DELETE", "/agents/st1/luns?iqn=../x", ``, 400, "invalid", `iqn "../x" does not start with iqn.YYYY-MM.<reversed domain>`},
		{"DELETE", "/agents/st1/luns?force=2&iqn=" + ubuntuIQN, ``, 400, "invalid", `force="2" is neither true nor false`},
		{"DELETE", "/agents/st1/luns?ignore_missing=2&iqn=" + ubuntuIQN, ``, 400, "invalid", `ignore_missing="2" is neither true nor false`},
		{"DELETE", "/agents/st1/luns?delete_file=2&iqn=" + ubuntuIQN, ``, 400, "invalid", `delete_file="2" is neither true nor false`},
		{"DELETE", "/agents/nope/luns?iqn=" + ubuntuIQN, ``, 404, "not_found", `agent nope not found`},
		{"POST", "/agents/nope/luns/scan", ``, 404, "not_found", `agent nope not found`},
		{"GET", "/agents/nope/sessions", ``, 404, "not_found", `agent nope not found`},
		{"GET", "/agents/gone/sessions", ``, 503, "agent_unreachable", api.AgentError{Agent: "gone", Error: "unreachable: connect: connection refused"}},
	}, n)
}

func TestADirectRefusalOfTheNodeComesInItsWords(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	n.Use(ubuntuIQN, iqnBase+"pc-01")
	at := func(words string) api.AgentError { return api.AgentError{Agent: "st1", Error: words} }
	for _, c := range []refusal{
		{"POST", "/agents/st1/luns/disk", `{"iqn":"` + ubuntuIQN + `","filename":"pc-01.ubuntu.img","size":"1G"}`, 409, "exists", at("file pc-01.ubuntu.img exists")},
		{"POST", "/agents/st1/luns/disk", `{"iqn":"` + iqnBase + `x","filename":"x.img","master":"none_tpl_.img"}`, 404, "not_found", at("master none_tpl_.img not found")},
		{"POST", "/agents/st1/luns/cd", `{"iso":"none.iso"}`, 404, "not_found", at("iso none.iso not found")},
		{"DELETE", "/agents/st1/luns?iqn=" + iqnBase + "none", ``, 404, "not_found", at("iqn not found")},
		{"DELETE", "/agents/st1/luns?ignore_missing=true&iqn=" + ubuntuIQN, ``, 409, "target_in_use", at("target " + ubuntuIQN + " is in use by " + iqnBase + "pc-01")},
	} {
		s.noFileChanged(c.path, func() { c.check(t, s.call(c.method, c.path, c.body)) })
	}
	n.Answer("GET /lun", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"targets":[]}`) })
	refusal{status: 502, code: "agent_protocol", detail: at("the answer is not the JSON expected")}.check(t, s.call("GET", "/agents/st1/luns", ""))
	n.Answer("GET /lun", nil)
	s.want(200, "DELETE", "/agents/st1/luns?force=true&iqn="+ubuntuIQN, "")
	if w := s.worker("pc-01"); len(w.Disks) != 1 {
		t.Errorf("a direct deletion touched the ledger: %+v", w)
	}
}

func TestMastersOfTheNodesThatAnswerAreListed(t *testing.T) {
	t.Parallel()
	a, b := nodetest.Start(t), nodetest.Start(t)
	s := newSite(t, "IPXE_CP_AGENT_TIMEOUT", patience)
	s.agents(map[string]*nodetest.Node{"st1": a, "st2": b})
	s.file("config/agents.yml", s.read("config/agents.yml")+
		"  off: {base_url: \"http://127.0.0.1:1\", role: {disk: true}, enabled: false}\n"+
		"  cdonly: {base_url: \"http://127.0.0.1:1\", role: {cd: true}}\n")
	s.start()
	b.Answer("GET /masters", nodetest.Hang)
	row := `{"agent":"st1","iscsi_server":"192.168.80.3","masters":[{"name":"master_tpl_1.img","size":1073741824,"mtime":"2026-07-01T08:00:00Z"}]}`
	want := `{"agents":[` + row + `,{"agent":"st2","iscsi_server":"192.168.80.3","masters":[],"error":"agent st2: no answer within ` + patience + `"}]}`
	if got := string(s.want(200, "GET", "/masters", "").body); got != want {
		t.Errorf("%s", got)
	}
	a.Token = "changed"
	refusal{status: 502, code: "upstream", detail: "no agent tells its masters: agent st1: unauthorized; agent st2: no answer within " + patience}.
		check(t, s.call("GET", "/masters", ""))
}

func TestWithoutADiskAgentThereAreNoMasters(t *testing.T) {
	s := newSite(t).start()
	if got := string(s.want(200, "GET", "/masters", "").body); got != `{"agents":[]}` {
		t.Errorf("%s", got)
	}
}

func TestSessionsNameTheWorkerBehindATarget(t *testing.T) {
	s, n := siteWithNode(t)
	if got := string(s.want(200, "GET", "/agents/st1/sessions", "").body); got != `[]` {
		t.Errorf("%s", got)
	}
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	s.want(201, "POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`)
	s.want(201, "POST", "/agents/st1/luns/disk", `{"iqn":"`+iqnBase+`foreign","filename":"f.img","size":"1G"}`)
	for _, iqn := range []string{ubuntuIQN, iqnBase + "pc-01.windows.iso", iqnBase + "foreign"} {
		n.Use(iqn, iqnBase+"pc-01")
	}
	want := `[{"iqn":"` + iqnBase + `foreign","initiator":"` + iqnBase + `pc-01","address":"192.168.80.50"},` +
		`{"iqn":"` + ubuntuIQN + `","worker_id":"pc-01","os":"ubuntu","initiator":"` + iqnBase + `pc-01","address":"192.168.80.50"},` +
		`{"iqn":"` + iqnBase + `pc-01.windows.iso","worker_id":"pc-01","initiator":"` + iqnBase + `pc-01","address":"192.168.80.50"}]`
	if got := string(s.want(200, "GET", "/agents/st1/sessions", "").body); got != want {
		t.Errorf("%s", got)
	}
}
