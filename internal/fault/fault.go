// Package fault owns the kinds of error that cross a package border and the
// sentence a caller may read. It knows no HTTP: httpx turns kinds into status
// codes, client turns status codes back into kinds.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind says what a caller can do about an error.
type Kind uint8

const (
	// Internal is a fault of ours; the caller sees no cause.
	Internal Kind = iota
	// Invalid is input that can never be accepted as it stands.
	Invalid
	// Unauthorized is a missing or wrong token.
	Unauthorized
	// Forbidden is a token that may not do this.
	Forbidden
	// NotFound names a thing that is not there.
	NotFound
	// Exists is a name, MAC or disk that is taken.
	Exists
	// InUse is a target with a live session.
	InUse
	// InProgress is a thing that another request is making or removing.
	InProgress
	// Conflict is any other clash with what stands.
	Conflict
	// TooLarge is a body over the limit.
	TooLarge
	// Unsupported is asked of a backend that cannot do it.
	Unsupported
	// Upstream is another daemon that refused or spoke nonsense.
	Upstream
	// Unavailable may work later: an agent, the iSCSI server or a ledger is out.
	Unavailable
	// NoSpace is a full disk.
	NoSpace
	// TooMany is a caller that has to wait: wrong tokens came from its address.
	TooMany
)

var codes = [...]string{
	"internal", "invalid", "unauthorized", "forbidden", "not_found", "exists", "target_in_use",
	"in_progress", "conflict", "too_large", "unsupported", "upstream", "unavailable", "no_space", "too_many_failures",
}

// Code is the kind's snake_case name, the default code of its errors.
func (k Kind) Code() string {
	if int(k) < len(codes) {
		return codes[k]
	}
	return codes[Internal]
}

// KindOfCode is the kind that a code names, else Internal.
func KindOfCode(code string) Kind {
	return Kind(max(slices.Index(codes[:], code), int(Internal)))
}

// Error is an error with a kind and a sentence that is safe to show.
type Error struct {
	Kind   Kind
	Code   string // snake_case for programs; empty means Kind.Code()
	Text   string // a sentence for people, naming the offending value
	Detail any    // replaces Text on the wire where an object is wanted
	Told   int    // the number that another daemon gave its refusal, to be passed on as it is; 0: none
	Err    error  // the cause, for the log only
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Text + ": " + e.Err.Error()
	}
	return e.Text
}

func (e *Error) Unwrap() error { return e.Err }

// New makes an error of kind k with a sentence for the caller.
func New(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Text: fmt.Sprintf(format, args...)}
}

// Wrap makes an error of kind k whose cause goes to the log and not to the caller.
func Wrap(k Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: k, Text: fmt.Sprintf(format, args...), Err: cause}
}

// WithCode sets a code other than the kind's own and returns e.
func (e *Error) WithCode(code string) *Error {
	e.Code = code
	return e
}

// As finds the first *Error in err's chain; nil when there is none.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// KindOf is the kind of the first *Error in the chain, else Internal.
func KindOf(err error) Kind {
	if e := As(err); e != nil {
		return e.Kind
	}
	return Internal
}

// Is reports whether err carries kind k. A nil error has no kind.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }

// CodeOf is the code a caller sees for err.
func CodeOf(err error) string {
	e := As(err)
	if e == nil {
		return Internal.Code()
	}
	if e.Code != "" {
		return e.Code
	}
	return e.Kind.Code()
}

// Sentence is what a caller may read of err; the cause of an unknown error stays in the log.
func Sentence(err error) string {
	if e := As(err); e != nil {
		return e.Text
	}
	return "internal error"
}

const (
	maxQuote = 80   // how much of a caller's value a sentence quotes, in bytes
	maxWords = 2000 // how much another daemon may say, in bytes
	clipped  = "…"
)

// Clip shortens what a caller sent, so that a sentence that quotes it stays one.
func Clip(s string) string { return clip(s, maxQuote) }

// ClipWords shortens what another daemon said to 2,000 bytes of valid UTF-8:
// it goes into lists, answers and trails.
func ClipWords(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxWords {
		return s
	}
	return clip(s, maxWords-len(clipped))
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + clipped
}
