package fleet

import (
	"strings"
	"testing"
	"time"
)

// held is a fleet whose load was held for six minutes; live and resident tell
// what a second brought, in MiB.
func held(live, resident func(second int) int) *Fleet {
	f := &Fleet{o: Options{Hold: 6 * time.Minute}, heldAt: time.Now(), Before: Sample{Goroutines: 40, Files: 20}, After: Sample{Goroutines: 44, Files: 22}}
	for i := range 360 {
		f.Samples = append(f.Samples, Sample{
			At: f.heldAt.Add(time.Duration(i)*time.Second + time.Millisecond), Live: int64(live(i)) << 20, Resident: int64(resident(i)) << 20,
		})
	}
	return f
}

func TestWhatIsNotGivenBackIsToldInASentence(t *testing.T) {
	flat := func(int) int { return 50 }
	for name, c := range map[string]struct {
		fleet *Fleet
		want  string
	}{
		"nothing":                   {held(flat, flat), ""},
		"peaks that pass":           {held(flat, func(i int) int { return 50 + 100*(i%2*(i%3)/2) }), ""},
		"filling up at first":       {held(func(i int) int { return min(50, i) }, func(i int) int { return min(50, i) }), ""},
		"live memory":               {held(func(i int) int { return 50 + i/6 }, flat), "under the same load ipxe-cp's live memory went from 80.0 MiB to 100.0 MiB"},
		"memory that is not live":   {held(flat, func(i int) int { return 50 + i/2 }), "under the same load ipxe-cp's resident memory went from 140.0 MiB to 200.0 MiB"},
		"a load too short to judge": {&Fleet{o: Options{Hold: time.Minute}}, ""},
	} {
		if got := strings.Join(c.fleet.leaks(), "; "); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	f := held(flat, flat)
	f.After = Sample{Goroutines: 140, Files: 22}
	if got := strings.Join(f.leaks(), "; "); got != "idle again, ipxe-cp has 140 goroutines and 22 open files, and had 40 and 20 before the load" {
		t.Errorf("%q", got)
	}
	if f.After = (Sample{Goroutines: 44, Files: 60}); len(f.leaks()) != 1 {
		t.Error("forty files that stay open are no leak?")
	}
}
