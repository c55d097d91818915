package lio

import (
	"strings"
	"testing"
)

// waitsForTheMedium makes the same target with the one setting and the other.
func waitsForTheMedium(t *testing.T, s server) {
	e := export(t, "sync.debian")
	for _, c := range []struct {
		sync  bool
		mode  string
		cache string
	}{{false, "Mode: Buffered-WCE", "1"}, {true, "Mode: O_DSYNC", "0"}, {false, "Mode: Buffered-WCE", "1"}} {
		b := New(Options{Sync: c.sync})
		b.fs = s.tree
		mustEnsure(t, b, e, true) // nobody is logged in: made anew
		mustEnsure(t, b, e, false)
		store := hbas(e.IQN)[0] + "/" + storeName(e.IQN)
		info, err := s.tree.Read(store + "/info")
		must(t, err)
		cache, err := b.attr(store + "/attrib/emulate_write_cache")
		must(t, err)
		if !strings.Contains(info, c.mode) || cache != c.cache {
			t.Errorf("sync %t: %q with emulate_write_cache %s, want %s and %s", c.sync, info, cache, c.mode, c.cache)
		}
	}
	logout, err := s.login(e.IQN.String(), base+":running")
	must(t, err)
	b := New(Options{Sync: true})
	b.fs = s.tree
	mustEnsure(t, b, e, false) // not under a running machine
	logout()
	must(t, b.Remove(t.Context(), e.IQN, true))
}
