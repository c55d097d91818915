package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/secret"
)

func env(pairs ...string) *Source {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return From(func(name string) (string, bool) { v, ok := m[name]; return v, ok })
}

func TestUnsetAndEmptyVariablesGiveTheDefault(t *testing.T) {
	for name, s := range map[string]*Source{
		"unset": env(),
		"empty": env("STRING", "", "BOOL", "", "INT", "", "SECONDS", "", "MS", "", "ONE", "", "SECRET", "", "LISTEN", "", "BASE", ""),
	} {
		t.Run(name, func(t *testing.T) {
			got := fmt.Sprintln(s.String("STRING", "def"), s.Bool("BOOL", true), s.Int("INT", 7, 1, 9),
				s.Seconds("SECONDS", time.Hour, 0), s.Milliseconds("MS", 5*time.Second, 0), s.OneOf("ONE", "off", "on", "off"),
				s.Secret("SECRET", "SECRET_FILE").IsZero(), s.Listen("LISTEN", ":4839"), s.Has("STRING"),
				Parse(s, "BASE", "iqn.2026-07.com.controller", iscsi.ParseBase))
			want := fmt.Sprintln("def", true, 7, time.Hour, 5*time.Second, "off", true, ":4839", false, "iqn.2026-07.com.controller")
			if got != want || s.Err() != nil {
				t.Fatalf("got %s (%v), want %s", got, s.Err(), want)
			}
		})
	}
}

func TestEveryAcceptedFormIsRead(t *testing.T) {
	read := map[string]func(*Source) any{
		"bool":    func(s *Source) any { return s.Bool("X", false) },
		"int":     func(s *Source) any { return s.Int("X", 0, -5, 20000) },
		"seconds": func(s *Source) any { return s.Seconds("X", 0, 0) },
		"ms":      func(s *Source) any { return s.Milliseconds("X", 0, 0) },
		"one":     func(s *Source) any { return s.OneOf("X", "off", "pidfile", "container", "off") },
		"listen":  func(s *Source) any { return s.Listen("X", ":1") },
		"secret":  func(s *Source) any { return s.RequiredSecret("X", "X_FILE").Reveal() },
		"base":    func(s *Source) any { return RequiredParse(s, "X", iscsi.ParseBase).String() },
	}
	for _, c := range []struct {
		kind, value string
		want        any
	}{
		{"bool", "true", true}, {"bool", "TRUE", true}, {"bool", "yes", true}, {"bool", "1", true}, {"bool", "on", true},
		{"int", "42", 42}, {"int", "-5", -5}, {"int", "20000", 20000},
		{"seconds", "10", 10 * time.Second}, {"seconds", "1s", time.Second}, {"seconds", "500ms", 500 * time.Millisecond},
		{"seconds", "0.5", 500 * time.Millisecond}, {"seconds", "1h", time.Hour}, {"seconds", "0", time.Duration(0)},
		{"ms", "5000", 5 * time.Second}, {"ms", "5s", 5 * time.Second}, {"ms", "0", time.Duration(0)},
		{"one", "pidfile", "pidfile"}, {"one", "Container", "container"},
		{"listen", ":4840", ":4840"}, {"listen", "127.0.0.1:0", "127.0.0.1:0"}, {"listen", "[::1]:80", "[::1]:80"},
		{"listen", "localhost:80", "localhost:80"}, {"listen", "[fe80::1%eth0]:80", "[fe80::1%eth0]:80"},
		{"secret", "s3cret!", "s3cret!"}, {"base", "IQN.2026-07.com.Controller", "iqn.2026-07.com.controller"},
	} {
		t.Run(c.kind+" "+c.value, func(t *testing.T) {
			s := env("X", c.value)
			if got := read[c.kind](s); got != c.want || s.Err() != nil {
				t.Fatalf("got %v (%v), want %v", got, s.Err(), c.want)
			}
		})
	}
}

