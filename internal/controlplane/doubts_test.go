package controlplane

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// only is an environment of one variable.
func only(name, value string) func(string) (string, bool) {
	return func(n string) (string, bool) {
		if n == name {
			return value, true
		}
		return "", false
	}
}

func TestSettingsThatSomebodyWillBeSorryOfAreNamedByTheCheckAndOnceByTheLog(t *testing.T) {
	dir := t.TempDir()
	token, view := filepath.Join(dir, "token"), filepath.Join(dir, "view")
	if err := errors.Join(os.WriteFile(token, []byte("a-token-that-is-long\n"), 0o644), os.WriteFile(view, []byte("another-token-that-is-long\n"), 0o640)); err != nil {
		t.Fatal(err)
	}
	s := sound(t)
	s.env["IPXE_CP_TOKEN_FILE"], s.env["IPXE_CP_VIEW_TOKEN_FILE"], s.env["IPXE_CP_TRUSTED_PROXIES"] = token, view, "127.0.0.1, 0.0.0.0/0,::/0"
	const proxies = "believes 0.0.0.0/0 and ::/0 whom a call comes from: whoever connects from there can name any address, so that no limit on guessed tokens, connections and new machines holds him, and the trail tells what he likes"
	open := `"` + token + `" can be read by every user of this host (mode 0644)`
	text, good := s.checked()
	want := "warning  IPXE_CP_TOKEN_FILE\n         " + open + "\n         → chmod o= the file, and make a new token or key if somebody may have read it\n" +
		"warning  IPXE_CP_TRUSTED_PROXIES\n         " + proxies + "\n         → name the proxies' own addresses\n" +
		untold + "ipxe-cp: 0 faults, 3 warnings\n"
	if text != want || !good {
		t.Errorf("got %v\n%s\nwant\n%s", good, text, want)
	}
	var said strings.Builder
	s.log = &said
	s.start()
	s.stop()
	for _, line := range []string{strings.ReplaceAll("IPXE_CP_TOKEN_FILE "+open, `"`, `\"`), "IPXE_CP_TRUSTED_PROXIES " + proxies} {
		if strings.Count(said.String(), "level=WARN msg=\""+line) != 1 {
			t.Errorf("the log says\n%s\nwant once\n%s", &said, line)
		}
	}
	if strings.Contains(said.String(), "token-that-is-long") || strings.Contains(text, "token-that-is-long") {
		t.Error("a token is told")
	}
}

func TestNetworksThatProxiesMayFillAreNotDoubted(t *testing.T) {
	for list, doubted := range map[string]bool{
		"": false, "10.0.0.0/8,fc00::/7,192.168.80.7": false, "127.0.0.0/8": false,
		"0.0.0.0/0": true, "::/0": true, "0.0.0.0/1,128.0.0.0/1": true, "2000::/3": true, "::ffff:0:0/96": true, "::ffff:10.0.0.0/104": false, "8.0.0.0/7": true,
	} {
		o, err := FromEnv(only("IPXE_CP_TRUSTED_PROXIES", list))
		if err != nil || (len(o.Doubts) > 0) != doubted {
			t.Errorf("%s: %v, %v", list, o.Doubts, err)
		}
	}
}

func TestATokenFileThatIsNoneStopsTheStartAtOnce(t *testing.T) {
	dir := t.TempDir()
	pipe, disk := filepath.Join(dir, "pipe"), filepath.Join(dir, "disk")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(disk, nil, 0o600), os.Truncate(disk, 1<<40)); err != nil {
		t.Fatal(err)
	}
	for path, what := range map[string]string{
		pipe: "a named pipe, not a regular file", dir: "a folder, not a regular file", "/dev/zero": "a device, not a regular file", disk: "larger than 4096 bytes and no token",
	} {
		for _, name := range []string{"IPXE_CP_TOKEN_FILE", "IPXE_CP_VIEW_TOKEN_FILE"} {
			_, err := FromEnv(only(name, path))
			if want := name + ` "` + path + `" is ` + what; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}
