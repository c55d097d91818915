package secretfile

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func file(t *testing.T, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestATokenIsReadFromItsFile(t *testing.T) {
	for content, want := range map[string]string{
		"tok\n": "", "  tok": "", "tok\r\n\n": "",
		"": "%p is empty", "\n": "%p is empty",
		"t ok":                      "%p holds white space or another character that an HTTP header cannot carry",
		"tök":                       "%p holds white space or another character that an HTTP header cannot carry",
		strings.Repeat("tok", 2000): "%p is larger than 4096 bytes and no token",
	} {
		path := file(t, content, 0o600)
		token, err := ReadToken(path)
		if want == "" {
			if err != nil || token.Reveal() != "tok" || token.Doubt != "" {
				t.Errorf("%q: %v, %s", content, err, token.Doubt)
			}
			continue
		}
		if want = strings.ReplaceAll(want, "%p", `"`+path+`"`); err == nil || err.Error() != want || !token.IsZero() {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := ReadToken("/nowhere/x"); err == nil || err.Error() != "open /nowhere/x: no such file or directory" {
		t.Error(err)
	}
}

func TestWhatIsNoFileIsRefusedAtOnceAndNamed(t *testing.T) {
	dir := t.TempDir()
	pipe, socket, link, disk := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket"), filepath.Join(dir, "link"), filepath.Join(dir, "disk")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(disk, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(disk, 1<<40); err != nil {
		t.Fatal(err)
	}
	for path, what := range map[string]string{
		pipe: "a named pipe, not a regular file", link: "a named pipe, not a regular file", socket: "a socket, not a regular file",
		dir: "a folder, not a regular file", "/dev/zero": "a device, not a regular file", disk: "larger than 4096 bytes and no token",
	} {
		_, err := ReadToken(path)
		if want := `"` + path + `" is ` + what; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestOnlyAFileThatEverybodyCanReadOrChangeIsDoubted(t *testing.T) {
	for mode, want := range map[os.FileMode]string{
		0o400: "", 0o600: "", 0o640: "", 0o440: "", 0o660: "", 0o601: "",
		0o644: "can be read by every user of this host (mode 0644)",
		0o444: "can be read by every user of this host (mode 0444)",
		0o602: "can be changed by every user of this host (mode 0602)",
		0o666: "can be read and changed by every user of this host (mode 0666)",
	} {
		path := file(t, "tok", mode)
		if want != "" {
			want = `"` + path + `" ` + want
		}
		if token, err := ReadToken(path); err != nil || token.Doubt != want {
			t.Errorf("%04o: %v, %q", mode, err, token.Doubt)
		}
	}
}
