package ledger

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"
)

// mapping reads the fields of one YAML mapping into words. With a flaw, what is
// read does not matter.
type mapping struct {
	what   string // of whom the sentences speak: "worker worker-01"
	line   int
	fields map[string]*yaml.Node
	flaws  flaws
	wreck  bool // no field of it can be told
}

func newMapping(what string, n *yaml.Node) *mapping {
	m := &mapping{what: what, line: n.Line, fields: map[string]*yaml.Node{}}
	if n.Kind != yaml.MappingNode {
		m.fail(n.Line, "is no mapping")
		m.wreck = true
		return m
	}
	if err := unique(n); err != nil {
		m.add(asFlaw(err))
		m.wreck = true
		return m
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		m.fields[n.Content[i].Value] = n.Content[i+1]
	}
	m.merge(n.Content)
	return m
}

// merge adds what "<<" brings in; a field of one's own wins.
func (m *mapping) merge(pairs []*yaml.Node) {
	from := m.fields["<<"]
	if from == nil {
		return
	}
	sources := []*yaml.Node{from}
	if from.Kind == yaml.SequenceNode {
		sources = from.Content
	}
	for _, src := range sources {
		for i := 0; src.Kind == yaml.MappingNode && i+1 < len(src.Content); i += 2 {
			if key := src.Content[i].Value; m.fields[key] == nil {
				m.fields[key] = src.Content[i+1]
			}
		}
	}
}

func (m *mapping) fail(line int, text string) { m.add(flawAt(line, "%s: %s", m.what, text)) }

func (m *mapping) add(f *flaw) {
	if !m.wreck {
		m.flaws = append(m.flaws, f)
	}
}

func (m *mapping) has(key string) bool { return !isNull(m.fields[key]) }

// text is a scalar; absent and null are empty.
func (m *mapping) text(key string) string {
	n := m.fields[key]
	switch {
	case isNull(n):
		return ""
	case n.Kind != yaml.ScalarNode:
		m.fail(n.Line, key+" is no text")
		return ""
	case strings.ContainsFunc(n.Value, unicode.IsControl):
		m.fail(n.Line, key+" holds a control character")
		return ""
	}
	return n.Value
}

// parsed reads a scalar with a word's constructor; absent and empty give the zero value.
func parsed[T any](m *mapping, key string, parse func(string) (T, error)) (v T) {
	s := m.text(key)
	if s == "" {
		return v
	}
	v, err := parse(s)
	if err != nil {
		m.add(flawed(m.fields[key].Line, m.what+": "+key, err))
	}
	return v
}

// needed is parsed for a field that must be there.
func needed[T any](m *mapping, key string, parse func(string) (T, error)) (v T) {
	known := len(m.flaws)
	if m.text(key) == "" {
		if len(m.flaws) == known {
			m.fail(m.line, key+" is missing")
		}
		return v
	}
	return parsed(m, key, parse)
}

func (m *mapping) truth(key string, absent bool) bool {
	n := m.fields[key]
	if isNull(n) {
		return absent
	}
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off":
		return false
	}
	m.fail(n.Line, key+" is neither true nor false")
	return absent
}

// count is a whole number from 0, nil when absent.
func (m *mapping) count(key string) *int {
	n := m.fields[key]
	if isNull(n) {
		return nil
	}
	v, err := strconv.Atoi(n.Value)
	if err != nil || v < 0 {
		m.fail(n.Line, key+" is no whole number from 0")
		return nil
	}
	return &v
}

func (m *mapping) time(key string) time.Time {
	s := m.text(key)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		m.fail(m.fields[key].Line, key+" is no time such as 2026-07-01T10:00:00Z")
	}
	return t
}

// sub is the mapping under key, nil when absent.
func (m *mapping) sub(key string) *mapping {
	if !m.has(key) {
		return nil
	}
	return newMapping(m.what+": "+key, m.fields[key])
}

// list is the sequence under key.
func (m *mapping) list(key string) []*yaml.Node {
	n := m.fields[key]
	switch {
	case isNull(n):
		return nil
	case n.Kind != yaml.SequenceNode:
		m.fail(n.Line, key+" is no list")
		return nil
	}
	return n.Content
}

// join takes over the flaws of a mapping inside m.
func (m *mapping) join(inner *mapping) { m.flaws = append(m.flaws, inner.flaws...) }

func (m *mapping) err() error { return m.flaws.err() }
