package fault

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEveryKindHasItsOwnCode(t *testing.T) {
	want := map[Kind]string{
		Internal: "internal", Invalid: "invalid", Unauthorized: "unauthorized", Forbidden: "forbidden",
		NotFound: "not_found", Exists: "exists", InUse: "target_in_use", InProgress: "in_progress",
		Conflict: "conflict", TooLarge: "too_large", Unsupported: "unsupported", Upstream: "upstream",
		Unavailable: "unavailable", NoSpace: "no_space", TooMany: "too_many_failures", TooMany + 1: "internal",
	}
	for k, code := range want {
		if k.Code() != code {
			t.Errorf("kind %d has code %q, want %q", k, k.Code(), code)
		}
	}
}

func TestAKindIsFoundThroughWrappingAndJoining(t *testing.T) {
	cause := New(Exists, "mac %s is taken", "m")
	for name, err := range map[string]error{
		"itself":  cause,
		"wrapped": fmt.Errorf("register worker-01: %w", cause),
		"joined":  errors.Join(io.EOF, cause),
		"a cause": fmt.Errorf("a: %w", fmt.Errorf("b: %w", cause)),
	} {
		t.Run(name, func(t *testing.T) {
			if KindOf(err) != Exists || !Is(err, Exists) || Is(err, Invalid) || As(err) != cause {
				t.Fatalf("kind is %v", KindOf(err))
			}
			if CodeOf(err) != "exists" || Sentence(err) != "mac m is taken" {
				t.Fatalf("code %q, sentence %q", CodeOf(err), Sentence(err))
			}
		})
	}
}

func TestTheOutermostKindCounts(t *testing.T) {
	err := Wrap(Unavailable, New(Exists, "inner"), "outer")
	if KindOf(err) != Unavailable || Sentence(err) != "outer" || err.Error() != "outer: inner" {
		t.Fatal(KindOf(err), Sentence(err), err)
	}
}

func TestAnUnknownErrorIsInternalAndTellsNothing(t *testing.T) {
	err := errors.New("open /secret/path: permission denied")
	if KindOf(err) != Internal || CodeOf(err) != "internal" || Sentence(err) != "internal error" || As(err) != nil {
		t.Fatal(KindOf(err), CodeOf(err), Sentence(err))
	}
}

func TestNoErrorHasNoKind(t *testing.T) {
	if Is(nil, Internal) {
		t.Fatal("nil is internal")
	}
}

func TestTheCauseIsForTheLogAlone(t *testing.T) {
	err := Wrap(NoSpace, io.ErrShortWrite, "disk %s is full", "a.img")
	if Sentence(err) != "disk a.img is full" || err.Error() != "disk a.img is full: short write" || !errors.Is(err, io.ErrShortWrite) {
		t.Fatal(Sentence(err), err)
	}
}

func TestACodeOfItsOwnStandsInForTheKinds(t *testing.T) {
	if err := New(Unavailable, "x").WithCode("ledger_unreadable"); CodeOf(err) != "ledger_unreadable" || KindOf(err) != Unavailable {
		t.Fatal(CodeOf(err))
	}
}

func TestClipKeepsWholeCharacters(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		strings.Repeat("a", 80):          strings.Repeat("a", 80),
		strings.Repeat("a", 81):          strings.Repeat("a", 80) + "…",
		"a" + strings.Repeat("é", 50):    "a" + strings.Repeat("é", 39) + "…",
		strings.Repeat("\U0001f600", 30): strings.Repeat("\U0001f600", 20) + "…",
		strings.Repeat("世", 30):          strings.Repeat("世", 26) + "…",
	} {
		if got := Clip(in); got != want || !utf8.ValidString(got) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := Clip(strings.Repeat("\x80", 200)); len(got) > 90 || len(got) < 70 {
		t.Errorf("bytes of no text are clipped to %d bytes", len(got))
	}
}

func TestACodeNamesItsKind(t *testing.T) {
	for k := Internal; k <= NoSpace; k++ {
		if got := KindOfCode(k.Code()); got != k {
			t.Errorf("%s is %s", k.Code(), got.Code())
		}
	}
	for _, code := range []string{"", "agent_unreachable"} {
		if got := KindOfCode(code); got != Internal {
			t.Errorf("%q is %s", code, got.Code())
		}
	}
}

func TestWhatAnotherDaemonSaysIsBoundedAndText(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		strings.Repeat("a", 2000): strings.Repeat("a", 2000),
		strings.Repeat("a", 2001): strings.Repeat("a", 1997) + "…",
		strings.Repeat("世", 700):  strings.Repeat("世", 665) + "…",
		"a\xffb":                  "a\uFFFDb",
	} {
		got := ClipWords(in)
		if got != want || ClipWords(got) != got {
			t.Errorf("got %.20q… of %d bytes, want %d", got, len(got), len(want))
		}
	}
}
