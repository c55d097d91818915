package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// nginxPackages are nginx, its njs module and every library that the two load,
// the C library among them: a newer Debian's programs do not run on this one's.
var nginxPackages = []string{
	"nginx", "nginx-common", "libnginx-mod-http-js",
	"libc6", "libcrypt1", "liblzma5", "libpcre2-8-0", "libssl3t64", "libxml2", "libzstd1", "zlib1g",
}

// UnpackNginx gets the nginx of another Debian release, such as "trixie",
// without installing it. Dir, an absolute path, keeps it for the next time.
func UnpackNginx(release, dir string) (NginxProgram, error) {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := fetchNginx(release, dir); err != nil {
			return NginxProgram{}, fmt.Errorf("unpack nginx of Debian %s: %w", release, err)
		}
	}
	libraries := filepath.Join(dir, "usr/lib/x86_64-linux-gnu")
	return NginxProgram{
		Command: []string{filepath.Join(libraries, "ld-linux-x86-64.so.2"),
			"--library-path", libraries, filepath.Join(dir, "usr/sbin/nginx")},
		Modules:   filepath.Join(dir, nginxModules),
		MimeTypes: filepath.Join(dir, "etc/nginx/mime.types"),
	}, nil
}

// fetchNginx makes dir in one step, so that a half-made one is never used.
func fetchNginx(release, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), ".unpack-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	apt, err := foreignApt(release, filepath.Join(work, "apt"))
	if err != nil {
		return err
	}
	if _, err := run("apt-get", append(slices.Clone(apt), "update", "-q")...); err != nil {
		return err
	}
	// Into its cache and not our working folder, as its "download" would.
	get := append(apt, "install", "-q", "--yes", "--download-only", "--no-install-recommends")
	if _, err := run("apt-get", append(get, nginxPackages...)...); err != nil {
		return err
	}
	root := filepath.Join(work, "root")
	packages, err := filepath.Glob(filepath.Join(work, "apt", "cache", "archives", "*.deb"))
	if err != nil {
		return err
	}
	for _, file := range packages {
		if slices.Contains(nginxPackages, strings.SplitN(filepath.Base(file), "_", 2)[0]) {
			if _, err := run("dpkg-deb", "-x", file, root); err != nil {
				return err
			}
		}
	}
	if err := os.Rename(root, dir); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// foreignApt is the options of an apt that knows one release alone, from the
// mirror that this host's apt uses, and keeps all it has in dir.
func foreignApt(release, dir string) ([]string, error) {
	// http://mirror.example/debian/ Debian main
	out, err := run("apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(COMPONENT)", "Created-By: Packages")
	if err != nil {
		return nil, err
	}
	mirror := ""
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) == 3 && f[1] == "Debian" && f[2] == "main" && !strings.Contains(f[0], "security") {
			mirror = f[0]
			break
		}
	}
	if mirror == "" {
		return nil, errors.New("this host's apt knows no Debian mirror; apt-get update may help")
	}
	for _, sub := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	sources := filepath.Join(dir, "sources.list")
	line := fmt.Sprintf("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n", mirror, release)
	if err := os.WriteFile(sources, []byte(line), 0o644); err != nil {
		return nil, err
	}
	return []string{
		"-o", "Dir::Etc::sourcelist=" + sources, "-o", "Dir::Etc::sourceparts=-",
		"-o", "Dir::State::lists=" + filepath.Join(dir, "lists"), "-o", "Dir::State::status=/dev/null",
		"-o", "Dir::Cache=" + filepath.Join(dir, "cache"),
		"-o", "APT::Sandbox::User=root", "-o", "Acquire::Languages=none",
		"-o", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
	}, nil
}
