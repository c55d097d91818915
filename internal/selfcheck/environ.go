package selfcheck

import (
	"slices"
	"strings"
)

// Environ is what a daemon was given, as os.Environ has it, and what it asked for.
type Environ struct {
	given []string
	asked map[string]bool
}

// NewEnviron keeps the list.
func NewEnviron(given []string) *Environ { return &Environ{given, map[string]bool{}} }

// Lookup is os.LookupEnv, and remembers what was asked for.
func (e *Environ) Lookup(name string) (string, bool) {
	e.asked[name] = true
	for _, pair := range slices.Backward(e.given) { // of two the last counts
		if n, value, _ := strings.Cut(pair, "="); n == name {
			return value, true
		}
	}
	return "", false
}

// ofTheConsole are variables that ipxe-tui reads in the same environment.
var ofTheConsole = []string{"IPXE_CP_URL", "IPXE_CP_CA"}

// Strange warns of what is set, begins as ours and was never asked for: a name
// that is mistyped sets nothing, and nothing else says so.
func (l *List) Strange(e *Environ, ours func(name string) bool) {
	for _, pair := range e.given {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && ours(name) && !e.asked[name] && !slices.Contains(ofTheConsole, name) {
			l.Add(Warning, name, "docs/settings.md has every variable", "nothing reads a variable of this name: is it mistyped?")
		}
	}
}
