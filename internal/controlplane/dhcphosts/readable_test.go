package dhcphosts

import "testing"

func TestALineThatWasCutThroughIsNoPersonsLine(t *testing.T) {
	for line, want := range map[string]bool{
		"":                              true,
		"# mine":                        true,
		"52:54:00:00:00:01,pc-01":       true,
		"52:54:00:AA:00:01,pc-01 # x\n": true,
		"2:54:00:00:00:01,pc-01":        false,
		"52:54:52:54:00:00:00:01,pc-01": false,
		"52:54:00:00# mine":             false,
		"52:54:00:00":                   false,
	} {
		if got := Readable([]byte(line)); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
