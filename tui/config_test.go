package tui_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/i18n"
)

func settings(t *testing.T, file string, env map[string]string, args ...string) (tui.Settings, error) {
	t.Helper()
	home := t.TempDir()
	if file != "" {
		dir := filepath.Join(home, ".config", "ipxe-tui")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.yml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tui.ReadSettings(args, func(name string) string {
		if name == "HOME" {
			return home
		}
		return env[name]
	}, io.Discard)
}

func TestAPrivateAuthorityMayBeNamedInAllThreePlaces(t *testing.T) {
	for _, c := range []struct {
		file, env, flag, want string
	}{{"", "", "", ""}, {"ca: /file.pem\n", "", "", "/file.pem"}, {"ca: /file.pem\n", "/env.pem", "", "/env.pem"}, {"ca: /file.pem\n", "/env.pem", "/flag.pem", "/flag.pem"}} {
		var args []string
		if c.flag != "" {
			args = []string{"--ca", c.flag}
		}
		if s, err := settings(t, c.file, map[string]string{"IPXE_CP_CA": c.env}, args...); err != nil || s.CA != c.want {
			t.Errorf("%+v: %q %v", c, s.CA, err)
		}
	}
	var said strings.Builder
	if code := tui.Main([]string{"--ca", "/absent.pem"}, func(string) string { return "" }, io.Discard, &said); code != 1 || !strings.Contains(said.String(), "/absent.pem: no such file") {
		t.Errorf("%d %s", code, said.String())
	}
}

func TestAFlagBeatsTheEnvironmentWhichBeatsTheFile(t *testing.T) {
	file := "url: http://file:1/\nlang: zh\n"
	s, err := settings(t, file, nil)
	if err != nil || s.URL != "http://file:1" || s.Lang != i18n.Chinese {
		t.Errorf("%+v %v", s, err)
	}
	s, _ = settings(t, file, map[string]string{"IPXE_CP_URL": "env:2", "IPXE_CP_TOKEN": "secret"}, "--lang", "en")
	if s.URL != "http://env:2" || s.Lang != i18n.English || s.Token.Reveal() != "secret" {
		t.Errorf("%+v", s)
	}
	s, _ = settings(t, file, map[string]string{"IPXE_CP_URL": "http://env:2", "LANG": "de_DE"}, "--url", "https://flag:3/api/cp")
	if s.URL != "https://flag:3/api/cp" {
		t.Errorf("%+v", s)
	}
	s, err = settings(t, "", map[string]string{"LANG": "zh_CN.UTF-8"})
	if err != nil || s.URL != "http://127.0.0.1:4839" || s.Lang != i18n.Chinese {
		t.Errorf("%+v %v", s, err)
	}
}

func TestHelpIsPrintedCleanlyWhateverTheFileSays(t *testing.T) {
	var out, errOut strings.Builder
	none := func(string) string { return "" }
	if code := tui.Main([]string{"--help"}, none, &out, &errOut); code != 0 || errOut.String() != "" {
		t.Errorf("%d %s", code, errOut.String())
	}
	if got := out.String(); !strings.HasPrefix(got, "Usage: ipxe-tui") || !strings.Contains(got, "from LANG") || strings.Contains(got, "help requested") {
		t.Error(got)
	}
	if code := tui.Main([]string{"--nonsense"}, none, &out, &errOut); code != 2 || strings.Count(errOut.String(), "nonsense") != 1 {
		t.Errorf("%d %s", code, errOut.String())
	}
}

func TestWhatCannotBeIsRefusedInASentenceThatNamesIt(t *testing.T) {
	for _, c := range []struct {
		file string
		args []string
		want string
	}{
		{"", []string{"--url", "ftp://x"}, `--url: "ftp://x"`},
		{"", []string{"--lang", "fr"}, `--lang: "fr" is neither`},
		{"", []string{"--token-file", "/does/not/exist"}, "--token-file: open /does/not/exist: no such file"},
		{"", []string{"workers"}, `"workers" is no option`},
		{"address: x\n", nil, `config.yml: line 1: there is no field "address"; fields: url`},
		{"lang: en\nurl: [a, b]\n", nil, "config.yml: line 2: url must be one text"},
		{"url: 'a\n", nil, "config.yml: this is no YAML"},
		{"http://x:1\n", nil, "config.yml: line 1: lines of the form"},
		{"url: ftp://x\n", nil, `config.yml: url: "ftp://x" is no http`},
		{"lang: fr\n", nil, `config.yml: lang: "fr" is neither`},
		{"token_file: /does/not/exist\n", nil, "config.yml: token_file: open /does/not/exist: no such file"},
	} {
		if _, err := settings(t, c.file, nil, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: %v", c.file, c.args, err)
		}
	}
}

func TestATokenFileThatIsNoneIsRefusedAtOnceAndOneThatIsOpenIsNamed(t *testing.T) {
	dir := t.TempDir()
	pipe, token := filepath.Join(dir, "pipe"), filepath.Join(dir, "token")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(token, []byte("a-token-that-is-long\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for where, read := range map[string]func(path string) (tui.Settings, error){
		"--token-file: ":         func(path string) (tui.Settings, error) { return settings(t, "", nil, "--token-file", path) },
		"config.yml: token_file": func(path string) (tui.Settings, error) { return settings(t, "token_file: "+path+"\n", nil) },
	} {
		for path, what := range map[string]string{pipe: "a named pipe, not a regular file", dir: "a folder, not a regular file", "/dev/zero": "a device, not a regular file"} {
			if _, err := read(path); err == nil || !strings.Contains(err.Error(), where) || !strings.Contains(err.Error(), `"`+path+`" is `+what) {
				t.Errorf("%s: %v", where, err)
			}
		}
		s, err := read(token)
		if want := `"` + token + `" can be read by every user of this host (mode 0644)`; err != nil || s.Doubt != want || s.Token.Reveal() != "a-token-that-is-long" {
			t.Errorf("%s: %q, %v", where, s.Doubt, err)
		}
		if err := os.Chmod(token, 0o640); err != nil {
			t.Fatal(err)
		}
		if s, err = read(token); err != nil || s.Doubt != "" {
			t.Errorf("%s: %q, %v", where, s.Doubt, err)
		}
		if err := os.Chmod(token, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var said strings.Builder
	if code := tui.Main([]string{"--token-file", token, "--ca", "/absent.pem"}, func(string) string { return "" }, io.Discard, &said); code != 1 || !strings.HasPrefix(said.String(), `ipxe-tui: "`+token+`" can be read by every user of this host (mode 0644); chmod o= the file`) {
		t.Errorf("%d %s", code, said.String())
	}
}

func TestAPipeInThePlaceOfTheSettingsIsRefusedAtOnce(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "ipxe-tui"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(home, "ipxe-tui", "config.yml"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := tui.ReadSettings(nil, func(name string) string { return map[string]string{"XDG_CONFIG_HOME": home}[name] }, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "config.yml: a named pipe, not a regular file") {
		t.Error(err)
	}
}
