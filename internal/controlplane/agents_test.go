package controlplane

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

func (s *site) agent(id string) api.Agent {
	s.t.Helper()
	for _, a := range decode[[]api.Agent](s.t, s.want(200, "GET", "/agents?live=false", "")) {
		if a.ID == id {
			return a
		}
	}
	s.t.Fatalf("no agent %s", id)
	return api.Agent{}
}

func TestANodeLivesFromProbeToDeletion(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t).start()
	p := decode[api.Probe](t, s.want(200, "POST", "/agents/probe", `{"base_url":"`+n.URL+`/","token":"node-token"}`))
	want := api.Probe{BaseURL: n.URL, Role: api.Role{Disk: true, CD: true}, Tags: []string{"storage", "stgt"}, ISCSIServer: "127.0.0.1",
		Enabled: true, Backend: "stgt", FSType: "tmpfs", BaseIQN: n.Base,
		Clone: "full copy (in memory)", EmptyDisk: "sparse file"}
	if fmt.Sprint(p) != fmt.Sprint(want) {
		t.Errorf("%+v", p)
	}

	body := `{"id":"ST1","base_url":"` + n.URL + `/","token":"node-token","iscsi_server":"192.168.80.3","role":{"disk":true,"cd":true},"tags":["storage","stgt"]}`
	got := decode[api.Agent](t, s.want(201, "POST", "/agents", body))
	if w := (api.Agent{ID: "st1", BaseURL: n.URL, ISCSIServer: "192.168.80.3", Role: api.Role{Disk: true, CD: true}, Enabled: true, Tags: []string{"storage", "stgt"}}); fmt.Sprint(got) != fmt.Sprint(w) {
		t.Errorf("%+v", got)
	}
	if live := decode[[]api.Agent](t, s.want(200, "GET", "/agents", "")); len(live) != 1 || live[0].Health != "ok" || live[0].Capabilities == nil {
		t.Errorf("%+v", live)
	}
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)

	// Disabled, it gets nothing new and its machines boot on.
	s.want(200, "PUT", "/agents/st1", `{"base_url":"`+n.URL+`","role":{"disk":true},"tags":["stgt"],"enabled":false}`)
	if got := s.agent("st1"); got.Enabled || got.ISCSIServer != "127.0.0.1" || got.Role.CD {
		t.Errorf("%+v", got)
	}
	s.want(503, "POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"empty","size":"1G"}`)
	if got := s.boot("mac=52:54:00:00:00:01"); !strings.Contains(got, "set root-ubuntu iscsi:127.0.0.1:::1:"+ubuntuIQN+"\n") {
		t.Errorf("%s", got)
	}
	s.refuses([]refusal{{"DELETE", "/agents/st1", "", 409, "conflict", "agent st1 holds a disk or CD of pc-01"}}, n)
	s.want(200, "DELETE", "/workers/pc-01?delete_disk=true", "") // with the token that was kept
	if d := decode[api.AgentDeleted](t, s.want(200, "DELETE", "/agents/st1", "")); d.Deleted != "st1" {
		t.Errorf("%+v", d)
	}
	if got := string(s.want(200, "GET", "/agents", "").body); got != "[]" {
		t.Errorf("%s", got)
	}
	s.restart()
	s.want(404, "DELETE", "/agents/st1", "")
}

func TestAnAgentsAbsentFieldsHaveTheirDefaults(t *testing.T) {
	s := newSite(t).start()
	s.want(201, "POST", "/agents", `{"id":"st1","base_url":"http://nas.lan:4840"}`)
	want := api.Agent{ID: "st1", BaseURL: "http://nas.lan:4840", ISCSIServer: "nas.lan", Enabled: true, Tags: []string{}}
	if got := s.agent("st1"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v", got)
	}
	s.want(200, "PUT", "/agents/st1", `{"base_url":"http://nas.lan:4840","iscsi_server":"fd00::1","role":{"disk":true},"tags":["lio"],"enabled":false}`)
	s.want(200, "PUT", "/agents/st1", `{"base_url":"http://nas.lan:4840"}`)
	if got := s.agent("st1"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("a PUT without fields left %+v", got)
	}
}

