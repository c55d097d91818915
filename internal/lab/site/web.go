package site

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"ipxe-all-ready/internal/lab"
)

// WebAddress is where nginx serves console and files inside the lab.
var WebAddress = netip.AddrPortFrom(cpAddr, lab.NginxPort)

// notBuilt stands in for a console that was not built.
const notBuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ipxe-all-ready</title>
<p>The browser console was not built when this site was started. The API is at
<a href="/api/cp/workers">/api/cp/</a>, the files are at <a href="/api/browse/">/api/browse/</a>.
`

// startWeb runs nginx beside the control plane. It serves copies, since its
// workers may not be let into the checkout.
func (s *Site) startWeb(root string) error {
	folders := lab.NginxFolders{Console: s.Path("console"), Public: s.Public, TFTP: s.Dnsmasq.TFTPRoot}
	if err := lab.CopyTree(s.Public, filepath.Join(root, "deploy", "public")); err != nil {
		return fmt.Errorf("fill public folder: %w", err)
	}
	if err := fillConsole(folders.Console, filepath.Join(root, "web", "dist")); err != nil {
		return fmt.Errorf("fill console: %w", err)
	}
	var err error
	s.Nginx, err = s.CP.StartNginx(lab.DebianNginx, folders)
	return err
}

func fillConsole(dir, built string) error {
	_, err := os.Stat(filepath.Join(built, "index.html"))
	if err == nil {
		return lab.CopyTree(dir, built)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, name := range []string{"index.html", "browse/index.html"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(notBuilt), 0o644); err != nil {
			return err
		}
	}
	return nil
}
