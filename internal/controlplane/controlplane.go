// Package controlplane is the composition root of ipxe-cp: it puts the parts
// together and runs them. No rule lives here.
package controlplane

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"ipxe-all-ready/internal/certs"
	"ipxe-all-ready/internal/config"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/event"
	"ipxe-all-ready/internal/controlplane/httpapi"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/metrics"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/onewriter"
	"ipxe-all-ready/internal/sdnotify"
)

// ControlPlane is one running daemon.
type ControlPlane struct {
	log       *slog.Logger
	lock      *onewriter.Lock
	audit     *audit.Log
	ledger    *ledger.Ledger
	provision *provision.Service
	metrics   *metrics.Metrics
	tasks     *task.Registry
	events    *event.Hub
	stopping  chan struct{} // closed when Run is to end
	ports     []port

	shown *certs.Server // by the API; nil: plain HTTP
	nodes *certs.Client // believed of nodes, and shown to them
}

// port is one listener and what answers on it.
type port struct {
	ln      net.Listener
	handler http.Handler
	options httpx.ServerOptions
}

// New reads the ledgers and opens the ports; nothing is answered before Run.
func New(o Options, log *slog.Logger) (_ *ControlPlane, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	cp := &ControlPlane{log: log, events: newHub(), stopping: make(chan struct{})}
	defer func() {
		if err != nil {
			cp.close()
		}
	}()
	if cp.lock, err = onewriter.Open(o.Files.Lock, lockWords); err != nil {
		return nil, err
	}
	cp.metrics = metrics.New(sources(cp))
	cp.audit = audit.Open(o.Files.Operations, audit.Options{Now: o.Now, Committed: cp.operationWritten, May: cp.lock.Held})
	if err := cp.audit.Ready(); err != nil {
		log.Error("known machines boot, and nothing can be changed", "error", err)
	}
	if cp.ledger, err = ledger.Open(cp.ledgerOptions(o)); err != nil {
		return nil, err
	}
	if cp.tasks, err = task.Open(o.Files.Tasks, task.Options{Log: log, Now: o.Now, Changed: cp.taskChanged, May: cp.lock.Held}); err != nil {
		return nil, err
	}
	if err := cp.readCertificates(o); err != nil {
		return nil, err
	}
	dial := cp.dialer(o)
	cp.provision = provision.New(provision.Options{
		Ledger: cp.ledger, Audit: cp.audit, Log: log, Now: o.Now,
		Dial:   func(a *ledger.Agent) provision.Agent { return dial(a) },
		Folder: func(a *ledger.Agent) provision.Folder { return dial(a) },
		Copies: func(a *ledger.Agent) provision.Copier { return dial(a) },
		Tasks:  cp.tasks, AgentTimeout: o.AgentTimeout, CloneTimeout: o.CloneTimeout, AgentParallel: o.AgentParallel, FencingPause: o.Fencing,
		DefaultArch: o.DefaultArch.String(), AutoRegister: o.AutoRegister, MaxWorkers: o.MaxWorkers,
		MenuTimeout: int(o.MenuTimeout.Milliseconds()), LoopTimeout: int(o.LoopTimeout.Milliseconds()),
		StrictIdentity: o.StrictIdentity, OnAutoRegister: cp.metrics.AutoRegistered, OnTurnedAway: cp.metrics.TurnedAway,
		RegisterBurst: o.RegisterBurst, RegisterRefill: time.Minute / time.Duration(max(1, o.RegisterPerMinute)),
	})
	if err := cp.open(o); err != nil {
		return nil, err
	}
	for _, d := range o.Doubts {
		log.Warn(d.String())
	}
	debug.FreeOSMemory() // reading the files took several times what is kept of them
	if o.Token.IsZero() && !loopback(cp.Addr()) {
		log.Warn("IPXE_CP_TOKEN is not set: whoever reaches this address can change and delete everything", "address", cp.Addr().String())
	}
	return cp, nil
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// open binds the API's port and, beside a TLS one, the plain one for machines.
func (cp *ControlPlane) open(o Options) error {
	api := httpapi.Options{
		Provision: cp.provision, Ledger: cp.ledger, Audit: cp.audit,
		Tasks: cp.tasks, Events: cp.events, Stopping: cp.stopping,
		Token: o.Token, View: o.ViewToken, TrustedProxies: o.TrustedProxies, Log: cp.log, Guessed: cp.provision.Guessed, Notes: cp.certificateNotes,
		Observe: cp.metrics.Request, Metrics: cp.metrics.Handler(), Now: o.Now,
	}
	full, err := httpapi.New(api)
	if err != nil {
		return err
	}
	if cp.shown == nil {
		return cp.listen(o, o.Listen, full, nil)
	}
	boot, err := httpapi.NewBoot(api)
	if err != nil {
		return err
	}
	return errors.Join(cp.listen(o, o.Listen, full, cp.shown.Config()), cp.listen(o, o.BootListen, boot, nil))
}

func (cp *ControlPlane) listen(o Options, addr string, h http.Handler, secure *tls.Config) error {
	ln, err := config.Bound(net.Listen("tcp", addr))
	if err != nil {
		return err
	}
	cp.ports = append(cp.ports, port{ln, h, httpx.ServerOptions{
		Log: cp.log, TLS: secure, Connections: o.Connections, Spare: httpx.Networks(o.TrustedProxies),
	}})
	return nil
}

// Addr is where the API listens.
func (cp *ControlPlane) Addr() net.Addr { return cp.ports[0].ln.Addr() }

// BootAddr is where machines ask, which is Addr without TLS.
func (cp *ControlPlane) BootAddr() net.Addr { return cp.ports[len(cp.ports)-1].ln.Addr() }

// Run answers until ctx ends. It stops in the order of what needs what: the
// ports and the tasks first, then the ledger with what it still has to write, then
// the trail.
func (cp *ControlPlane) Run(ctx context.Context) error {
	defer cp.close()
	serving, stopServing := context.WithCancel(ctx)
	defer stopServing()
	writing, stopWriting := context.WithCancel(context.WithoutCancel(ctx))
	written := make(chan error, 1)
	go func() {
		written <- cp.ledger.Run(writing)
		stopServing() // a control plane that cannot write must not look alive
	}()

	var wg sync.WaitGroup
	errs := make([]error, len(cp.ports)+1)
	for i, p := range cp.ports {
		cp.log.Info("listening", "address", p.ln.Addr().String())
		wg.Go(func() {
			errs[i] = httpx.Serve(serving, p.ln, p.handler, p.options)
			stopServing()
		})
	}
	wg.Go(func() { sdnotify.Run(serving, cp.alive, cp.log) })
	wg.Go(func() { cp.provision.WatchBackends(serving) })
	wg.Go(func() { cp.provision.WatchFencing(serving) })
	wg.Go(func() { cp.provision.ClearLeftovers(serving) })
	wg.Go(func() {
		<-serving.Done()
		// Callers that wait for a task or read the stream would hold the ports up.
		close(cp.stopping)
		cp.tasks.Stop()
	})
	wg.Go(func() {
		errs[len(cp.ports)] = cp.watchLock(serving)
		stopServing()
	})
	wg.Wait()
	stopWriting()
	return errors.Join(append(errs, <-written)...)
}

// alive asks the plain port, which trusts no certificate. A disk or a node that
// hangs is no reason to begin anew: known machines boot without either.
func (cp *ControlPlane) alive(ctx context.Context) error {
	return httpx.Alive(ctx, cp.BootAddr(), false)
}

// close gives back what New took; what Run has closed is closed twice, which
// does no harm.
func (cp *ControlPlane) close() {
	for _, p := range cp.ports {
		_ = p.ln.Close()
	}
	if cp.audit != nil {
		_ = cp.audit.Close()
	}
	cp.lock.Release() // last: a successor may start when nothing is written any more
}
