//go:build integration

package torture

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/controlplane/nodetest"
)

// site is a control plane with its files and what it was asked.
type site struct {
	t *testing.T
	*daemon
	home string
	env  []string
	h    *history
	node *nodetest.Node

	calm bool // nothing is made to fail: a refusal is a failure

	mu     sync.Mutex
	errors []error // what went wrong so far
}

func (s *site) wrong(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors = append(s.errors, fmt.Errorf(format, args...))
}

// trouble is all that went wrong; nil: nothing.
func (s *site) trouble() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.errors...)
}

func newSite(t *testing.T, home string) *site {
	t.Helper()
	s := &site{t: t, home: home, h: newHistory(), node: nodetest.Start(t)}
	s.env = []string{"IPXE_CP_HOME=" + home, "IPXE_CP_LISTEN=127.0.0.1:0", "IPXE_CP_TOKEN=" + token, "IPXE_CP_AGENT_TIMEOUT=60"}
	s.h.initial("setting/auto-register", `{"enabled":true,"source":"env"}`)
	return s
}

func (s *site) plan() plan { return plan{program: "ipxe-cp", root: s.home, env: s.env} }

func (s *site) position() int {
	if s.daemon == nil || s.warden == nil {
		return 0
	}
	return s.warden.position()
}

// do asks for a change of things and notes what was promised. What is refused
// must have changed nothing.
func (s *site) do(method, path, body string, things ...string) (status int, text string) {
	s.h.begin(s.position(), things...)
	status, text, err := s.call(method, path, body, nil)
	at := s.position()
	if err != nil {
		return 0, err.Error()
	}
	if status/100 != 2 && s.calm {
		s.wrong("%s %s: %d %s", method, path, status, text)
	}
	if status/100 == 2 {
		s.h.acknowledge(at)
	}
	for _, thing := range things {
		was := s.h.last(thing)
		state, err := s.look(thing)
		if err != nil {
			continue // it died after its answer: any state of this deed will do
		}
		told := strings.Contains(text, "look whether it was changed") // two faults: nobody knows
		if status/100 != 2 && state != was && !told {
			s.wrong("%s %s was refused with %d %s, and yet %s went from %s to %s", method, path, status, text, thing, was, state)
		}
		s.h.end(at, thing, state)
	}
	return status, text
}

// look asks in which state a thing is.
func (s *site) look(thing string) (string, error) {
	kind, name, _ := strings.Cut(thing, "/")
	switch kind {
	case "worker":
		return s.lookAt("/workers/" + name)
	case "setting":
		return s.lookAt("/settings/auto-register")
	}
	all, err := s.states()
	if err != nil {
		return "", err
	}
	if state, ok := all[thing]; ok {
		return state, nil
	}
	return absent, nil
}

func (s *site) lookAt(path string) (string, error) {
	var row map[string]any
	switch status, text, err := s.call("GET", path, "", &row); {
	case err != nil:
		return "", err
	case status == 404:
		return absent, nil
	case status != 200:
		return "", fmt.Errorf("GET %s: %d %s", path, status, text)
	}
	return canonical(row), nil
}

// canonical is a row without what may be forgotten.
func canonical(row map[string]any) string {
	delete(row, "last_boot_at")
	text, _ := json.Marshal(row)
	return string(text)
}

// states are all things that the control plane shows.
func (s *site) states() (map[string]string, error) {
	out := map[string]string{}
	var workers, agents []map[string]any
	for path, into := range map[string]any{"/workers": &workers, "/agents?live=false": &agents} {
		if status, text, err := s.call("GET", path, "", into); err != nil || status != 200 {
			return nil, fmt.Errorf("GET %s: %d %s %v", path, status, text, err)
		}
	}
	for _, w := range workers {
		out["worker/"+fmt.Sprint(w["worker_id"])] = canonical(w)
		if mac, ok := w["mac"].(string); ok {
			out["mac/"+mac] = fmt.Sprint(w["hostname"])
		}
	}
	for _, a := range agents {
		out["agent/"+fmt.Sprint(a["id"])] = canonical(a)
	}
	setting, err := s.lookAt("/settings/auto-register")
	out["setting/auto-register"] = setting
	return out, err
}

