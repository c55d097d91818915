package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"ipxe-all-ready/internal/controlplane/nodetest"
)

// Trouble is what is wrong with a storage node.
type Trouble struct {
	Delay time.Duration // before each answer
	Fail  float64       // share of calls answered with a 500
	Hang  float64       // share of calls never answered
	Flap  time.Duration // up for that long, then away as long; 0 is up all the time
	Waits bool          // makes callers wait for a disk: it has no tasks
}

// Storage is a storage node in memory behind real HTTP, with its trouble.
type Storage struct {
	*nodetest.Node
	ID      string
	URL     string
	trouble Trouble
	server  *http.Server
	away    atomic.Int32 // 0 is here; odd cuts connections, even lets callers wait
	stop    context.CancelFunc
	ended   chan struct{}
}

// StartStorage runs a node on the loopback address.
func StartStorage(id string, trouble Trouble) (*Storage, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Storage{Node: nodetest.New(), ID: id, URL: "http://" + ln.Addr().String(), trouble: trouble, ended: make(chan struct{})}
	if !trouble.Waits {
		s.OfferTasks()
	}
	s.server = &http.Server{Handler: s.troubled(s.Handler())}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go func() { _ = s.server.Serve(ln) }() // Stop ends it
	go func() { defer close(s.ended); s.flap(ctx) }()
	return s, nil
}

// Stop ends it.
func (s *Storage) Stop() {
	s.stop()
	<-s.ended
	_ = s.server.Close()
}

func (s *Storage) flap(ctx context.Context) {
	if s.trouble.Flap <= 0 {
		return
	}
	for absence := int32(1); pause(ctx, s.trouble.Flap); absence++ {
		s.away.Store(absence)
		if !pause(ctx, s.trouble.Flap) {
			return
		}
		s.away.Store(0)
	}
}

func (s *Storage) troubled(node http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch away := s.away.Load(); {
		case away%2 == 1:
			panic(http.ErrAbortHandler) // cuts the connection
		case away > 0, rand.Float64() < s.trouble.Hang:
			<-r.Context().Done()
			return
		}
		if !pause(r.Context(), s.trouble.Delay) {
			return
		}
		if rand.Float64() < s.trouble.Fail {
			http.Error(w, `{"detail":"the backend failed","code":"internal","request_id":"fleet"}`, http.StatusInternalServerError)
			return
		}
		node.ServeHTTP(w, r)
	})
}

// Entry is the node's in agents.yml.
func (s *Storage) Entry() string {
	return fmt.Sprintf(`  %s:
    base_url: %s
    token: %s
    iscsi_server: 192.0.2.1
    role: {disk: true, cd: true}
    tags: [storage, stgt]
    enabled: true
`, s.ID, s.URL, s.Token)
}
