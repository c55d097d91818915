package controlplane

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/controlplane/nodetest"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// visited notes which documented operations a client has called.
type visited struct {
	mu  sync.Mutex
	ops map[string]bool
}

func (v *visited) RoundTrip(r *http.Request) (*http.Response, error) {
	router, err := contract()
	if err != nil {
		return nil, err
	}
	if route, _, err := router.FindRoute(r); err == nil {
		v.mu.Lock()
		v.ops[route.Operation.OperationID] = true
		v.mu.Unlock()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// operationIDs are those of the document.
func operationIDs(t *testing.T) (ids []string) {
	t.Helper()
	text, err := api.ControlPlaneDocument()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, methods := range doc.Paths {
		for _, raw := range methods {
			var op struct{ OperationID string }
			if json.Unmarshal(raw, &op) == nil && op.OperationID != "" {
				ids = append(ids, op.OperationID)
			}
		}
	}
	return ids
}

// must fails the test on an error and passes the value on.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestTheClientWalksTheWholeContract(t *testing.T) {
	n := nodetest.Start(t)
	s := newSite(t, "IPXE_CP_TOKEN", "full-token-1").start()
	v := &visited{ops: map[string]bool{}}
	cp := client.NewControlPlane(client.ControlPlaneOptions{BaseURL: s.url, Token: secret.New("full-token-1"), HTTP: &http.Client{Transport: v}})
	walkNode(t, cp, n)
	walkWorker(t, cp)
	walkBatches(t, cp)
	walkService(t, cp)

	for _, id := range operationIDs(t) {
		if !v.ops[id] {
			t.Errorf("the client cannot call, or this test has not called, %s", id)
		}
	}
}

func walkNode(t *testing.T, cp *client.ControlPlane, n *nodetest.Node) {
	t.Helper()
	ctx := t.Context()
	p := must[api.Probe](t)(cp.ProbeAgent(ctx, api.ProbeAgent{BaseURL: n.URL, Token: n.Token}))
	in := api.PutAgent{ID: "st1", BaseURL: p.BaseURL, Token: n.Token, Role: p.Role, Tags: p.Tags}
	must[api.Agent](t)(cp.RegisterAgent(ctx, in))
	in.Token, in.ISCSIServer = "", "192.168.80.3"
	if a := must[api.Agent](t)(cp.UpdateAgent(ctx, in)); a.ISCSIServer != "192.168.80.3" {
		t.Errorf("%+v", a)
	}
	must[api.Agent](t)(cp.RegisterAgent(ctx, api.PutAgent{ID: "gone", BaseURL: "http://127.0.0.1:1"}))
	if err := cp.DeleteAgent(ctx, "gone"); err != nil {
		t.Error(err)
	}
	if list := must[[]api.Agent](t)(cp.Agents(ctx, true)); len(list) != 1 || list[0].Health != "ok" {
		t.Errorf("%+v", list)
	}
	must[api.MastersByAgent](t)(cp.Masters(ctx))
	made := must[api.LUNCreated](t)(cp.CreateTarget(ctx, "st1", api.DirectDisk{IQN: n.Base + ":spare", Filename: "spare.img", Size: "1G"}))
	must[api.LUNCreated](t)(cp.CreateCDTarget(ctx, "st1", api.CreateCD{ISO: "win.iso", IQN: n.Base + ":win.iso"}))
	if list := must[[]api.Target](t)(cp.Targets(ctx, "st1")); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	must[api.Scan](t)(cp.ScanTargets(ctx, "st1"))
	must[[]api.AgentSession](t)(cp.Sessions(ctx, "st1"))
	must[api.TargetDeleted](t)(cp.DeleteTarget(ctx, "st1", made.IQN, client.Removal{DeleteFile: true}))
	if d := must[api.TargetDeleted](t)(cp.DeleteTarget(ctx, "st1", made.IQN, client.Removal{IgnoreMissing: true})); !d.IgnoredMissing {
		t.Errorf("%+v", d)
	}
}

func TestTheClientLearnsThatItsTokenIsWrong(t *testing.T) {
	s := newSite(t, "IPXE_CP_TOKEN", "full-token-1").start()
	cp := client.NewControlPlane(client.ControlPlaneOptions{BaseURL: s.url, Token: secret.New("wrong")})
	if _, err := cp.Tasks(t.Context()); !fault.Is(err, fault.Unauthorized) {
		t.Errorf("%v", err)
	}
	if err := cp.Watch(t.Context(), client.Watcher{}); !fault.Is(err, fault.Unauthorized) {
		t.Errorf("%v", err)
	}
}