func TestOfTwoRegistrationsOfOneIDOneIsMade(t *testing.T) {
	s := newSite(t).start()
	const callers = 8
	status := make([]int, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			status[i] = s.call("POST", "/agents", fmt.Sprintf(`{"id":"st1","base_url":"http://10.0.0.%d:4840"}`, i+1)).status
		})
	}
	wg.Wait()
	slices.Sort(status)
	if status[0] != 201 || status[1] != 409 || status[callers-1] != 409 {
		t.Errorf("%v", status)
	}
	ends := map[string]int{}
	for _, o := range s.operations("op=agent.register") {
		ends[o.Status]++
	}
	if ends["succeeded"] != 1 || ends["started"] != ends["succeeded"]+ends["failed"] {
		t.Errorf("%v", ends)
	}
}

func TestEveryRefusedAgentHasItsSentenceAndChangesNothing(t *testing.T) {
	s, n := refusalSite(t)
	const ids = `is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`
	url := func(u string) string { return `{"id":"new","base_url":"` + u + `"}` }
	with := func(more string) string { return `{"id":"new","base_url":"http://nas:4840",` + more + `}` }
	const shape = `is not http(s)://host[:port][/path]`
	const user = `holds user info, a query or a fragment`
	const white = `holds white space, a backslash or a character that an address cannot have`
	s.refuses([]refusal{
		{"POST", "/agents", `{"base_url":"http://nas"}`, 400, "invalid", `agent id "" ` + ids},
		{"POST", "/agents", `{"id":"../st","base_url":"http://nas"}`, 400, "invalid", `agent id "../st" ` + ids},
		{"POST", "/agents", `{"id":"new"}`, 400, "invalid", `base_url "" ` + shape},
		{"POST", "/agents", url("nas:4840"), 400, "invalid", `base_url "nas:4840" ` + shape},
		{"POST", "/agents", url("ftp://nas"), 400, "invalid", `base_url "ftp://nas" ` + shape},
		{"POST", "/agents", url("file:///etc/passwd"), 400, "invalid", `base_url "file:///etc/passwd" ` + shape},
		{"POST", "/agents", url("http://"), 400, "invalid", `base_url "http://" names no host`},
		{"POST", "/agents", url("http://u:p@nas"), 400, "invalid", `base_url "http://***@nas" ` + user},
		{"POST", "/agents", url("http://nas?x=1"), 400, "invalid", `base_url "http://nas?x=1" ` + user},
		{"POST", "/agents", url("http://nas#x"), 400, "invalid", `base_url "http://nas#x" ` + user},
		{"POST", "/agents", url(`http://nas\\x`), 400, "invalid", `base_url "http://nas\\x" ` + white},
		{"POST", "/agents", url(`http://nas\nset x`), 400, "invalid", `base_url "http://nas\nset x" ` + white},
		{"POST", "/agents", url("http://na s"), 400, "invalid", `base_url "http://na s" ` + white},
		{"POST", "/agents", url("http://n_as"), 400, "invalid", `base_url "http://n_as": its host is neither a host name nor an IP address`},
		{"POST", "/agents", url("http://nas:0"), 400, "invalid", `base_url "http://nas:0" has a port that is not a number from 1 to 65535`},
		{"POST", "/agents", url("http://nas:65536"), 400, "invalid", `base_url "http://nas:65536" has a port that is not a number from 1 to 65535`},
		{"POST", "/agents", url("http://[fd00::1]:"), 400, "invalid", `base_url "http://[fd00::1]:" has a port that is not a number from 1 to 65535`},
		{"POST", "/agents", url("http://nas/a/../b"), 400, "invalid", `base_url "http://nas/a/../b" holds .. or ${`},
		{"POST", "/agents", url("http://nas/${x}"), 400, "invalid", `base_url "http://nas/${x}" holds .. or ${`},
		{"POST", "/agents", url("http://nas/" + strings.Repeat("x", 245)), 400, "invalid", `base_url "http://nas/` + strings.Repeat("x", 69) + `…" is longer than 255 characters`},
		{"POST", "/agents", url("http://1.2.3"), 400, "invalid", `base_url "http://1.2.3": its host is neither a host name nor an IP address`},
		{"POST", "/agents", url("http://2852039166"), 400, "invalid", `base_url "http://2852039166": its host is neither a host name nor an IP address`},
		{"POST", "/agents", url("http://169.254.169.254"), 400, "invalid", `base_url "http://169.254.169.254": 169.254.169.254 is link-local or a metadata service and no storage node`},
		{"POST", "/agents", url("http://[fe80::1]:80"), 400, "invalid", `base_url "http://[fe80::1]:80": [fe80::1] is link-local or a metadata service and no storage node`},
		{"POST", "/agents", with(`"iscsi_server":"a b"`), 400, "invalid", `iscsi server "a b" is neither a host name nor an IP address`},
		{"POST", "/agents", with(`"iscsi_server":"${x}"`), 400, "invalid", `iscsi server "${x}" is neither a host name nor an IP address`},
		{"POST", "/agents", with(`"tags":["a,b"]`), 400, "invalid", `tag "a,b" is not made of A-Z, a-z, 0-9, '.', '_', ':' and '-', starting with a letter or digit, at most 63`},
		{"POST", "/agents", with(`"tags":"stgt"`), 400, "invalid", `tags must be a list, not a JSON string`},
		{"POST", "/agents", with(`"tags":[` + strings.Repeat(`"a",`, 32) + `"a"]`), 400, "invalid", `33 tags are given; 32 is the most`},
		{"POST", "/agents", with(`"enabled":"yes"`), 400, "invalid", `enabled must be a boolean, not a JSON string`},
		{"POST", "/agents", with(`"token":"a b"`), 400, "invalid", `token holds white space or a character that no HTTP header carries`},
		{"POST", "/agents", with(`"token":"a\r\nX: y"`), 400, "invalid", `token holds white space or a character that no HTTP header carries`},
		{"POST", "/agents", with(`"token":"${HOME}"`), 400, "invalid", `token holds ${, which only agents.yml may: there it names a variable of the environment`},
		{"POST", "/agents", with(`"token":"` + strings.Repeat("x", 4097) + `"`), 400, "invalid", `token is longer than 4096 bytes`},
		{"POST", "/agents", `{"id":"st1","base_url":"http://nas"}`, 409, "exists", `agent st1 exists`},
		{"POST", "/agents", `{"id":"ST1","base_url":"http://nas"}`, 409, "exists", `agent st1 exists`},
		{"PUT", "/agents/nope", `{"base_url":"http://nas"}`, 404, "not_found", `agent nope not found`},
		{"PUT", "/agents/st1", `{}`, 400, "invalid", `base_url "" ` + shape},
		{"PUT", "/agents/st1", `[]`, 400, "invalid", `the body must be a JSON object, not a JSON array`},
		{"PUT", "/agents/no%20pe", `{"base_url":"http://nas"}`, 400, "invalid", `agent id "no pe" ` + ids},
		{"DELETE", "/agents/nope", ``, 404, "not_found", `agent nope not found`},
		{"DELETE", "/agents/st1", ``, 409, "conflict", `agent st1 holds a disk or CD of pc-01`},
	}, n)
}

