package controlplane

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

// A node that runs low on space is an event: the failed operation, in the node's words.
func TestANodeThatRunsLowOnSpaceIsAnEventInItsWords(t *testing.T) {
	s, n := siteWithNode(t)
	r := s.watch("")
	const words = "10 bytes are free and 50 are kept in reserve: no space for pc-01.ubuntu.img"
	n.Answer("POST /lun/disk", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInsufficientStorage)
		_, _ = io.WriteString(w, `{"detail":"`+words+`","code":"no_space"}`)
	})
	refusal{method: "POST", path: "/workers/pc-01/luns/disk", body: newUbuntu, status: 507, code: "no_space",
		detail: api.AgentError{Agent: "st1", Error: words}}.check(t, s.call("POST", "/workers/pc-01/luns/disk", newUbuntu))
	var told string
	for !strings.Contains(told, `"status":"failed"`) {
		got, err := r.next()
		if err != nil {
			t.Fatal(err)
		}
		if got.kind == "operation" {
			told = string(got.data.Object)
		}
	}
	for _, want := range []string{`"op":"worker.disk.create"`, `"agent":"st1"`, `"worker_id":"pc-01"`, words} {
		if !strings.Contains(told, want) {
			t.Errorf("the event says %s, without %s", told, want)
		}
	}
	if w := s.worker("pc-01"); len(w.Disks) != 0 {
		t.Errorf("the worker has %+v", w.Disks)
	}
}
