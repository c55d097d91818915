package controlplane

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

func TestAScrapeTellsWhatTheSiteHasDone(t *testing.T) {
	pidFile, _ := fakeDNSMasq(t)
	n := nodetest.Start(t)
	s := newSite(t, "IPXE_CP_DNSMASQ_PID_FILE", pidFile)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.boot("mac=52:54:00:00:00:01")
	s.boot("mac=52:54:00:00:00:01")
	s.boot("mac=")
	s.want(201, "POST", "/workers/worker-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	s.want(404, "GET", "/workers/nobody", "")
	s.call("GET", "/wp-login.php", "")
	eventually(t, "the reloads are counted", func() bool {
		return strings.Contains(string(s.want(200, "GET", "/metrics", "").body), `ipxe_cp_dnsmasq_reloads_total{result="ok"}`)
	})
	got := string(s.want(200, "GET", "/metrics", "").body)
	for _, line := range []string{
		`ipxe_cp_auto_registrations_total 1`,
		`ipxe_cp_boots_total 2`,
		`ipxe_cp_http_requests_total{method="GET",route="/boot-vars",status="200"} 3`,
		`ipxe_cp_http_requests_total{method="GET",route="/workers/:id",status="404"} 1`,
		`ipxe_cp_http_requests_total{method="",route="unmatched",status="404"} 1`,
		`ipxe_cp_workers{state="ready"} 1`,
		`ipxe_cp_workers{state="registered"} 0`,
		`ipxe_cp_tasks{state="running"} 0`,
		`ipxe_cp_agent_calls_total{agent="st1",result="ok",route="GET /capabilities"}`,
		`ipxe_cp_commit_duration_seconds_count{result="ok"} 2`,
		`ipxe_cp_commit_changes_count 2`,
		`ipxe_cp_ledger_faults 0`,
		`ipxe_cp_build_info{`,
		`go_goroutines `,
	} {
		if !strings.Contains(got, "\n"+line) {
			t.Errorf("missing: %s", line)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestVersionDocumentAndMetricsWantTheToken(t *testing.T) {
	s := newSite(t, "IPXE_CP_TOKEN", "full-token-1", "IPXE_CP_VIEW_TOKEN", "view-token-1").start()
	for _, path := range []string{"/version", "/openapi.json", "/metrics"} {
		s.want(401, "GET", path, "")
		if a := s.call("GET", path, "", "Authorization", "Bearer view-token-1"); a.status != 200 {
			t.Errorf("%s: %s", path, a)
		}
	}
	a := s.call("GET", "/version", "", "Authorization", "Bearer view-token-1")
	if v := decode[api.Version](t, a); v.Version == "" || !strings.HasPrefix(v.Go, "go1.") {
		t.Errorf("%s", a)
	}
}

func TestVersionTellsWhatTheTokenMayDo(t *testing.T) {
	s := newSite(t, "IPXE_CP_TOKEN", "full-token-1", "IPXE_CP_VIEW_TOKEN", "view-token-1").start()
	for token, want := range map[string]string{"full-token-1": api.AccessFull, "view-token-1": api.AccessView} {
		a := s.call("GET", "/version", "", "Authorization", "Bearer "+token)
		if v := decode[api.Version](t, a); v.Access != want {
			t.Errorf("%s: %s", token, a)
		}
	}
	open := newSite(t).start()
	if a := open.call("GET", "/version", ""); decode[api.Version](t, a).Access != api.AccessFull {
		t.Errorf("an open control plane: %s", a)
	}
}

// example is what the document shows of one operation.
type example struct {
	Parameters []struct {
		Ref     string `json:"$ref"`
		Name    string
		In      string
		Example any
	}
	RequestBody struct {
		Content map[string]struct{ Example json.RawMessage }
	}
}

func TestEveryDocumentedExampleIsUnderstood(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"worker-01","mac":"52:54:00:12:34:01"}`)
	s.want(201, "POST", "/workers/worker-01/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`)
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(s.want(200, "GET", "/openapi.json", "").body, &doc); err != nil {
		t.Fatal(err)
	}
	paths := make([]string, 0, len(doc.Paths))
	for path := range doc.Paths {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	// What an example destroys another may need.
	for _, method := range []string{"get", "put", "post", "delete"} {
		for _, path := range paths {
			if raw := doc.Paths[path][method]; raw != nil && path != "/events" {
				s.tryExample(strings.ToUpper(method), path, raw)
			}
		}
	}
}

func (s *site) tryExample(method, path string, raw json.RawMessage) {
	s.t.Helper()
	var ex example
	if err := json.Unmarshal(raw, &ex); err != nil {
		s.t.Fatal(err)
	}
	id := "worker-01"
	if strings.HasPrefix(path, "/agents") {
		id = "st1"
	}
	url := strings.NewReplacer("{id}", id, "{os}", "ubuntu").Replace(path)
	var query []string
	for _, p := range ex.Parameters {
		if p.In == "query" && p.Example != nil {
			query = append(query, p.Name+"="+fmt.Sprint(p.Example))
		}
	}
	if len(query) > 0 {
		url += "?" + strings.Join(query, "&")
	}
	a := s.call(method, url, string(ex.RequestBody.Content["application/json"].Example))
	if a.status == 400 || a.status == 405 || a.status == 500 {
		s.t.Errorf("%s %s: %s", method, url, a)
	}
}
