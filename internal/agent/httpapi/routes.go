// Package httpapi is the agent's REST edge: it decodes, turns strings into
// words, calls a use-case, encodes, and writes the operation log. Rules live in
// package export.
package httpapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/fence"
	"ipxe-all-ready/internal/agent/journal"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/task"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/secret"
)

// Options are what the API stands on.
type Options struct {
	Export  *export.Service
	Store   *store.Store
	Backend target.Backend
	Journal *journal.Journal
	Tasks   *task.Registry
	Fence   *fence.Watch
	Closed  bool // a disk admits its own machine alone
	Base    iscsi.Base
	Token   secret.Text
	Log     *slog.Logger
	Now     func() time.Time
	Notes   func() []string // of GET /readyz, beside the storage's own; nil: none

	Metrics http.Handler
	Observe func(method, route string, status int, took time.Duration) // of every answer
}

type server struct{ Options }

// New is the whole API.
func New(o Options) (http.Handler, error) {
	e, err := httpx.NewEngine(httpx.EngineOptions{Log: o.Log, Observe: o.Observe})
	if err != nil {
		return nil, err
	}
	s := &server{o}
	e.GET("/healthz", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) })

	answer := httpx.Answer
	r := e.Group("/", httpx.Auth(o.Token, secret.Text{}, httpx.NewFailures(httpx.FailuresOptions{Log: o.Log, Now: o.Now})))
	r.GET("/readyz", answer(s.ready))
	r.GET("/capabilities", answer(s.capabilities))
	r.GET("/lun", answer(s.listTargets))
	r.POST("/lun/disk", answer(s.createDisk))
	r.POST("/lun/cd", answer(s.createCD))
	r.DELETE("/lun", answer(s.deleteTarget))
	r.POST("/lun/scan", answer(s.scan))
	r.GET("/fencing", answer(s.fencing))
	r.GET("/masters", answer(s.listMasters))
	r.GET("/logs", answer(s.listLogs))
	r.GET("/tasks/:id", answer(s.getTask))
	r.DELETE("/tasks/:id", answer(s.cancelTask))
	r.GET("/metrics", gin.WrapH(o.Metrics))
	r.GET("/version", answer(s.version))
	return e, nil
}
