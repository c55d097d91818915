package httpapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/event"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/secret"
)

// Options are what the API stands on.
type Options struct {
	Provision      *provision.Service
	Ledger         *ledger.Ledger
	Audit          *audit.Log
	Tasks          *task.Registry
	Events         *event.Hub
	Stopping       <-chan struct{}
	Token, View    secret.Text // zero: open; View may only read
	TrustedProxies []string
	Log            *slog.Logger
	Now            func() time.Time    // nil: time.Now
	Guessed        func(client string) // hears, now and then, of an address that tries tokens

	Notes func() []string // of GET /readyz, beside the ledgers' own; nil: none

	Observe func(method, route string, status int, took time.Duration) // of every answer; nil: nobody listens
	Metrics http.Handler                                               // GET /metrics
}

type server struct {
	Options
	workers *workerList
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func newServer(o Options) *server {
	return &server{Options: o, workers: newWorkerList(o.Ledger, o.withDefaults().Now())}
}

// New is the whole API.
func New(o Options) (*gin.Engine, error) {
	o = o.withDefaults()
	e, err := httpx.NewEngine(httpx.EngineOptions{Log: o.Log, TrustedProxies: o.TrustedProxies, Observe: o.Observe})
	if err != nil {
		return nil, err
	}
	s := newServer(o)
	open(e, s)

	answer := httpx.Answer
	failures := httpx.NewFailures(httpx.FailuresOptions{Log: o.Log, Now: o.Now, Noticed: o.Guessed})
	r := e.Group("/", httpx.Auth(o.Token, o.View, failures), httpx.Idempotency(o.Now))
	r.GET("/workers", httpx.Gzip, s.listWorkers)
	r.POST("/workers", answer(s.createWorker))
	r.GET("/workers/:id", answer(s.getWorker))
	r.DELETE("/workers/:id", answer(s.deleteWorker))
	r.GET("/workers/:id/status", answer(s.workerStatus))
	r.PUT("/workers/:id/mac", answer(s.setMAC))
	r.PUT("/workers/:id/default-os", answer(s.setBoot))
	r.POST("/workers/:id/luns/disk", answer(s.createDisk))
	r.DELETE("/workers/:id/luns/disk/:os", answer(s.deleteDisk))
	r.POST("/workers/:id/luns/cd", answer(s.attachCD))
	r.DELETE("/workers/:id/luns/cd", answer(s.detachCD))
	r.GET("/agents", httpx.Gzip, answer(s.listAgents))
	r.POST("/agents", answer(s.registerAgent))
	r.POST("/agents/probe", answer(s.probeAgent))
	r.PUT("/agents/:id", answer(s.updateAgent))
	r.DELETE("/agents/:id", answer(s.deleteAgent))
	r.GET("/agents/:id/luns", httpx.Gzip, answer(s.listTargets))
	r.DELETE("/agents/:id/luns", answer(s.deleteTarget))
	r.POST("/agents/:id/luns/disk", answer(s.createTarget))
	r.POST("/agents/:id/luns/cd", answer(s.createCDTarget))
	r.POST("/agents/:id/luns/scan", answer(s.scanTargets))
	r.GET("/agents/:id/sessions", httpx.Gzip, answer(s.listSessions))
	r.GET("/masters", httpx.Gzip, answer(s.listMasters))
	r.POST("/workers/luns/disk/batch", answer(s.createDisks))
	r.POST("/workers/delete/batch", answer(s.deleteWorkers))
	r.GET("/tasks", httpx.Gzip, answer(s.listTasks))
	r.GET("/tasks/:id", httpx.Gzip, answer(s.getTask))
	r.DELETE("/tasks/:id", answer(s.cancelTask))
	r.GET("/events", s.events)
	r.GET("/operations", httpx.Gzip, answer(s.listOperations))
	r.GET("/reconcile", httpx.Gzip, answer(s.listFindings))
	r.POST("/reconcile", answer(s.fixFindings))
	r.GET("/settings/auto-register", answer(s.getAutoRegister))
	r.PUT("/settings/auto-register", answer(s.setAutoRegister))
	r.GET("/version", answer(s.version))
	r.GET("/openapi.json", httpx.Gzip, s.document)
	r.GET("/metrics", gin.WrapH(o.Metrics))
	return e, nil
}

// NewBoot is the part that needs no token, for a plain port beside a TLS one.
func NewBoot(o Options) (*gin.Engine, error) {
	e, err := httpx.NewEngine(httpx.EngineOptions{Log: o.Log, TrustedProxies: o.TrustedProxies, Observe: o.Observe})
	if err != nil {
		return nil, err
	}
	s := newServer(o)
	e.GET("/healthz", s.healthz)
	e.GET("/boot-vars", s.bootVars)
	return e, nil
}

// open are the paths without a token: firmware has none, and a probe needs none.
func open(e *gin.Engine, s *server) {
	e.GET("/healthz", s.healthz)
	e.GET("/readyz", s.readyz)
	e.GET("/boot-vars", s.bootVars)
}