func TestEveryRefusalNamesVariableAndValue(t *testing.T) {
	for _, c := range []struct {
		name string
		read func(*Source)
		in   string
		want string
	}{
		{"bool", func(s *Source) { s.Bool("X", true) }, "maybe", `X "maybe" is neither true nor false`},
		{"int word", func(s *Source) { s.Int("X", 1, 1, 9) }, "ten", `X "ten" is not a whole number from 1 to 9`},
		{"int range", func(s *Source) { s.Int("X", 1, 1, 9) }, "10", `X "10" is not a whole number from 1 to 9`},
		{"int fraction", func(s *Source) { s.Int("X", 1, 1, 9) }, "1.5", `X "1.5" is not a whole number from 1 to 9`},
		{"seconds", func(s *Source) { s.Seconds("X", 0, 0) }, "soon", `X "soon" is not a duration: a number of seconds, or 500ms, 1s, 1h`},
		{"seconds NaN", func(s *Source) { s.Seconds("X", 0, 0) }, "NaN", `X "NaN" is not a duration: a number of seconds, or 500ms, 1s, 1h`},
		{"negative", func(s *Source) { s.Seconds("X", 0, 0) }, "-5", `X "-5" is less than 0s`},
		{"too small", func(s *Source) { s.Seconds("X", 0, time.Millisecond) }, "0", `X "0" is less than 1ms`},
		{"overflow", func(s *Source) { s.Seconds("X", 0, 0) }, "99999999999999", `X "99999999999999" is not a duration: a number of seconds, or 500ms, 1s, 1h`},
		{"milliseconds", func(s *Source) { s.Milliseconds("X", 0, 0) }, "5 s", `X "5 s" is not a duration: a number of milliseconds, or 500ms, 1s, 1h`},
		{"one of", func(s *Source) { s.OneOf("X", "a", "a", "b") }, "c", `X "c" is not one of a, b`},
		{"required", func(s *Source) { s.Required("X") }, "", `X is required and not set`},
		{"required one of", func(s *Source) { s.RequiredOneOf("X", "stgt", "lio") }, "", `X is required and not set; it is one of stgt, lio`},
		{"required word", func(s *Source) { RequiredParse(s, "X", iscsi.ParseBase) }, "", `X is required and not set`},
		{"word", func(s *Source) { RequiredParse(s, "X", iscsi.ParseBase) }, "eui.1", `X is wrong: iqn base "eui.1" does not start with iqn.YYYY-MM.<reversed domain>`},
		{"plain parse", func(s *Source) {
			Parse(s, "X", "", func(string) (int, error) { return 0, errors.New("no such level") })
		}, "loud", `X "loud" is wrong: no such level`},
		{"listen without port", func(s *Source) { s.Listen("X", "") }, "localhost", `X "localhost" is wrong: not host:port, such as :4839 or 127.0.0.1:4839`},
		{"listen port name", func(s *Source) { s.Listen("X", "") }, ":http", `X ":http" is wrong: port "http" is not a number from 0 to 65535`},
		{"listen port high", func(s *Source) { s.Listen("X", "") }, ":65536", `X ":65536" is wrong: port "65536" is not a number from 0 to 65535`},
		{"listen host", func(s *Source) { s.Listen("X", "") }, "a b:80", `X "a b:80" is wrong: host "a b" is neither an IP address nor a host name`},
		{"listen address", func(s *Source) { s.Listen("X", "") }, "127.0.1:80", `X "127.0.1:80" is wrong: host "127.0.1" is neither an IP address nor a host name`},
		{"secret missing", func(s *Source) { s.RequiredSecret("X", "X_FILE") }, "", `X is required and not set, nor is X_FILE`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := env("X", c.in)
			c.read(s)
			if err := s.Err(); err == nil || err.Error() != c.want {
				t.Fatalf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestProblemsAreReportedAllAtOnce(t *testing.T) {
	s := env("A", "x", "B", "y")
	s.Int("A", 1, 0, 9)
	s.Bool("B", false)
	s.Required("C")
	s.Reject("D", "and E exclude each other")
	want := "A \"x\" is not a whole number from 0 to 9\nB \"y\" is neither true nor false\nC is required and not set\nD and E exclude each other"
	if got := s.Err().Error(); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func TestASecretsValueIsNeverTold(t *testing.T) {
	for _, v := range []string{"hunter2 ", "hun\nter2", "hunter2\r", "hünter2"} {
		s := env("X", v)
		got := s.Secret("X", "X_FILE")
		if err := s.Err(); err == nil || strings.Contains(err.Error(), "ter2") || got != (secret.Text{}) {
			t.Errorf("%q: got %v, %v", v, got.IsZero(), err)
		}
	}
}

func TestAVeryLongValueIsClipped(t *testing.T) {
	s := env("X", strings.Repeat("9", 5000))
	s.Int("X", 1, 0, 9)
	if n := len(s.Err().Error()); n > 200 {
		t.Fatalf("the sentence is %d bytes long", n)
	}
}
