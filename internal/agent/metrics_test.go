package agent

import (
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
)

// wantMetrics asks for the lines in one scrape.
func (n *node) wantMetrics(t *testing.T, lines ...string) {
	t.Helper()
	status, text := n.call(t, "GET", "/metrics", "")
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestMetricsTellWhatTheNodeDoes(t *testing.T) {
	o := options(t)
	o.Overcommit = 0.000001 // of any file system: some kilobytes
	n := start(t, o, fake.New())
	until(t, "the first scan is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor == 1 })
	n.put(t, "kept.img")
	n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:kept","existing":true}`)
	if _, err := n.backend.Login(base+":kept", base+":pc"); err != nil {
		t.Fatal(err)
	}
	n.call(t, "GET", "/nowhere", "")
	status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1T"}`)
	if status != 507 || !strings.Contains(text, "a.img of 1099511627776 bytes on top of the ") || !strings.Contains(text, " would be more than 1e-06 times the ") {
		t.Errorf("%d %s", status, text)
	}
	n.wantMetrics(t,
		`ipxe_agent_http_requests_total{method="POST",route="/lun/disk",status="201"} 1`,
		`ipxe_agent_http_requests_total{method="POST",route="/lun/disk",status="507"} 1`,
		`ipxe_agent_http_requests_total{method="",route="unmatched",status="404"} 1`,
		`ipxe_agent_iscsi_server_up 1`, `ipxe_agent_targets 1`, `ipxe_agent_sessions 1`,
		`ipxe_agent_image_folder_up 1`, `ipxe_agent_low_space 0`, `ipxe_agent_low_space_refusals_total 1`,
		`ipxe_agent_scans_total{result="ok"} 1`, `ipxe_agent_tasks{state="queued"} 0`,
	)
}

func TestMetricsCountWhatIsCloned(t *testing.T) {
	c := newCopier(t)
	c.free()
	c.becomes(t, c.begin(t, "a"), api.TaskSucceeded)
	c.wantMetrics(t, `ipxe_agent_clones_total{kind="copy",result="ok"} 2`, `ipxe_agent_clone_bytes_total{kind="copy"} 8.388608e+06`,
		`ipxe_agent_tasks{state="succeeded"} 1`)
}

func TestMetricsSayThatSpaceIsLowAndThatTheServerIsAnother(t *testing.T) {
	o := options(t)
	o.MinFree = store.Reserve{Bytes: 1 << 62}
	n := start(t, o, fake.New())
	until(t, "the first scan is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor == 1 })
	n.backend.Crash()
	until(t, "the rebuild is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor == 2 })
	n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`)
	n.wantMetrics(t, `ipxe_agent_low_space 1`, `ipxe_agent_low_space_refusals_total 1`, `ipxe_agent_iscsi_server_restarts_total 1`)
}

func TestTheVersionIsTold(t *testing.T) {
	n := newNode(t)
	if v := get[api.Version](t, n, "/version"); v.Version == "" || !strings.HasPrefix(v.Go, "go") {
		t.Errorf("version %+v", v)
	}
}

func TestANodeWhoseKernelHasNoLIOSaysSo(t *testing.T) {
	o := options(t)
	o.Backend, o.LIORoot = "lio", o.DiskDir+"/none"
	a, err := New(o, quiet())
	if err != nil {
		t.Fatal(err)
	}
	n := &node{url: run(t, a), dir: o.DiskDir}
	why := "the kernel's target is not at " + o.LIORoot + ": is configfs mounted and target_core_mod loaded?"
	n.want(t, "GET", "/readyz", "", 503, `{"status":"not_ready","reasons":["`+why+`"]}`)
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`, 503, "unavailable", why)
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"w.iso"}`, 400, "unsupported", "lio backend does not support cd")
	if got := get[api.Capabilities](t, n, "/capabilities"); got.Backend != "lio" || got.CD || !got.Persistent {
		t.Errorf("capabilities %+v", got)
	}
}
