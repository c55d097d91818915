// Package secret owns the one type that holds a token. However it is printed,
// logged or encoded, it shows *** and nothing of what it holds.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
)

// Text is a token or password.
type Text struct{ s string }

const mask = "***"

// New keeps s.
func New(s string) Text { return Text{s} }

// Reveal is the secret itself, for the one place that sends it.
func (t Text) Reveal() string { return t.s }

// IsZero reports whether there is no secret.
func (t Text) IsZero() bool { return t.s == "" }

// Equal compares in a time that tells nothing of either side, their lengths
// included. An empty secret equals nothing.
func (t Text) Equal(s string) bool {
	a, b := sha256.Sum256([]byte(t.s)), sha256.Sum256([]byte(s))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && t.s != ""
}

func (t Text) String() string { return mask }

// GoString masks %#v.
func (t Text) GoString() string { return mask }

// MarshalText masks JSON and YAML.
func (t Text) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue masks slog.
func (t Text) LogValue() slog.Value { return slog.StringValue(mask) }