var hostnameSet = regexp.MustCompile(`(?m)^set hostname (\S+)$`)

// boot asks what a machine asks, and notes the name that it was given.
func (s *site) boot(mac string) {
	thing := "mac/" + mac
	s.h.begin(s.position(), thing)
	status, text, err := s.call("GET", "/boot-vars?mac="+mac, "", nil)
	at := s.position()
	if err != nil {
		return
	}
	m := hostnameSet.FindStringSubmatch(text)
	if m == nil || status != 200 {
		if s.calm {
			s.wrong("%s boots %d %s", mac, status, text)
		}
		if state, err := s.look(thing); err == nil {
			s.h.end(at, thing, state) // it was told nothing, and may have been registered
		}
		return
	}
	if was := s.h.last(thing); was != absent && was != m[1] {
		s.wrong("%s was %s and now is %s", mac, was, m[1])
	}
	if s.h.last(thing) == absent {
		s.h.acknowledge(at) // it was registered
	}
	s.h.end(at, thing, m[1])
}

// script is a day of a small site, in which every kind of write happens.
func (s *site) script() []func() {
	worker := func(id, mac string) func() {
		return func() {
			s.do("POST", "/workers", fmt.Sprintf(`{"worker_id":%q,"mac":%q}`, id, mac), "worker/"+id)
		}
	}
	disk := func(id, os, body string) func() {
		return func() { s.do("POST", "/workers/"+id+"/luns/disk", `{"os":"`+os+`",`+body+`}`, "worker/"+id) }
	}
	return []func(){
		func() { s.boot("52:54:00:00:00:01") },
		worker("pc-1", "52:54:00:00:01:01"),
		func() { s.boot("52:54:00:00:00:02") },
		func() {
			s.do("POST", "/agents", fmt.Sprintf(`{"id":"node-1","base_url":%q,"token":%q,"iscsi_server":"192.168.80.3","role":{"disk":true,"cd":true},"tags":["storage","stgt"]}`, s.node.URL, s.node.Token), "agent/node-1")
		},
		disk("pc-1", "ubuntu", `"type":"empty","size":"1G"`),
		disk("pc-1", "windows", `"type":"master","name":"master_tpl_1.img"`),
		worker("pc-2", "52:54:00:00:01:02"),
		worker("pc-3", "52:54:00:00:01:03"),
		worker("pc-4", "52:54:00:00:01:04"),
		func() { s.do("PUT", "/workers/pc-1/default-os", `{"os":"ubuntu","menu_timeout":0}`, "worker/pc-1") },
		func() { s.do("PUT", "/workers/pc-2/mac", `{"mac":"52:54:00:00:02:02"}`, "worker/pc-2") },
		func() { s.do("PUT", "/settings/auto-register", `{"enabled":false}`, "setting/auto-register") },
		func() { s.do("PUT", "/settings/auto-register", `{"enabled":true}`, "setting/auto-register") },
		func() {
			s.do("POST", "/workers/luns/disk/batch", `{"type":"empty","size":"1G","os":"debian","targets":[{"worker_id":"pc-2","agent":"node-1"},{"worker_id":"pc-3","agent":"node-1"}]}`, "worker/pc-2", "worker/pc-3")
		},
		func() { s.do("POST", "/workers/pc-4/luns/cd", `{"iso":"win.iso"}`, "worker/pc-4") },
		func() { s.do("DELETE", "/workers/pc-1/luns/disk/windows?delete_file=true", "", "worker/pc-1") },
		func() { s.do("DELETE", "/workers/pc-2", "", "worker/pc-2") }, // its disk's file stays: the name is retired
		func() { s.do("DELETE", "/workers/pc-4/luns/cd", "", "worker/pc-4") },
		func() {
			s.do("POST", "/workers/delete/batch", `{"worker_ids":["pc-3","pc-4"],"delete_disk":true}`, "worker/pc-3", "worker/pc-4")
		},
		func() { s.boot("52:54:00:00:00:03") },
		func() {
			s.do("PUT", "/agents/node-1", fmt.Sprintf(`{"base_url":%q,"role":{"disk":true,"cd":true},"enabled":true,"iscsi_server":"192.168.80.4"}`, s.node.URL), "agent/node-1")
		},
	}
}
