package controlplane

import (
	"encoding/json"
	"fmt"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

// refusal is a call that must be refused in exactly these words.
type refusal struct {
	method, path, body string
	status             int
	code               string
	detail             any // a sentence or an api.AgentError
}

// refuses makes every call and fails unless it is refused as it says, no file
// changes and none of the nodes hears of it.
func (s *site) refuses(all []refusal, nodes ...*nodetest.Node) {
	s.t.Helper()
	for _, c := range all {
		s.t.Run(fmt.Sprintf("%s %s %.60s", c.method, c.path, c.body), func(t *testing.T) {
			before := heard(nodes)
			s.noFileChanged("a refusal", func() { c.check(t, s.call(c.method, c.path, c.body)) })
			if after := heard(nodes); after != before {
				t.Errorf("a node heard of it: %s, before %s", after, before)
			}
		})
	}
}

func (c refusal) check(t *testing.T, a answer) {
	t.Helper()
	e := decode[api.Error](t, a)
	got, _ := json.Marshal(e.Detail) // it came from JSON
	want, err := json.Marshal(c.detail)
	if err != nil {
		t.Fatal(err)
	}
	if a.status != c.status || e.Code != c.code || string(sorted(t, got)) != string(sorted(t, want)) || e.RequestID == "" {
		t.Errorf("want %d %s %s\ngot  %s", c.status, c.code, want, a)
	}
}

// sorted is JSON with its members in one order.
func sorted(t *testing.T, b []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func heard(nodes []*nodetest.Node) string {
	var all []string
	for _, n := range nodes {
		all = append(all, n.Calls()...)
	}
	return fmt.Sprint(all)
}
