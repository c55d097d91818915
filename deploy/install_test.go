// Package deploy is what a site installs; its tests hold the files against the
// program.
package deploy

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// copied is a tree with programs that were built and everything that install
// reads; git has the rest.
func copied(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	for _, dir := range []string{"deploy", "docs"} {
		if err := os.CopyFS(filepath.Join(tree, dir), os.DirFS(filepath.Join("..", dir))); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []string{"README.md", "CHANGELOG.md"} {
		write(t, filepath.Join(tree, page), read(t, filepath.Join("..", page)))
	}
	for _, program := range []string{"ipxe-cp", "ipxe-agent", "ipxe-tui"} {
		write(t, filepath.Join(tree, "bin", program), "the program "+program)
	}
	if err := os.Chmod(filepath.Join(tree, "deploy", "install.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return tree
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func install(t *testing.T, tree, what, dest string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(tree, "deploy", "install.sh"), what, dest, "/usr", "/etc").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// files are the paths below dest, with the mode of programs.
func files(t *testing.T, dest string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dest, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, dest)
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			name += "*"
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestInstallPutsEveryFileInItsPlaceAndUninstallTakesItAway(t *testing.T) {
	tree, dest := copied(t), t.TempDir()
	write(t, filepath.Join(tree, "web", "dist", "assets", "index.js"), "the console")
	if out := install(t, tree, "install", dest); out != "" {
		t.Errorf("it says %q", out)
	}
	got := slices.DeleteFunc(files(t, dest), func(name string) bool {
		return strings.HasPrefix(name, "/usr/share/doc/") || strings.HasPrefix(name, "/usr/share/ipxe-all-ready/nginx/") ||
			strings.HasPrefix(name, "/usr/share/ipxe-all-ready/public/")
	})
	want := []string{
		"/etc/ipxe-all-ready/dnsmasq.conf",
		"/etc/ipxe-all-ready/ipxe-agent.env",
		"/etc/ipxe-all-ready/ipxe-cp.env",
		"/etc/ipxe-all-ready/tftp/boot.ipxe",
		"/etc/ipxe-all-ready/tftp/boot.ipxe.cfg",
		"/etc/ipxe-all-ready/tftp/menu.ipxe",
		"/etc/ipxe-all-ready/tftp/snponly.efi",
		"/etc/ipxe-all-ready/tftp/undionly.kpxe",
		"/etc/logrotate.d/ipxe-agent",
		"/usr/bin/ipxe-agent*",
		"/usr/bin/ipxe-cp*",
		"/usr/bin/ipxe-tui*",
		"/usr/lib/systemd/system/ipxe-agent-tgtd.service",
		"/usr/lib/systemd/system/ipxe-agent.service",
		"/usr/lib/systemd/system/ipxe-cp.service",
		"/usr/lib/systemd/system/ipxe-dnsmasq.service",
		"/usr/lib/sysusers.d/ipxe-cp.conf",
		"/usr/lib/tmpfiles.d/ipxe-cp.conf",
		"/usr/share/ipxe-all-ready/systemd/lio.conf",
		"/usr/share/ipxe-all-ready/web/assets/index.js",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, name := range files(t, dest) {
		if strings.HasPrefix(name, "/usr/share/doc/") || strings.HasSuffix(name, ".kpxe") || strings.HasSuffix(name, ".efi") {
			continue
		}
		text := read(t, filepath.Join(dest, strings.TrimSuffix(name, "*")))
		for _, unfilled := range []string{"@bindir@", "@sysconfdir@", "@docdir@", "/srv/ipxe-all-ready"} {
			if strings.Contains(text, unfilled) {
				t.Errorf("%s holds %s", name, unfilled)
			}
		}
	}
	if out := install(t, tree, "uninstall", dest); out != "" {
		t.Errorf("it says %q", out)
	}
	if left := files(t, dest); len(left) > 0 {
		t.Errorf("uninstall leaves %q", left)
	}
}

func TestInstallKeepsASettingsFileThatWasEdited(t *testing.T) {
	tree, dest := copied(t), t.TempDir()
	install(t, tree, "install", dest)
	edited := filepath.Join(dest, "etc/ipxe-all-ready/ipxe-cp.env")
	write(t, edited, "IPXE_CP_LISTEN=:80\n")
	ledger := filepath.Join(dest, "var/lib/ipxe-all-ready/state/workers.yml")
	write(t, ledger, "workers: {}\n")
	if out, want := install(t, tree, "install", dest), "kept as it is: "+edited+"; this release's is beside it as .new\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if read(t, edited) != "IPXE_CP_LISTEN=:80\n" || !strings.Contains(read(t, edited+".new"), "IPXE_CP_HOME=/var/lib/ipxe-all-ready") {
		t.Error("the settings were overwritten, or the new ones are not beside them")
	}
	if out, want := install(t, tree, "uninstall", dest), "kept, as it was edited: "+edited+"\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	left := []string{"/etc/ipxe-all-ready/ipxe-cp.env", "/var/lib/ipxe-all-ready/state/workers.yml*"}
	if got := files(t, dest); !slices.Equal(got, left) {
		t.Errorf("uninstall leaves %q, want %q", got, left)
	}
}

func TestTheSettingsFilesNameEveryVariableOnce(t *testing.T) {
	named := regexp.MustCompile(`(?m)^#?(IPXE_[A-Z0-9_]+)=`)
	documented := regexp.MustCompile("`(IPXE_[A-Z0-9_]+)`")
	page := read(t, filepath.Join("..", "docs", "settings.md"))
	cp, agent, ok := strings.Cut(page, "\n## ipxe-agent\n")
	if !ok {
		t.Fatal("settings.md has no chapter of the agent")
	}
	for file, chapter := range map[string]string{"ipxe-cp.env": cp, "ipxe-agent.env": agent} {
		var in, want []string
		for _, m := range named.FindAllStringSubmatch(read(t, filepath.Join("systemd", file)), -1) {
			in = append(in, m[1])
		}
		for line := range strings.Lines(chapter) {
			cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
			if !strings.HasPrefix(line, "| `IPXE_") {
				continue
			}
			for _, m := range documented.FindAllStringSubmatch(cell, -1) {
				want = append(want, m[1])
			}
		}
		slices.Sort(in)
		slices.Sort(want)
		if !slices.Equal(in, want) {
			t.Errorf("%s names\n%q\nand settings.md\n%q", file, in, want)
		}
	}
}
