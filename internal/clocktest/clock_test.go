package clocktest

import (
	"testing"
	"time"
)

func TestTheCalendarJumpsAndTheMonotonicTimeGoesOn(t *testing.T) {
	var c Clock
	start := c.Now()
	for _, ahead := range []time.Duration{0, 3 * time.Hour, -3 * time.Hour, 20 * 365 * 24 * time.Hour, -20 * 365 * 24 * time.Hour} {
		c.Set(ahead)
		now := c.Now()
		if off := now.Round(0).Sub(time.Now().Add(ahead).Round(0)); off > time.Minute || off < -time.Minute {
			t.Errorf("set by %s it shows %s", ahead, now)
		}
		if gone := now.Sub(start); gone < 0 || gone > time.Minute {
			t.Errorf("set by %s, %s went by", ahead, gone)
		}
	}
}
