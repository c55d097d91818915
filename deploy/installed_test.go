package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestEveryLinkOfTheInstalledPagesLeadsToAFile(t *testing.T) {
	tree, dest := copied(t), t.TempDir()
	install(t, tree, "install", dest)
	link := regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	pages, links := 0, 0
	for _, name := range files(t, dest) {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		pages++
		path := filepath.Join(dest, name)
		for _, m := range link.FindAllStringSubmatch(read(t, path), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: %s leads nowhere", name, m[1])
			}
		}
	}
	if pages < 10 || links < 20 {
		t.Errorf("%d links in %d pages were seen", links, pages)
	}
}

func TestWhatInstallSaysMakesTheTokensThatBothUnitsRead(t *testing.T) {
	tree, root := copied(t), t.TempDir()
	script := filepath.Join(tree, "deploy", "install.sh")
	said, err := exec.Command(script, "install", "", root+"/usr", root+"/etc").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for line := range strings.Lines(string(said)) {
		if !strings.Contains(line, "umask") {
			continue
		}
		if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
	for program, variable := range map[string]string{"ipxe-cp": "IPXE_CP_TOKEN", "ipxe-agent": "IPXE_AGENT_TOKEN"} {
		path := filepath.Join(root, "etc/ipxe-all-ready", program+".token.env")
		if got := read(t, path); !regexp.MustCompile(`^` + variable + `=[0-9a-f]{48}\n$`).MatchString(got) {
			t.Errorf("%s holds %q", path, got)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
		unit := read(t, filepath.Join(root, "usr/lib/systemd/system", program+".service"))
		if !strings.Contains(unit, "EnvironmentFile=-"+path+"\n") {
			t.Errorf("%s.service does not read %s", program, path)
		}
	}
}
