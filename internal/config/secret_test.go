package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestATokenMayStandInAFile(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		content, token, problem string // no problem: the token is read
	}{
		{"s3cret-token", "s3cret-token", ""}, {"s3cret-token\n", "s3cret-token", ""}, {"  s3cret-token\r\n\n", "s3cret-token", ""},
		{"", "", `T_FILE "` + dir + `/0" is empty`}, {" \n", "", `T_FILE "` + dir + `/0" is empty`},
		{"s3cret to", "", "T_FILE holds white space or another character that an HTTP header cannot carry"},
		{strings.Repeat("s3cret", 1000), "", `T_FILE "` + dir + `/0" is larger than 4096 bytes and no token`},
	} {
		path := filepath.Join(dir, "0")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := env("T_FILE", path)
		got := s.RequiredSecret("T", "T_FILE").Reveal()
		problem := ""
		if err := s.Err(); err != nil {
			problem = err.Error()
		}
		if got != c.token || problem != c.problem {
			t.Errorf("%d: %q, %s", i, got, problem)
		}
	}
}

func TestATokenThatStandsTwiceOrNowhereStopsTheStart(t *testing.T) {
	for want, s := range map[string]*Source{
		"T_FILE is set beside T; one of them is the token":  env("T", "s3cret", "T_FILE", "/nowhere"),
		"T is required and not set, nor is T_FILE":          env("T", "", "T_FILE", ""),
		"T_FILE open /nowhere/x: no such file or directory": env("T_FILE", "/nowhere/x"),
	} {
		if s.RequiredSecret("T", "T_FILE"); s.Err() == nil || s.Err().Error() != want {
			t.Errorf("got %v, want %s", s.Err(), want)
		}
	}
}
