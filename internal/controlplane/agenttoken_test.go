package controlplane

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// lockedBuffer is a log that is read while the daemon writes it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestATokenIsInTheInventoryAndNowhereElse(t *testing.T) {
	n := nodetest.Start(t)
	n.Token = "s3cret-of-the-node"
	log := new(lockedBuffer)
	s := newSite(t, "ST2_TOKEN", n.Token)
	s.log = log
	s.file("config/agents.yml", "agents:\n  st2: {base_url: \""+n.URL+"\", token: \"${ST2_TOKEN}\", role: {disk: true}, tags: [stgt]}\n")
	s.start()
	var said strings.Builder
	ask := func(status int, method, path, body string) {
		said.WriteString(s.want(status, method, path, body).String())
	}
	entry := `"base_url":"` + n.URL + `","token":"` + n.Token + `"`
	ask(200, "POST", "/agents/probe", `{`+entry+`}`)
	ask(201, "POST", "/agents", `{"id":"st1",`+entry+`}`)
	ask(409, "POST", "/agents", `{"id":"st1",`+entry+`}`)
	ask(400, "POST", "/agents", `{"id":"st9",`+entry+`,"tags":["a b"]}`)
	ask(200, "PUT", "/agents/st1", `{`+entry+`}`)
	ask(200, "GET", "/agents", "")
	ask(404, "DELETE", "/agents/st1/luns?iqn="+ubuntuIQN, "")
	ask(200, "GET", "/operations?limit=1000", "")
	n.Token = "changed"
	ask(502, "GET", "/agents/st1/luns", "")
	ask(502, "POST", "/agents/probe", `{`+entry+`}`)
	for what, text := range map[string]string{"an answer": said.String(), "the log": log.String(), "the trail": s.read("state/operations.jsonl")} {
		if strings.Contains(text, "s3cret") {
			t.Errorf("%s holds the token:\n%s", what, text)
		}
	}
	if log.String() == "" {
		t.Error("nothing was logged")
	}

	// A variable stays a variable, whoever else is changed and when its own row is.
	n.Token = "s3cret-of-the-node"
	s.want(200, "PUT", "/agents/st2", `{"base_url":"`+n.URL+`","role":{"disk":true,"cd":true},"tags":["stgt"]}`)
	s.want(200, "GET", "/agents/st2/luns", "")
	s.restart()
	s.want(200, "GET", "/agents/st2/luns", "")
	if file := s.read("config/agents.yml"); !strings.Contains(file, "${ST2_TOKEN}") || strings.Count(file, "s3cret") != 1 {
		t.Errorf("%s", file)
	}
}

func TestAHandWrittenMetadataAddressIsNotAsked(t *testing.T) {
	s := newSite(t)
	s.file("config/agents.yml", "agents:\n  st1: {base_url: \"http://169.254.169.254\", token: x, role: {disk: true}}\n")
	s.start()
	refusal{status: 502, code: "agent_address", detail: api.AgentError{Agent: "st1", Error: "169.254.169.254 is link-local or a metadata service and no storage node"}}.
		check(t, s.call("GET", "/agents/st1/luns", ""))
}
