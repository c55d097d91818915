package provision

import (
	"maps"
	"sync"
	"time"
)

// hourly lets one event a key pass in an hour, so that a machine in a boot loop
// fills neither audit nor log.
type hourly struct {
	now   func() time.Time
	mu    sync.Mutex
	last  map[string]time.Time
	swept time.Time // when expired keys were last dropped from a full map
}

// maxHourly bounds the keys held: what strangers send must not fill memory. It
// lies above any fleet, so that only a flood of made-up machines meets it; what
// comes on top of it is not let pass, as it would fill the trail for ever.
const maxHourly = 1 << 17

func (h *hourly) pass(key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	if t, ok := h.last[key]; ok && now.Sub(t) < time.Hour {
		return false
	}
	if h.last == nil {
		h.last = make(map[string]time.Time)
	}
	if len(h.last) >= maxHourly && now.Sub(h.swept) > time.Minute {
		h.swept = now
		maps.DeleteFunc(h.last, func(_ string, t time.Time) bool { return now.Sub(t) >= time.Hour })
	}
	if _, known := h.last[key]; !known && len(h.last) >= maxHourly {
		return false
	}
	h.last[key] = now
	return true
}
