package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/journal"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/task"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// createDisk refuses at once what can never be made; the rest is a task's
// outcome where the caller wants one.
func (s *server) createDisk(c *gin.Context) (int, any, error) {
	req, err := httpx.Decode[api.CreateLUN](c)
	if err != nil {
		return 0, nil, err
	}
	d, err := diskOf(req)
	if err == nil {
		err = s.Export.Check(d)
	}
	req.IQN, req.Filename, req.Master, req.Size = short(req.IQN), short(req.Filename), short(req.Master), short(req.Size)
	client := c.ClientIP()
	if err != nil {
		s.Journal.Add(c, journal.Disk, client, req, nil, err)
		return 0, nil, err
	}
	work := func(ctx context.Context, tell store.Progress) (api.LUNCreated, error) {
		made, err := s.Export.CreateDisk(ctx, d, tell)
		out := created(made)
		s.Journal.Add(ctx, journal.Disk, client, req, out, task.Outcome(ctx, err))
		return out, err
	}
	if httpx.PrefersAsync(c.Request.Header) {
		return s.begin(c, d.IQN.String(), work)
	}
	out, err := work(c.Request.Context(), nil)
	return http.StatusCreated, out, err
}

func created(m export.Created) api.LUNCreated {
	return api.LUNCreated{IQN: m.IQN.String(), Backing: m.Backing, Clone: m.Clone.Way, Bytes: m.Clone.Bytes}
}

// diskOf turns a request into words, the source last.
func diskOf(req api.CreateLUN) (d export.Disk, err error) {
	if req.IQN == "" {
		return d, fault.New(fault.Invalid, "iqn is missing")
	}
	if d.IQN, err = iscsi.ParseIQN(req.IQN); err != nil {
		return d, err
	}
	if req.Filename != "" {
		if d.Name, err = image.ParseDisk(req.Filename); err != nil {
			return d, err
		}
	}
	switch {
	case sources(req) != 1:
		return d, fault.New(fault.Invalid, "exactly one of master, size and existing is wanted, not %d", sources(req))
	case req.Master != "":
		d.Master, err = image.ParseMaster(req.Master)
	case req.Size != "":
		d.Size, err = image.ParseSize(req.Size)
	default:
		d.Existing = true
	}
	return d, err
}

func sources(req api.CreateLUN) int {
	n := 0
	for _, set := range []bool{req.Master != "", req.Size != "", req.Existing} {
		if set {
			n++
		}
	}
	return n
}

func (s *server) createCD(c *gin.Context) (int, any, error) {
	req, err := httpx.Decode[api.CreateCD](c)
	if err != nil {
		return 0, nil, err
	}
	out, err := s.makeCD(c, req)
	req.ISO, req.IQN = short(req.ISO), short(req.IQN)
	s.Journal.Add(c, journal.CD, c.ClientIP(), req, out, err)
	return http.StatusCreated, out, err
}

func (s *server) makeCD(c *gin.Context, req api.CreateCD) (api.LUNCreated, error) {
	iso, err := image.ParseCD(req.ISO)
	if err != nil {
		return api.LUNCreated{}, err
	}
	var q iscsi.IQN
	if req.IQN != "" {
		if q, err = iscsi.ParseIQN(req.IQN); err != nil {
			return api.LUNCreated{}, err
		}
	}
	made, err := s.Export.CreateCD(c.Request.Context(), iso, q)
	return created(made), err
}

// short keeps what a caller sent from filling the log. No word is longer.
func short(s string) string {
	if len(s) > 256 {
		return s[:256] + "…"
	}
	return s
}
