package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/version"
)

// emptyDisk is how a blank disk is made.
const emptyDisk = "sparse file"

// patience with the iSCSI server of those who only ask how a node is: a server
// that hangs must not make the node look dead.
const patience = 3 * time.Second

// readiness is GET /readyz.
type readiness struct {
	Status  string   `json:"status"` // ready or not_ready
	Reasons []string `json:"reasons,omitempty"`
	Notes   []string `json:"notes,omitempty"` // what wants a look and stops nothing that is served
}

// ready is 503 while no disk could be served. A full disk alone is a note:
// machines go on.
func (s *server) ready(c *gin.Context) (int, any, error) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), patience)
	defer cancel()
	var out readiness
	if _, err := s.Backend.Ping(ctx); err != nil {
		out.Reasons = append(out.Reasons, fault.Sentence(err))
	}
	if err := s.Store.Writable(); err != nil {
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			out.Notes = append(out.Notes, fault.Sentence(err))
		} else {
			out.Reasons = append(out.Reasons, fault.Sentence(err))
		}
	}
	out.Notes = append(out.Notes, s.notes()...)
	if len(out.Reasons) > 0 {
		out.Status = "not_ready"
		return http.StatusServiceUnavailable, out, nil
	}
	out.Status = "ready"
	return http.StatusOK, out, nil
}

func (s *server) notes() (notes []string) {
	if space, err := s.Store.Space(); err == nil && space.Free < max(1, space.Reserve) {
		notes = append(notes, fmt.Sprintf("%d bytes are free and %d are kept in reserve (IPXE_MIN_FREE): no new disk is made", space.Free, space.Reserve))
	}
	for _, err := range []error{s.Store.Unlocked(), s.Journal.Wrong(), s.Export.Kept()} {
		if err != nil {
			notes = append(notes, fault.Sentence(err))
		}
	}
	if s.Notes != nil {
		notes = append(notes, s.Notes()...)
	}
	return notes
}

// capabilities answers also while the iSCSI server is down, then without
// targets: what a node can do is asked before it is used.
func (s *server) capabilities(c *gin.Context) (int, any, error) {
	clone, err := s.Store.CloneWay()
	if err != nil {
		return 0, nil, err
	}
	space, err := s.Store.Space()
	if err != nil {
		return 0, nil, err
	}
	traits := s.Backend.Traits()
	out := api.Capabilities{
		Backend: traits.Name, FSType: space.FSType, CD: traits.CD, Persistent: traits.Persistent,
		BaseIQN: s.Base.String(), Clone: clone, EmptyDisk: emptyDisk,
		Version: version.String(), FreeBytes: space.Free, TotalBytes: space.Total,
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), patience)
	defer cancel()
	if targets, err := s.Export.Targets(ctx); err == nil {
		out.Targets = len(targets)
	}
	return http.StatusOK, out, nil
}

func (s *server) listMasters(*gin.Context) (int, any, error) {
	masters, err := s.Store.Masters()
	if err != nil {
		return 0, nil, err
	}
	out := api.Masters{Masters: []api.Master{}}
	for _, m := range masters {
		out.Masters = append(out.Masters, api.Master{Name: m.File, Size: m.Size, MTime: m.ModTime.UTC()})
	}
	return http.StatusOK, out, nil
}

func (s *server) version(*gin.Context) (int, any, error) {
	b := version.Info()
	return http.StatusOK, api.Version{Version: b.Version, Commit: b.Commit, Go: b.Go}, nil
}
