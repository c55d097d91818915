package agenttest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
)

// node is one under test with its client.
type node struct {
	Node
	*client.Agent
}

// answer is what came back, byte for byte.
type answer struct {
	status int
	body   []byte
	header http.Header
}

// call sends a request as it is; header are names and values.
func (n node) call(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, n.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+n.Token)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, text, resp.Header}
}

// refuses wants an error of that status and code with the words in its sentence.
func (n node) refuses(t *testing.T, method, path, body string, status int, code string, words ...string) {
	t.Helper()
	a := n.call(t, method, path, body)
	var e struct {
		Detail, Code string
		RequestID    string `json:"request_id"`
	}
	if err := json.Unmarshal(a.body, &e); err != nil || a.status != status || e.Code != code || e.Detail == "" || e.RequestID == "" {
		t.Errorf("%s %s %.200s\n got %d %s %v\nwant %d %s", method, path, body, a.status, a.body, err, status, code)
	}
	for _, w := range words {
		if !strings.Contains(e.Detail, w) {
			t.Errorf("%s %s %s: %q does not say %q", method, path, body, e.Detail, w)
		}
	}
}

func (n node) iqn(suffix string) string { return n.Base + ":" + suffix }

// disk is the body of POST /lun/disk for a target of the node's base.
func (n node) disk(suffix, rest string) string { return `{"iqn":"` + n.iqn(suffix) + `"` + rest + `}` }

func (n node) mustMake(t *testing.T, in api.CreateLUN) api.LUNCreated {
	t.Helper()
	made, err := n.CreateDisk(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if made.IQN != in.IQN || !strings.HasPrefix(made.Backing, "/") {
		t.Errorf("made %+v of %+v", made, in)
	}
	return made
}

// target is the one of that suffix; nil when it is not listed.
func (n node) target(t *testing.T, suffix string) *api.Target {
	t.Helper()
	targets, err := n.Targets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(targets, func(x api.Target) bool { return x.IQN == n.iqn(suffix) })
	if i < 0 {
		return nil
	}
	return &targets[i]
}

// wantServed wants the target listed with the file as its only image.
func (n node) wantServed(t *testing.T, suffix, file, kind string) {
	t.Helper()
	x := n.target(t, suffix)
	if x == nil {
		t.Errorf("%s is not listed", suffix)
		return
	}
	caps, err := n.Capabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	units := x.LUNs
	if caps.Backend == "stgt" {
		if x.TID == nil || *x.TID < 1 || len(units) != 2 || units[0].LUN != 0 || units[0].Backing != nil || units[0].Type != "controller" {
			t.Errorf("stgt shows %+v without a number or its controller", *x)
			return
		}
		units = units[1:]
	} else if x.TID != nil {
		t.Errorf("%s has targets without numbers: %+v", caps.Backend, *x)
	}
	number := map[string]int{"stgt": 1, "lio": 0}[caps.Backend]
	if len(units) != 1 || units[0].LUN != number || units[0].Backing == nil || !strings.HasSuffix(*units[0].Backing, "/"+file) || units[0].Type != kind {
		t.Errorf("%s shows %+v", suffix, units)
	}
}

func (n node) holds(file string) bool { return slices.Contains(n.Files(), file) }

func (n node) wantFile(t *testing.T, file string, there bool) {
	t.Helper()
	if n.holds(file) != there {
		t.Errorf("%s is in the folder: %v", file, !there)
	}
}

// until asks until ok holds.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late.C:
			t.Fatalf("in vain waited until %s", what)
		}
	}
}
