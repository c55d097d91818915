package dhcphosts

import (
	"maps"
	"testing"

	"ipxe-all-ready/internal/netboot"
)

func TestOfSeveralLinesThatGiveOneHostNameTheFirstCounts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		owner      netboot.MAC
		rivals     map[netboot.MAC]Rival
	}{
		{"a cut line", "52:54:00:00:00:01,worker-01\n# x\n52:54:00:00:00:02,worker-01", m1, map[netboot.MAC]Rival{m2: {w1, 3, m1, 1}}},
		{"cards of one machine", "52:54:00:00:00:01,52:54:00:00:00:02,worker-01\n", m1, nil},
		{"a stranger with two cards", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,52:54:00:00:00:03,worker-01\n", m1,
			map[netboot.MAC]Rival{m2: {w1, 2, m1, 1}, m3: {w1, 2, m1, 1}}},
		{"under a tag", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,tag:efi,worker-01\n", m1, map[netboot.MAC]Rival{m2: {w1, 2, m1, 1}}},
		{"the same line twice", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:01,worker-01\n", m1, map[netboot.MAC]Rival{}},
		{"the first stands again below", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,worker-01\n52:54:00:00:00:01,worker-01\n", m1,
			map[netboot.MAC]Rival{m2: {w1, 2, m1, 1}}},
		{"the first has another name by now", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,worker-01\n52:54:00:00:00:01,worker-02\n", m2, map[netboot.MAC]Rival{}},
		{"a card joins the first", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,52:54:00:00:00:01,worker-01\n", m1, map[netboot.MAC]Rival{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Parse([]byte(c.text))
			if got, ok := f.MACOf(w1); !ok || got != c.owner {
				t.Errorf("worker-01 is %s, want %s", got, c.owner)
			}
			if got := f.Rivals(); !maps.Equal(got, c.rivals) {
				t.Errorf("rivals %v, want %v", got, c.rivals)
			}
		})
	}
}

func TestBindingASharedNameLeavesOneMachineWithIt(t *testing.T) {
	for _, c := range []struct {
		name, before string
		mac          netboot.MAC
		after        string
	}{
		{"to the rival", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,worker-01\n", m2, "52:54:00:00:00:02,worker-01\n"},
		{"to a third", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:01,worker-01\n", m3, "52:54:00:00:00:03,worker-01\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Parse([]byte(c.before))
			if !f.Bind(c.mac, w1) {
				t.Error("nothing changed")
			}
			if got := string(f.Bytes()); got != c.after || len(f.Rivals()) != 0 {
				t.Errorf("got %q, want %q", got, c.after)
			}
			checkAgainstFresh(t, f)
			f.Rollback(0)
			if got := string(f.Bytes()); got != c.before {
				t.Errorf("rolled back to %q", got)
			}
		})
	}
}