func TestANodeThatLeavesWhileADiskIsMadeOnItTakesTheDiskWithIt(t *testing.T) {
	s, n := siteWithNode(t)
	n.Hold()
	done := make(chan answer, 1)
	go func() {
		done <- s.call("POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	}()
	eventually(t, "the node was asked", func() bool { return slices.Contains(n.Calls(), "POST /lun/disk") })
	s.want(200, "DELETE", "/agents/st1", "")
	n.Release()
	refusal{status: 409, code: "conflict", detail: "agent st1 left the inventory meanwhile"}.check(t, <-done)
	if len(n.Targets()) != 0 || slices.Contains(n.Files(), "pc-01.ubuntu.img") || len(s.worker("pc-01").Disks) != 0 {
		t.Errorf("left behind: %v %v", n.Targets(), n.Files())
	}
}

func TestANodeStaysWhileARowThatMayNameItCannotBeRead(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.file("state/workers.yml", "workers:\n  pc-01: {hostname: pc-01, state: registered}\n  pc-02: {hostname: \"p c\"}\n")
	s.start()
	s.refuses([]refusal{{"DELETE", "/agents/st1", "", 503, "ledger_unreadable",
		"nobody can tell whether agent st1 is free while rows are unreadable: worker pc-02"}}, n)
}
