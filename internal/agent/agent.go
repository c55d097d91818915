// Package agent is the composition root of ipxe-agent: it puts the parts
// together and runs them. No rule lives here.
package agent

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/fence"
	"ipxe-all-ready/internal/agent/httpapi"
	"ipxe-all-ready/internal/agent/journal"
	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/stgt/tgtd"
	"ipxe-all-ready/internal/agent/task"
	"ipxe-all-ready/internal/certs"
	"ipxe-all-ready/internal/config"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/sdnotify"
)

// Agent is one running daemon.
type Agent struct {
	o          Options
	log        *slog.Logger
	journal    *journal.Journal
	store      *store.Store
	export     *export.Service
	tasks      *task.Registry
	fence      *fence.Watch
	supervisor *tgtd.Supervisor // nil: tgtd is somebody else's
	ln         net.Listener
	handler    http.Handler
	shown      *certs.Server // nil: plain HTTP
}

// New opens the operation log and the port; nothing is answered, and no target
// touched, before Run.
func New(o Options, log *slog.Logger) (*Agent, error) {
	m := metrics.New()
	b, supervisor := driver(o, log, m)
	a, err := assemble(o, log, b, m)
	if err != nil {
		return nil, err
	}
	a.supervisor = supervisor
	return a, nil
}

// assemble builds everything that does not depend on the kind of server.
func assemble(o Options, log *slog.Logger, b target.Backend, m *metrics.Metrics) (_ *Agent, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &Agent{o: o, log: log, tasks: task.New(o.Now, log)}
	for _, d := range o.Doubts {
		log.Warn(d.String())
	}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if o.TLSCert != "" {
		if a.shown, err = certs.NewServer(o.TLSCert, o.TLSKey, o.CallCA, log); err != nil {
			return nil, config.Wrong(fmt.Errorf("IPXE_AGENT_TLS_CERT, IPXE_AGENT_TLS_KEY and IPXE_AGENT_TLS_CLIENT_CA: %w", err))
		}
	}
	a.journal = journal.Open(o.LogFile, log, o.Now)
	a.store = store.New(store.Options{
		Dir: o.DiskDir, Record: o.Folders, MinFree: o.MinFree, Overcommit: o.Overcommit, Copies: o.CloneWorkers,
	})
	a.export = export.New(export.Options{Base: o.Base, Store: a.store, Backend: b, OwnInitiator: o.OwnInitiator, Served: o.Served, Observer: m})
	a.fence = a.newFence(b, m)
	m.Count(metrics.Sources{
		Targets: b.List, Space: a.store.Space, Tasks: a.tasks.Count,
		Rivals: func() int { return len(a.fence.Report().Rivalries) },
	})
	a.handler, err = httpapi.New(httpapi.Options{
		Export: a.export, Store: a.store, Backend: b, Journal: a.journal, Tasks: a.tasks, Base: o.Base, Token: o.Token, Log: log, Now: o.Now, Notes: a.shown.Faults,
		Fence: a.fence, Closed: o.OwnInitiator,
		Metrics: m.Handler(), Observe: m.Request,
	})
	if err != nil {
		return nil, err
	}
	a.ln, err = config.Bound(net.Listen("tcp", o.Listen))
	return a, err
}

// Addr is where the agent listens.
func (a *Agent) Addr() net.Addr { return a.ln.Addr() }

// Run answers until ctx ends. A managed tgtd goes on without us.
func (a *Agent) Run(ctx context.Context) error {
	defer a.close()
	ctx, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	if a.supervisor != nil {
		group.Go(func() { a.supervisor.Run(ctx) })
	}
	group.Go(func() { a.watcher().Run(ctx) })
	group.Go(func() { a.fence.Run(ctx) })
	group.Go(func() {
		<-ctx.Done()
		a.tasks.Stop() // a copy may take an hour: the next start sweeps it away
	})
	group.Go(func() { a.watchMasters(ctx) })
	group.Go(func() { sdnotify.Run(ctx, a.alive, a.log) })
	a.log.Info("listening", "address", a.ln.Addr().String())
	serving := httpx.ServerOptions{Log: a.log}
	if a.shown != nil {
		serving.TLS = a.shown.Config()
	}
	return httpx.Serve(ctx, a.ln, a.handler, serving)
}

// alive asks our own port alone: an iSCSI server or a folder that hangs is not
// mended by another agent.
func (a *Agent) alive(ctx context.Context) error {
	return httpx.Alive(ctx, a.ln.Addr(), a.shown != nil)
}

func (a *Agent) watcher() *export.Watcher {
	return &export.Watcher{
		Service:  a.export,
		Interval: cmp.Or(a.o.Watch, time.Second),
		Scanned: func(ctx context.Context, done export.Scanned) {
			a.log.Info("folder exported", "created", len(done.Created), "skipped", len(done.Skipped), "failed", len(done.Failed))
			a.journal.Add(ctx, journal.AutoScan, "", struct{}{}, httpapi.ScanRows(done), nil)
		},
		State: func(sentence string) {
			if sentence == "" {
				a.log.Info("storage is well")
				return
			}
			a.log.Warn("storage is not ready", "reason", sentence)
		},
	}
}

// watchMasters renews the list, as people bring masters by hand.
func (a *Agent) watchMasters(ctx context.Context) {
	tick := time.NewTicker(cmp.Or(a.o.Masters, 30*time.Second))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// The folder's absence is told by the watcher and /readyz.
			_, _ = a.store.RefreshMasters()
		}
	}
}

// close gives back what New took; twice does no harm.
func (a *Agent) close() {
	if a.ln != nil {
		_ = a.ln.Close()
	}
	if a.journal != nil {
		_ = a.journal.Close()
	}
	if a.store != nil {
		a.store.Close() // last: a successor may begin when nothing is written any more
	}
}
