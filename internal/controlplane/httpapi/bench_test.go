package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/metrics"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/netboot"
)

// bigLedger has n workers with a disk each.
func bigLedger(b *testing.B, n int) *ledger.Ledger {
	b.Helper()
	dir := b.TempDir()
	var workers, hosts strings.Builder
	workers.WriteString("workers:\n")
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("worker-%05d", i)
		fmt.Fprintf(&workers, "  %s: {hostname: %s, arch: x86_64, state: ready, disks: [{agent: st1, iqn: \"iqn.2026-07.com.c:%s.ubuntu\", filename: %s.ubuntu.img, backing: /images/%s.ubuntu.img, os: ubuntu, source: {type: master, name: ubuntu_tpl_24.04.img}}], cd: null, default_os: ubuntu}\n", name, name, name, name, name)
		fmt.Fprintf(&hosts, "52:54:01:00:%02x:%02x,%s\n", i>>8, i&255, name)
	}
	for name, content := range map[string]string{"workers.yml": workers.String(), "hosts": hosts.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	l, err := ledger.Open(ledger.Options{
		WorkersFile: filepath.Join(dir, "workers.yml"), HostsFile: filepath.Join(dir, "hosts"),
		AgentsFile: filepath.Join(dir, "agents.yml"), SettingsFile: filepath.Join(dir, "settings.json"),
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	b.Cleanup(func() { cancel(); <-done })
	return l
}

// BenchmarkWorkersAtTenThousand is one poll of a console: of a list that has
// not changed, of one that is held already, and after a boot somewhere.
func BenchmarkWorkersAtTenThousand(b *testing.B) {
	l := bigLedger(b, 10_000)
	e, err := New(Options{Ledger: l, Log: slog.New(slog.DiscardHandler), Metrics: http.NotFoundHandler()})
	if err != nil {
		b.Fatal(err)
	}
	get := func(path string, header ...string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		e.ServeHTTP(w, r)
		return w
	}
	id, err := netboot.ParseWorkerID("worker-05000")
	if err != nil {
		b.Fatal(err)
	}
	first := get("/workers")
	b.Logf("%d bytes, %d compressed", first.Body.Len(), get("/workers", "Accept-Encoding", "gzip").Body.Len())
	for _, c := range []struct {
		name, path string
		boots      bool
		header     []string
	}{
		{"unchanged", "/workers", false, nil},
		{"unchanged, compressed", "/workers", false, []string{"Accept-Encoding", "gzip"}},
		{"held", "/workers", false, []string{"If-None-Match", first.Header().Get("ETag")}},
		{"a page of 100", "/workers?limit=100&cursor=worker-05000", false, nil},
		{"a search", "/workers?q=09999", false, nil},
		{"after a boot", "/workers", true, nil},
		{"after a boot, compressed", "/workers", true, []string{"Accept-Encoding", "gzip"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if c.boots {
					w, _ := l.Snapshot().Worker(id)
					l.MarkBoot(w, time.Now())
				}
				get(c.path, c.header...)
			}
		})
	}
}

// BenchmarkBoot is a known machine's question, with nobody counting and with
// Prometheus.
func BenchmarkBoot(b *testing.B) {
	l := bigLedger(b, 10_000)
	m := metrics.New(metrics.Sources{})
	for name, observe := range map[string]func(string, string, int, time.Duration){"alone": nil, "counted": m.Request} {
		log := slog.New(slog.DiscardHandler)
		e, err := NewBoot(Options{Ledger: l, Log: log, Observe: observe,
			Provision: provision.New(provision.Options{Ledger: l, Log: log, Now: time.Now, StrictIdentity: true})})
		if err != nil {
			b.Fatal(err)
		}
		for asks, query := range map[string]string{
			"by its MAC":            "mac=52:54:01:00:13:88",
			"with its name as well": "mac=52:54:01:00:13:88&hostname=worker-05000",
			"with words of no use":  "mac=52:54:01:00:13:88&hostname=%24%7Bhostname%7D",
		} {
			b.Run(name+" "+asks, func(b *testing.B) { bootAll(b, e, query) })
		}
	}
}

func bootAll(b *testing.B, e http.Handler, query string) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r := httptest.NewRequest("GET", "/boot-vars?"+query, nil)
		w := &sink{header: http.Header{}}
		for pb.Next() {
			clear(w.header)
			w.length = 0
			if e.ServeHTTP(w, r); w.length < 60 {
				b.Errorf("%d bytes", w.length)
				return
			}
		}
	})
}

// sink is a writer that costs nothing and so hides nothing.
type sink struct {
	header http.Header
	length int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { s.length += len(b); return len(b), nil }
