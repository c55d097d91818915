package keys_test

import (
	"slices"
	"testing"

	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/keys"
)

func TestNoKeyMeansTwoThingsInOnePlace(t *testing.T) {
	seen := map[keys.Scope]map[string]keys.Action{}
	for _, b := range keys.Table {
		if seen[b.Scope] == nil {
			seen[b.Scope] = map[string]keys.Action{}
		}
		for _, k := range b.Keys {
			if other, taken := seen[b.Scope][k]; taken {
				t.Errorf("%s: %q is %s and %s", b.Scope, k, other, b.Action)
			}
			seen[b.Scope][k] = b.Action
		}
	}
}

func TestEveryKeyAndPlaceHasItsWords(t *testing.T) {
	for _, b := range keys.Table {
		if !i18n.Has("key." + string(b.Action)) {
			t.Errorf("no words for %s", b.Action)
		}
		if !slices.Contains(keys.Scopes, b.Scope) {
			t.Errorf("%s is in no list of places", b.Scope)
		}
	}
	for _, s := range keys.Scopes {
		if !i18n.Has("scope."+string(s)) || len(keys.In(s)) == 0 {
			t.Errorf("%s has no words or no keys", s)
		}
	}
}

func TestTheNearerPlaceWins(t *testing.T) {
	if a, _ := keys.Find("tab", keys.Batch, keys.Global); a != keys.Pane {
		t.Error(a)
	}
	if a, _ := keys.Find("tab", keys.Workers, keys.Global); a != keys.Next {
		t.Error(a)
	}
	if _, ok := keys.Find("Z", keys.Workers, keys.Global); ok {
		t.Error("Z is no key")
	}
}

func TestNothingIsDeletedByASmallLetter(t *testing.T) {
	for _, b := range keys.Table {
		if b.Action == keys.Delete && (len(b.Keys) != 1 || b.Keys[0] != "D") {
			t.Errorf("%s deletes by %q", b.Scope, b.Keys)
		}
	}
}
