// Package selfcheck owns how a daemon tells a person what is wrong with its site
// before it is started, and what is the same for both daemons to look at. It
// changes nothing.
package selfcheck

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ipxe-all-ready/internal/config"
)

// Level is how much a finding matters.
type Level string

// The levels. Only a fault makes a check fail.
const (
	Note    Level = "note"    // good to know
	Warning Level = "warning" // it runs, and somebody will be sorry
	Fault   Level = "fault"   // something does not work
)

// Finding is one thing that was seen.
type Finding struct {
	Level Level
	Where string // a variable, or a file with its line
	What  string // a sentence
	Do    string // what mends it; "": What says it, or nothing does
}

// List is what a check found, in the order in which it looked.
type List []Finding

// Add notes one finding.
func (l *List) Add(level Level, where, do, format string, args ...any) {
	*l = append(*l, Finding{level, where, fmt.Sprintf(format, args...), do})
}

// Variables makes faults of what reading the environment refused, one line a
// variable, with its name in front, and warnings of what it took with a doubt.
// It returns the names of those that were refused.
func (l *List) Variables(refused error, doubts []config.Doubt) (wrong []string) {
	if refused != nil {
		for line := range strings.Lines(refused.Error()) {
			name, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			l.Add(Fault, name, "docs/settings.md has every variable", "%s", what)
			wrong = append(wrong, name)
		}
	}
	for _, d := range doubts {
		l.Add(Warning, d.Name, d.Do, "%s", d.Text)
	}
	return wrong
}

// Part is a piece of a check, which looks at what some variables say.
type Part struct {
	What  string   // it looks at
	Needs []string // variables, or what the names of several start with and a *
	Look  func()
}

// Parts looks at each part of which no variable is wrong, so that one mistyped
// number hides nothing else, and says which it passed by.
func (l *List) Parts(wrong []string, parts []Part) {
	for _, p := range parts {
		if i := slices.IndexFunc(wrong, p.needs); i >= 0 {
			l.Add(Note, p.What, "", "looked at once %s is right", wrong[i])
			continue
		}
		p.Look()
	}
}

func (p Part) needs(variable string) bool {
	return slices.ContainsFunc(p.Needs, func(name string) bool {
		start, many := strings.CutSuffix(name, "*")
		return name == variable || many && strings.HasPrefix(variable, start)
	})
}

// Certificates makes a fault of files that a start would refuse, and warnings
// of what they say of themselves; variables names the settings.
func (l *List) Certificates(variables string, refused error, read interface{ Faults() []string }) {
	if refused != nil {
		l.Add(Fault, variables, "the files are PEM, belong together, and the daemon's user can read them", "%v", refused)
		return
	}
	for _, text := range read.Faults() {
		l.Add(Warning, variables, "issue a new one and replace the files: no restart is needed", "%s", text)
	}
}

// Print writes the list and its sum, and reports whether there is no fault.
//
//	fault    /srv/site/state/workers.yml:7
//	         worker pc-02: hostname is missing
//	         → mend the line; ...
//	ipxe-cp: 1 fault, 0 warnings
func (l List) Print(w io.Writer, program string) bool {
	count := map[Level]int{}
	for _, f := range l {
		count[f.Level]++
		fmt.Fprintf(w, "%-8s %s\n         %s\n", f.Level, f.Where, f.What)
		if f.Do != "" {
			fmt.Fprintf(w, "         → %s\n", f.Do)
		}
	}
	fmt.Fprintf(w, "%s: %s, %s\n", program, number(count[Fault], "fault"), number(count[Warning], "warning"))
	return count[Fault] == 0
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
