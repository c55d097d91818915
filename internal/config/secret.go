package config

import (
	"fmt"

	"ipxe-all-ready/internal/secret"
	"ipxe-all-ready/internal/secretfile"
)

// Secret reads a token from a variable or, as environments are shown to more
// people than files, from the file that the variable file names; white space
// around it is cut off there. One that no HTTP header can carry is a problem;
// its value is never told. An empty file is no name of one. A token that others
// can read or guess is a doubt.
func (s *Source) Secret(name, file string) secret.Text {
	v := s.get(name)
	path := s.get(file)
	if path == "" || file == "" {
		if !secretfile.Carried(v) {
			s.Reject(name, "holds white space or another character that an HTTP header cannot carry")
			return secret.Text{}
		}
		return s.strong(name, secret.New(v))
	}
	if v != "" {
		s.Reject(file, "is set beside %s; one of them is the token", name)
		return secret.Text{}
	}
	token, err := secretfile.ReadToken(path)
	if err != nil {
		s.Reject(file, "%v", err)
		return secret.Text{}
	}
	if token.Doubt != "" {
		s.Doubt(file, secretfile.Remedy, "%s", token.Doubt)
	}
	return s.strong(file, token.Text)
}

// RequiredSecret is Secret of which one must be set.
func (s *Source) RequiredSecret(name, file string) secret.Text {
	if !s.Has(name) && !s.Has(file) {
		s.Reject(name, "is required and not set, nor is %s", file)
	}
	return s.Secret(name, file)
}

// strong doubts a token that can be guessed.
func (s *Source) strong(name string, token secret.Text) secret.Text {
	const least = 16 // characters: 96 bits where they are random
	if !token.IsZero() && len(token.Reveal()) < least {
		s.Doubt(name, "head -c 24 /dev/urandom | base64 makes a good one", "is shorter than %d characters and can be guessed", least)
	}
	return token
}

// Doubt is about a variable with which a daemon starts, and somebody will be
// sorry.
type Doubt struct {
	Name string // of the variable
	Text string // what follows it in a sentence
	Do   string // what mends it
}

func (d Doubt) String() string { return fmt.Sprintf("%s %s; %s", d.Name, d.Text, d.Do) }

// Doubts are all of them so far, in the order in which they were read.
func (s *Source) Doubts() []Doubt { return s.doubts }

// Doubt adds one that only the caller can see.
func (s *Source) Doubt(name, do, format string, args ...any) {
	s.doubts = append(s.doubts, Doubt{name, fmt.Sprintf(format, args...), do})
}
