package provision

import (
	"fmt"
	"testing"
	"time"
)

func TestAnEventPassesOnceAnHourAtAnyFleetSize(t *testing.T) {
	now := time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)
	h := hourly{now: func() time.Time { return now }}
	const fleet = 20_000
	round := func() (passed int) {
		for i := range fleet {
			if h.pass(fmt.Sprint(i)) {
				passed++
			}
		}
		return passed
	}
	for i, want := range []int{fleet, 0, 0} {
		if got := round(); got != want {
			t.Errorf("round %d: %d of %d passed, want %d", i, got, fleet, want)
		}
		now = now.Add(time.Minute)
	}
	now = now.Add(time.Hour)
	if got := round(); got != fleet {
		t.Errorf("an hour later %d passed", got)
	}
}

func TestAFloodOfKeysFillsNeitherMemoryNorTheTrail(t *testing.T) {
	now := time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)
	h := hourly{now: func() time.Time { return now }}
	passed := 0
	for i := range maxHourly + 1000 {
		if h.pass(fmt.Sprint(i)) {
			passed++
		}
	}
	if passed != maxHourly || len(h.last) != maxHourly {
		t.Errorf("%d passed, %d are held", passed, len(h.last))
	}
	now = now.Add(2 * time.Hour)
	if !h.pass("new") || len(h.last) != 1 {
		t.Errorf("expired keys are not dropped: %d", len(h.last))
	}
}
