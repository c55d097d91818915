// Package secret owns the one type that holds a token. However it is printed,
// logged or encoded, it shows *** and nothing of what it holds.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"unique"
)

// Text is a token or password. Two of the same secret are ==.
type Text struct {
	// A handle and no string: fmt calls no methods on unexported fields, so a
	// struct that holds a Text in one would print a string's bytes.
	h unique.Handle[string]
}

const mask = "***"

// New keeps s.
func New(s string) Text {
	if s == "" {
		return Text{}
	}
	return Text{unique.Make(s)}
}

// Reveal is the secret itself, for the one place that sends it.
func (t Text) Reveal() string {
	if t.IsZero() {
		return ""
	}
	return t.h.Value()
}

// IsZero reports whether there is no secret.
func (t Text) IsZero() bool { return t == Text{} }

// Equal compares in a time that tells nothing of either side, their lengths
// included. An empty secret equals nothing.
func (t Text) Equal(s string) bool {
	a, b := sha256.Sum256([]byte(t.Reveal())), sha256.Sum256([]byte(s))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && !t.IsZero()
}

func (t Text) String() string { return mask }

// Format masks every verb, %d and %#v too.
func (t Text) Format(f fmt.State, _ rune) { fmt.Fprint(f, mask) }

// MarshalText masks JSON and YAML.
func (t Text) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue masks slog.
func (t Text) LogValue() slog.Value { return slog.StringValue(mask) }
