// Package config turns the environment into typed values. It collects every
// problem, so that one failed start names all that has to be mended; a problem
// is a sentence that names the variable and its value, never a secret's.
package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/fault"
)

// Source reads variables and remembers what was wrong with them. A variable
// that is set to nothing counts as unset.
type Source struct {
	lookup   func(name string) (string, bool)
	problems []error
	doubts   []Doubt
}

// From reads through lookup, which os.LookupEnv is one of.
func From(lookup func(name string) (string, bool)) *Source { return &Source{lookup: lookup} }

// Err is every problem so far, one a line, and Wrong; nil when there is none.
func (s *Source) Err() error { return Wrong(errors.Join(s.problems...)) }

// Reject adds a problem with a variable that only the caller can see, such as
// two that do not go together.
func (s *Source) Reject(name, format string, args ...any) {
	s.problems = append(s.problems, fmt.Errorf(name+" "+format, args...))
}

// Has reports whether the variable is set to something.
func (s *Source) Has(name string) bool { return s.get(name) != "" }

func (s *Source) get(name string) string {
	v, _ := s.lookup(name)
	return v
}

// String is the variable's value, or def.
func (s *Source) String(name, def string) string {
	if v := s.get(name); v != "" {
		return v
	}
	return def
}

// Required is the variable's value; unset is a problem.
func (s *Source) Required(name string) string {
	v := s.get(name)
	if v == "" {
		s.Reject(name, "is required and not set")
	}
	return v
}

// Bool reads true, yes, on, 1 and their opposites in any case.
func (s *Source) Bool(name string, def bool) bool {
	v := s.get(name)
	switch strings.ToLower(v) {
	case "":
		return def
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0":
		return false
	}
	s.Reject(name, "%q is neither true nor false", fault.Clip(v))
	return def
}

// Int reads a whole decimal number from least to most.
func (s *Source) Int(name string, def, least, most int) int {
	v := s.get(name)
	if v == "" {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		s.Reject(name, "%q is not a whole number from %d to %d", fault.Clip(v), least, most)
		return def
	}
	return n
}

// OneOf reads one of the allowed words in any case.
func (s *Source) OneOf(name, def string, allowed ...string) string {
	v := s.get(name)
	if v == "" {
		return def
	}
	for _, a := range allowed {
		if strings.EqualFold(a, v) {
			return a
		}
	}
	s.Reject(name, "%q is not one of %s", fault.Clip(v), strings.Join(allowed, ", "))
	return def
}

// RequiredOneOf is OneOf of a variable that must be set.
func (s *Source) RequiredOneOf(name string, allowed ...string) string {
	if !s.Has(name) {
		s.Reject(name, "is required and not set; it is one of %s", strings.Join(allowed, ", "))
	}
	return s.OneOf(name, "", allowed...)
}

// Parse reads a variable with the constructor of its type; unset, it reads
// def, and an empty def is the zero value.
func Parse[T any](s *Source, name, def string, parse func(string) (T, error)) T {
	var zero T
	v := s.String(name, def)
	if v == "" {
		return zero
	}
	t, err := parse(v)
	switch {
	case err == nil:
		return t
	case fault.As(err) != nil: // its sentence quotes the value
		s.Reject(name, "is wrong: %s", fault.Sentence(err))
	default:
		s.Reject(name, "%q is wrong: %v", fault.Clip(v), err)
	}
	return zero
}

// RequiredParse is Parse of a variable that must be set.
func RequiredParse[T any](s *Source, name string, parse func(string) (T, error)) T {
	s.Required(name)
	return Parse(s, name, "", parse)
}
