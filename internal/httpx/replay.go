package httpx

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// replayTime is how long an answer is given again.
const replayTime = time.Hour

// replay is the first answer to a key.
type replay struct {
	mark [sha256.Size]byte // of what was asked for
	done chan struct{}     // closed when the rest is set

	kept                  bool // it counts
	at                    time.Time
	status                int
	location, contentType string
	body                  []byte
}

func (r *replay) write(c *gin.Context) {
	c.Header(headerReplay, "true")
	if r.location != "" {
		c.Header("Location", r.location)
	}
	c.Data(r.status, r.contentType, r.body)
	c.Abort()
}

// replays are the answers of the last hour, bounded by number and size: the
// oldest go first.
type replays struct {
	now       func() time.Time
	most      int
	mostBytes int

	mu    sync.Mutex
	of    map[[sha256.Size]byte]*replay
	order [][sha256.Size]byte // of the answers kept, oldest first
	bytes int
}

// claim returns what stands under the key, or a new replay that the caller
// must settle.
func (k *replays) claim(key, mark [sha256.Size]byte) (r *replay, first bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget()
	if r, ok := k.of[key]; ok {
		return r, false
	}
	if k.of == nil {
		k.of = make(map[[sha256.Size]byte]*replay)
	}
	r = &replay{mark: mark, done: make(chan struct{})}
	k.of[key] = r
	return r, true
}

func (k *replays) settle(key [sha256.Size]byte, r *replay, keep bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer close(r.done)
	if !keep {
		delete(k.of, key)
		return
	}
	r.kept, r.at = true, k.now()
	k.order = append(k.order, key)
	k.bytes += len(r.body)
	k.forget()
}

// forget drops what is too old or too much.
func (k *replays) forget() {
	for len(k.order) > 0 {
		oldest := k.of[k.order[0]]
		if k.now().Sub(oldest.at) < replayTime && len(k.order) <= k.most && k.bytes <= k.mostBytes {
			return
		}
		k.bytes -= len(oldest.body)
		delete(k.of, k.order[0])
		k.order = k.order[1:]
	}
}
