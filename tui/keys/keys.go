// Package keys owns the one table of keys. Footer, help and docs/tui.md are
// made from it, and a key press is looked up in it.
package keys

// Scope is where a key works.
type Scope string

// Action is what a key does; its name is the key of its words too.
type Action string

// Binding is one line of the table.
type Binding struct {
	Scope  Scope
	Action Action
	Keys   []string // as the terminal library names them; the first is shown
	Footer bool     // shown at the bottom while it fits
}

// Find is what a key does in the first of the scopes that knows it.
func Find(key string, scopes ...Scope) (Action, bool) {
	for _, s := range scopes {
		for _, b := range byScope[s] {
			for _, k := range b.Keys {
				if k == key {
					return b.Action, true
				}
			}
		}
	}
	return "", false
}

// In is what works in a scope, in the table's order.
func In(s Scope) []Binding { return byScope[s] }

var byScope = func() map[Scope][]Binding {
	m := map[Scope][]Binding{}
	for _, b := range Table {
		m[b.Scope] = append(m[b.Scope], b)
	}
	return m
}()

var shown = map[string]string{
	" ": "space", "up": "↑", "down": "↓", "left": "←", "right": "→", "shift+up": "shift+↑", "shift+down": "shift+↓", "pgdown": "pgdn",
}

// Show is a key as a person reads it.
func Show(key string) string {
	if s := shown[key]; s != "" {
		return s
	}
	return key
}
