// Package config turns the environment into typed values. It collects every
// problem, so that one failed start names all that has to be mended; a problem
// is a sentence that names the variable and its value, never a secret's.
package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// Source reads variables and remembers what was wrong with them. A variable
// that is set to nothing counts as unset.
type Source struct {
	lookup   func(name string) (string, bool)
	problems []error
}

// From reads through lookup, which os.LookupEnv is one of.
func From(lookup func(name string) (string, bool)) *Source { return &Source{lookup: lookup} }

// Err is every problem so far, one a line; nil when there is none.
func (s *Source) Err() error { return errors.Join(s.problems...) }

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

// Secret reads a token from a variable or, as environments are shown to more
// people than files, from the file that the variable file names; white space
// around it is cut off there. One that no HTTP header can carry is a problem;
// its value is never told. An empty file is no name of one.
func (s *Source) Secret(name, file string) secret.Text {
	v := s.get(name)
	if path := s.get(file); path != "" && file != "" {
		if v != "" {
			s.Reject(file, "is set beside %s; one of them is the token", name)
			return secret.Text{}
		}
		name = file
		v = s.secretIn(file, path)
	}
	for i := 0; i < len(v); i++ {
		if v[i] <= ' ' || v[i] > '~' {
			s.Reject(name, "holds white space or another character that an HTTP header cannot carry")
			return secret.Text{}
		}
	}
	return secret.New(v)
}

// longestSecret is above any token that a header carries, in bytes.
const longestSecret = 4096

func (s *Source) secretIn(name, path string) string {
	f, err := os.Open(path)
	if err != nil {
		s.Reject(name, "%v", err)
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, longestSecret+1))
	v := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		s.Reject(name, "%v", err)
	case len(b) > longestSecret:
		s.Reject(name, "%q is larger than %d bytes and no token", path, longestSecret)
	case v == "":
		s.Reject(name, "%q is empty", path)
	default:
		return v
	}
	return ""
}

// RequiredSecret is Secret of which one must be set.
func (s *Source) RequiredSecret(name, file string) secret.Text {
	if !s.Has(name) && !s.Has(file) {
		s.Reject(name, "is required and not set, nor is %s", file)
	}
	return s.Secret(name, file)
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
