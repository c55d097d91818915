package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const hidden = "hunter2"

type open struct{ Token Text }

type closed struct {
	token Text
	more  map[string]Text
}

func TestNoVerbPrintsTheSecret(t *testing.T) {
	s := New(hidden)
	for _, v := range []any{s, &s, open{s}, &open{s}, closed{s, map[string]Text{"a": s}}, &closed{token: s}, []Text{s}, map[string]any{"a": s}, fmt.Errorf("x: %v", s)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%T", "%p", "%o", "%c", "%U", "%10s", "%e", "%t"} {
			got := strings.ToLower(fmt.Sprintf(verb, v))
			if strings.Contains(got, hidden) || strings.Contains(got, fmt.Sprintf("%x", hidden)) || strings.Contains(got, "104 117") {
				t.Errorf("%s of %T shows it: %s", verb, v, got)
			}
		}
	}
	if got := fmt.Sprint(s, " ", s.String()); got != "*** ***" {
		t.Errorf("got %q", got)
	}
}

func TestNoEncodingShowsTheSecret(t *testing.T) {
	s := New(hidden)
	j, err := json.Marshal(map[string]any{"a": s, "b": open{s}, "c": closed{token: s}})
	if err != nil || string(j) != `{"a":"***","b":{"Token":"***"},"c":{}}` {
		t.Errorf("%s %v", j, err)
	}
	y, err := yaml.Marshal(open{s})
	if err != nil || string(y) != "token: '***'\n" {
		t.Errorf("%s %v", y, err)
	}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewJSONHandler(&log, nil), slog.NewTextHandler(&log, nil)} {
		slog.New(h).With("with", s).Info("x", "token", s, "open", open{s}, "closed", closed{token: s}, slog.Group("g", "t", s))
	}
	if strings.Contains(log.String(), hidden) || !strings.Contains(log.String(), `"token":"***"`) {
		t.Error(log.String())
	}
}

func TestTheSecretIsRevealedOnlyWhenAsked(t *testing.T) {
	if New(hidden).Reveal() != hidden || New("").Reveal() != "" || (Text{}).Reveal() != "" {
		t.Fatal("the secret was changed")
	}
}

func TestEqualTakesTheVerySecretOnly(t *testing.T) {
	for _, c := range []struct {
		secret, asked string
		want          bool
	}{
		{hidden, hidden, true}, {hidden, "hunter", false}, {hidden, "hunter22", false}, {hidden, "HUNTER2", false},
		{hidden, "", false}, {"", "", false}, {"", hidden, false},
	} {
		if New(c.secret).Equal(c.asked) != c.want {
			t.Errorf("%q and %q: want %v", c.secret, c.asked, c.want)
		}
	}
}

func TestNoSecretIsTheZeroValue(t *testing.T) {
	if !New("").IsZero() || !(Text{}).IsZero() || New(hidden).IsZero() || New("") != (Text{}) {
		t.Fatal("zero does not hold")
	}
	if a, b := New(hidden), New(strings.Clone(hidden)); a != b {
		t.Fatal("two of the same secret differ")
	}
}
