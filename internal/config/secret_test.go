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
		{"s3cret to", "", `T_FILE "` + dir + `/0" holds white space or another character that an HTTP header cannot carry`},
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

func TestATokenThatOthersCanReadOrGuessIsTakenWithADoubt(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const long = "a-token-that-is-long"
	open, short := put("open", long, 0o644), put("short", "fifteen-letters", 0o600)
	const guess = " is shorter than 16 characters and can be guessed; head -c 24 /dev/urandom | base64 makes a good one"
	for _, c := range []struct {
		name, value, want string
	}{
		{"T", long, ""}, {"T", "sixteen-letters!", ""}, {"T", "", ""}, {"T_FILE", put("shut", long, 0o640), ""},
		{"T", "fifteen-letters", "T" + guess}, {"T_FILE", short, "T_FILE" + guess},
		{"T_FILE", open, `T_FILE "` + open + `" can be read by every user of this host (mode 0644); chmod o= the file, and make a new token or key if somebody may have read it`},
	} {
		s := env(c.name, c.value)
		token, got := s.Secret("T", "T_FILE").Reveal(), ""
		for _, d := range s.Doubts() {
			got += d.String()
		}
		if got != c.want || s.Err() != nil || (token == "") != (c.value == "") {
			t.Errorf("%s=%s: %q, %v, %s", c.name, c.value, token, s.Err(), got)
		}
	}
}
