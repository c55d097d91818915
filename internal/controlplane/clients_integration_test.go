//go:build integration

package controlplane_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/controlplane/nodetest"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// faultyCalls are a reading call of one thing, of a list, of text, of whatever
// JSON, a change, a long one, and the stream.
var faultyCalls = map[string]func(ctx context.Context, cp *client.ControlPlane) error{
	"a worker":   func(ctx context.Context, cp *client.ControlPlane) error { _, err := cp.Worker(ctx, "w"); return err },
	"the agents": func(ctx context.Context, cp *client.ControlPlane) error { _, err := cp.Agents(ctx, true); return err },
	"readiness":  func(ctx context.Context, cp *client.ControlPlane) error { _, err := cp.Ready(ctx); return err },
	"the setting": func(ctx context.Context, cp *client.ControlPlane) error {
		_, err := cp.SetAutoRegister(ctx, true)
		return err
	},
	"a disk": func(ctx context.Context, cp *client.ControlPlane) error {
		_, err := cp.StartDisk(client.WithKey(ctx, "k"), "w", api.CreateDisk{OS: "ubuntu", Type: "empty", Size: "1G"})
		return err
	},
	"the stream": func(ctx context.Context, cp *client.ControlPlane) (lost error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		err := cp.Watch(ctx, client.Watcher{Event: func(client.Event) {}, State: func(err error) {
			if err != nil {
				lost = err
				cancel()
			}
		}})
		if lost == nil {
			lost = err
		}
		return lost
	},
}

// passes are the answers that an older or newer control plane might give.
var passes = map[string][]string{
	"says an empty object":   {"a worker", "readiness", "the setting"},
	"has other types":        {"the setting"},
	"says a list of nothing": {"the agents"},
}

func TestWhateverAControlPlaneAnswersIsSaidInTime(t *testing.T) {
	var led atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
	defer elsewhere.Close()
	faults := nodetest.Faults(elsewhere.URL)
	var wg sync.WaitGroup
	turns := make(chan struct{}, 8)
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			t.Run(name, func(t *testing.T) { faultyControlPlane(t, faults[name], passes[name]) })
		})
	}
	wg.Wait()
	if n := led.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func faultyControlPlane(t *testing.T, answer http.HandlerFunc, passes []string) {
	s := httptest.NewServer(answer)
	defer s.Close()
	defer s.CloseClientConnections()
	cp := client.NewControlPlane(client.ControlPlaneOptions{
		BaseURL: s.URL, Token: secret.New("a-token-of-some-length"), Timeout: time.Second, Long: time.Second, Silence: time.Second,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	for _, call := range slices.Sorted(maps.Keys(faultyCalls)) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		start := time.Now()
		err := faultyCalls[call](ctx, cp)
		if ctx.Err() != nil {
			t.Errorf("%s: no end after %s", call, time.Since(start))
		}
		cancel()
		if err == nil && slices.Contains(passes, call) {
			continue
		}
		e := fault.As(err)
		if e == nil || e.Text == "" || len(e.Text) > 5000 || !utf8.ValidString(e.Text) || e.Code == "" {
			t.Errorf("%s: %v", call, err)
		}
	}
}
