//go:build integration

package nginx_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// oddNames are files in public/odd, folders in public/odd/<name>.d.
var oddNames = []string{
	"two words", "#1", "100%", "%2e%2e", "a+b&c=d?e", `quo"te'`, "back\\slash", "semi;colon", "安装盘", "é", "<b>", "a:b", "~", "new\nline",
}

var fixedTime = time.Date(2026, 7, 1, 12, 30, 15, 0, time.UTC)

// packed is text as gzip has it.
func packed(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

// fill makes what every test finds.
func (r *rig) fill() error {
	files := map[string]string{
		"console/index.html":             "<!doctype html><title>console</title>" + strings.Repeat("<p>text", 500),
		"console/browse/index.html":      "<!doctype html><title>browse</title>",
		"console/assets/app-1a2b3c4d.js": "console.log(1)" + strings.Repeat("//text", 500),
		"console/favicon.svg":            "<svg/>",

		"console/assets/pressed-1a2b3c4d.js":    "pressed",
		"console/assets/pressed-1a2b3c4d.js.gz": packed("pressed by the build"),

		"console/.git/config":      "secret",
		"secret.txt":               "secret",
		"public/hello.txt":         "hello, world\n",
		"public/page.html":         "<script>alert(1)</script>",
		"public/empty":             "",
		"public/.treeinfo":         "hidden",
		"public/tools/memtest.bin": "memtest",
		"public/tools/deep/er.iso": "iso",
		"public/pub2/x":            "x",
		"public2/outside.txt":      "secret", // its name starts like public/
		"tftp/boot.ipxe":           "#!ipxe\n",
		"tftp/snponly.efi":         "MZ",
	}
	for _, name := range oddNames {
		files["public/odd/"+name] = "content of " + name
		files["public/odd/"+name+".d/in"] = "in " + name
	}
	for name, content := range files {
		path := r.Path(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	links := map[string]string{
		"in.txt": "../hello.txt", "in.d": "../tools", "abs.txt": r.Path("public/hello.txt"), "self": ".",
		"out.txt": "../../secret.txt", "out.d": "../..", "near.d": "../../public2", "etc": "/etc", "dangling": "nowhere", "loop": "loop",
		"through": "in.d/../out.txt",
	}
	if err := os.Mkdir(r.Path("public/links"), 0o755); err != nil {
		return err
	}
	for name, to := range links {
		if err := os.Symlink(to, r.Path("public/links", name)); err != nil {
			return err
		}
	}
	return r.fillOdd()
}

// fillOdd makes what no file server should stumble over.
func (r *rig) fillOdd() error {
	if err := unix.Mkfifo(r.Path("public/pipe"), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(r.Path("public/odd/not-utf8-\xff"), nil, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(r.Path("public/unreadable"), []byte("secret"), 0o600); err != nil {
		return err
	}
	if err := os.Mkdir(r.Path("public/closed"), 0o700); err != nil {
		return err
	}
	big, err := os.Create(r.Path("public/big.iso"))
	if err != nil {
		return err
	}
	defer big.Close()
	if err := big.Truncate(5 << 30); err != nil { // sparse
		return err
	}
	if err := os.Symlink("../secret.txt", r.Path("tftp/out.efi")); err != nil {
		return err
	}
	return os.Chtimes(r.Path("public/hello.txt"), fixedTime, fixedTime)
}
