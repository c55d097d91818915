package provision

import (
	"sync"
	"time"
)

// hourly lets one event a key pass in an hour, so that a machine in a boot loop
// fills neither audit nor log.
type hourly struct {
	now  func() time.Time
	mu   sync.Mutex
	last map[string]time.Time
}

// maxHourly bounds the keys held: what strangers send must not fill memory.
const maxHourly = 4096

func (h *hourly) pass(key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	if t, ok := h.last[key]; ok && now.Sub(t) < time.Hour {
		return false
	}
	if h.last == nil || len(h.last) >= maxHourly {
		h.last = make(map[string]time.Time)
	}
	h.last[key] = now
	return true
}
