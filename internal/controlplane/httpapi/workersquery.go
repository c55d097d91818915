package httpapi

import (
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/netboot"
)

// maxPage is the most rows of one page.
const maxPage = 10_000

// workersQuery chooses rows of GET /workers; the zero value chooses all.
type workersQuery struct {
	text  string // in id, host name or MAC
	state string
	os    netboot.OS
	agent netboot.AgentID
	bound string // "", "true" or "false"
	limit int    // 0: no pages
	after netboot.WorkerID
}

func readWorkersQuery(c *gin.Context) (q workersQuery, err error) {
	q.text = searched(c.Query("q"))
	if q.state, err = stateFrom(c.Query("state")); err != nil {
		return q, err
	}
	if v := c.Query("os"); v != "" {
		if q.os, err = netboot.ParseOS(v); err != nil {
			return q, err
		}
	}
	if v := c.Query("agent"); v != "" {
		if q.agent, err = netboot.ParseAgentID(v); err != nil {
			return q, err
		}
	}
	if c.Query("bound") != "" {
		bound, err := httpx.QueryBool(c, "bound")
		if err != nil {
			return q, err
		}
		q.bound = map[bool]string{true: "true", false: "false"}[bound]
	}
	limit, err := httpx.QueryInt(c, "limit", 0, 1, maxPage)
	if err != nil {
		return q, err
	}
	q.limit = int(limit)
	if v := c.Query("cursor"); v != "" {
		q.after, err = netboot.ParseWorkerID(v)
		if err != nil {
			return q, fault.Wrap(fault.Invalid, err, "cursor %q is not one that X-Next-Cursor gave", fault.Clip(v))
		}
	}
	return q, nil
}

// searched is what a person typed as rows hold it: a whole MAC in any spelling
// finds its row.
func searched(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if mac, err := netboot.ParseMAC(text); err == nil {
		return mac.String()
	}
	return text
}

func stateFrom(v string) (string, error) {
	states := []string{string(ledger.Registered), string(ledger.Ready), string(ledger.Installing), string(ledger.Failed)}
	v = strings.ToLower(v)
	if v != "" && !slices.Contains(states, v) {
		return "", fault.New(fault.Invalid, "state %q is not one of %s", fault.Clip(v), strings.Join(states, ", "))
	}
	return v, nil
}

func (q workersQuery) all() bool { return q == workersQuery{} }

func (q workersQuery) matches(r row) bool {
	return strings.Contains(r.text, q.text) &&
		(q.state == "" || q.state == r.state) &&
		(q.bound == "" || (q.bound == "true") == r.bound) &&
		(q.os.IsZero() || hasOS(r.worker, q.os)) &&
		(q.agent.IsZero() || r.worker.On(q.agent))
}

func hasOS(w *ledger.Worker, os netboot.OS) bool {
	_, ok := w.Disk(os)
	return ok
}
