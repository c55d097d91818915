package i18n

import (
	"strings"
	"testing"
)

func TestOneOfAThingIsNotManyOfIt(t *testing.T) {
	for _, x := range []struct {
		key  string
		args []any
		want string
	}{
		{"delete.title", []any{1}, "Delete 1 worker"},
		{"delete.title", []any{2}, "Delete 2 workers"},
		{"rows.count", []any{1}, "1 row"},
		{"rows.count", []any{0}, "0 rows"},
		{"delete.lost", []any{1, 2, 1}, "1 worker with 2 disk targets and 1 CD target: all of it goes, and the MAC bindings."},
		{"off.used", []any{"node-1", 1}, "node-1 still serves 1 worker"},
	} {
		if got := English.T(x.key, x.args...); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}

func TestNoTextShowsItsForms(t *testing.T) {
	for _, key := range Keys() {
		for _, l := range Langs {
			if got := l.T(key, 1, 1, 1, 1); strings.ContainsAny(got, "{|}") && !strings.HasPrefix(got, "| ") {
				t.Errorf("%s: %q", key, got)
			}
		}
	}
}
