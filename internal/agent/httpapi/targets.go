package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/journal"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/iscsi"
)

func (s *server) listTargets(c *gin.Context) (int, any, error) {
	targets, err := s.Export.Targets(c.Request.Context())
	if err != nil {
		return 0, nil, err
	}
	out := make([]api.Target, len(targets))
	for i, t := range targets {
		out[i] = targetRow(t)
	}
	return http.StatusOK, out, nil
}

func targetRow(t target.Target) api.Target {
	row := api.Target{IQN: t.Name, LUNs: []api.LUN{}, Sessions: sessionRows(t.Sessions)}
	if t.TID != 0 {
		row.TID = &t.TID
	}
	for _, l := range t.LUNs {
		row.LUNs = append(row.LUNs, api.LUN{LUN: int(l.Number), Backing: orNull(l.Backing), Type: l.Type, Size: l.Size})
	}
	return row
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// removal is DELETE /lun's query, as the log keeps it.
type removal struct {
	IQN        string `json:"iqn"`
	DeleteFile bool   `json:"delete_file"`
	Force      bool   `json:"force"`
}

func (s *server) deleteTarget(c *gin.Context) (int, any, error) {
	req := removal{IQN: c.Query("iqn")}
	q, err := s.removal(c, &req)
	if err == nil {
		err = s.Export.Delete(c.Request.Context(), q, req.DeleteFile, req.Force)
	}
	out := api.LUNDeleted{Deleted: q.String(), DeleteFile: req.DeleteFile}
	req.IQN = short(req.IQN)
	s.Journal.Add(c, journal.Delete, c.ClientIP(), req, out, err)
	return http.StatusOK, out, err
}

func (s *server) removal(c *gin.Context, req *removal) (q iscsi.IQN, err error) {
	if req.DeleteFile, err = httpx.QueryBool(c, "delete_file"); err != nil {
		return q, err
	}
	if req.Force, err = httpx.QueryBool(c, "force"); err != nil {
		return q, err
	}
	if req.IQN == "" {
		return q, fault.New(fault.Invalid, "iqn is missing")
	}
	return iscsi.ParseIQN(req.IQN)
}

func (s *server) scan(c *gin.Context) (int, any, error) {
	done, err := s.Export.Scan(c.Request.Context())
	out := ScanRows(done)
	s.Journal.Add(c, journal.Scan, c.ClientIP(), struct{}{}, out, err)
	return http.StatusOK, out, err
}

// ScanRows is a scan as it goes over the wire and into the log.
func ScanRows(done export.Scanned) api.Scan {
	out := api.Scan{Created: []api.Scanned{}, Skipped: done.Skipped}
	if out.Skipped == nil {
		out.Skipped = []string{}
	}
	for _, x := range done.Created {
		out.Created = append(out.Created, api.Scanned{IQN: x.IQN.String(), CD: x.CD})
	}
	for _, x := range done.Failed {
		out.Failed = append(out.Failed, api.ScanFailed{Name: x.Name, Error: x.Error})
	}
	return out
}

func (s *server) listLogs(c *gin.Context) (int, any, error) {
	since, err := httpx.QueryInt(c, "since", 0, 0, 1<<62)
	if err != nil {
		return 0, nil, err
	}
	limit, err := httpx.QueryInt(c, "limit", journal.DefaultLimit, 1, journal.MaxLimit)
	if err != nil {
		return 0, nil, err
	}
	page, err := s.Journal.Read(since, int(limit))
	return http.StatusOK, page, err
}
