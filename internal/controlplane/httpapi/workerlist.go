package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/httpx"
	"ipxe-all-ready/internal/netboot"
)

// workerList is GET /workers, encoded once an edition of the ledger however
// many consoles poll it, and a row once a change of its worker.
type workerList struct {
	ledger  *ledger.Ledger
	start   string // tells this process's editions from another's
	current atomic.Pointer[edition]

	mu    sync.Mutex // of who makes the next edition
	count uint64
	rows  map[netboot.WorkerID]row
}

// edition is all rows at one moment. It holds its snapshot, so that no later
// one can have the same address.
type edition struct {
	snap    *ledger.Snapshot
	boots   uint64
	tag     string
	rows    []row // natural order
	whole   func() []byte
	gzipped func() []byte
}

// row is one worker as it is sent, and what it was made of.
type row struct {
	worker *ledger.Worker
	mac    netboot.MAC
	booted time.Time

	bound       bool
	state, text string // text is what q= searches
	json        []byte
}

func newWorkerList(l *ledger.Ledger, now time.Time) *workerList {
	return &workerList{ledger: l, start: strconv.FormatInt(now.UnixNano(), 36), rows: map[netboot.WorkerID]row{}}
}

// edition is the newest one, made anew only if something has changed.
func (l *workerList) edition() (*edition, error) {
	// The count is read before the rows: a boot in between is in the next edition too.
	boots, snap := l.ledger.Boots(), l.ledger.Snapshot()
	if e := l.current.Load(); e != nil && e.snap == snap && e.boots == boots {
		return e, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	boots, snap = l.ledger.Boots(), l.ledger.Snapshot()
	if e := l.current.Load(); e != nil && e.snap == snap && e.boots == boots {
		return e, nil
	}
	e := &edition{snap: snap, boots: boots, rows: make([]row, 0, snap.Len())}
	for w := range snap.Workers() {
		r, err := l.row(snap, w)
		if err != nil {
			return nil, err
		}
		e.rows = append(e.rows, r)
	}
	l.forget(snap)
	l.count++
	e.tag = l.start + "-" + strconv.FormatUint(l.count, 36)
	e.whole = sync.OnceValue(func() []byte { return join(e.rows) })
	e.gzipped = sync.OnceValue(func() []byte { return httpx.Compress(e.whole()) })
	l.current.Store(e)
	return e, nil
}

func (l *workerList) row(snap *ledger.Snapshot, w *ledger.Worker) (row, error) {
	mac, bound := snap.MACOf(w.Hostname)
	booted, _ := snap.LastBoot(w.ID)
	if r, ok := l.rows[w.ID]; ok && r.worker == w && r.mac == mac && r.bound == bound && r.booted.Equal(booted) {
		return r, nil
	}
	view := workerView(snap, w)
	body, err := json.Marshal(view)
	r := row{worker: w, mac: mac, booted: booted, bound: bound, state: view.State, json: body,
		text: view.WorkerID + "\n" + view.Hostname + "\n" + mac.String()}
	l.rows[w.ID] = r
	return r, err
}

// forget drops rows of workers that are gone.
func (l *workerList) forget(snap *ledger.Snapshot) {
	if len(l.rows) == snap.Len() {
		return
	}
	for id := range l.rows {
		if _, ok := snap.Worker(id); !ok {
			delete(l.rows, id)
		}
	}
}

func join(rows []row) []byte {
	n := 2
	for _, r := range rows {
		n += len(r.json) + 1
	}
	b := bytes.NewBuffer(make([]byte, 0, n))
	b.WriteByte('[')
	for i, r := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(r.json)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func (s *server) listWorkers(c *gin.Context) {
	q, err := readWorkersQuery(c)
	if err != nil {
		httpx.WriteError(c, err)
		return
	}
	e, err := s.workers.edition()
	if err != nil {
		httpx.WriteError(c, err)
		return
	}
	if httpx.Unchanged(c, e.tag) {
		return
	}
	const jsonType = "application/json; charset=utf-8"
	switch {
	case q.all() && httpx.TakesGzip(c.Request):
		c.Header("Content-Encoding", "gzip")
		c.Data(http.StatusOK, jsonType, e.gzipped())
	case q.all():
		c.Data(http.StatusOK, jsonType, e.whole())
	default:
		rows, next := e.choose(q)
		if next != "" {
			c.Header("X-Next-Cursor", next)
		}
		c.Data(http.StatusOK, jsonType, join(rows))
	}
}

// choose is the rows that q asks for, and where the next page begins; "" for the last.
func (e *edition) choose(q workersQuery) (rows []row, next string) {
	for _, r := range e.rows[len(e.rows)-e.left(q.after):] {
		if !q.matches(r) {
			continue
		}
		if q.limit > 0 && len(rows) == q.limit {
			return rows, rows[len(rows)-1].worker.ID.String()
		}
		rows = append(rows, r)
	}
	return rows, ""
}

// left is how many rows come after id.
func (e *edition) left(id netboot.WorkerID) (n int) {
	if id.IsZero() {
		return len(e.rows)
	}
	for range e.snap.WorkersAfter(id) {
		n++
	}
	return n
}
