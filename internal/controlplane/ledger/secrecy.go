package ledger

import (
	"os"
	"path/filepath"

	"ipxe-all-ready/internal/atomicfile"
)

// guardTokens closes agents.yml to all but its owner while a token stands in
// it in plain: a person's editor or copy makes it as open as any other file.
// Who wants it readable keeps the tokens elsewhere and writes ${NAME}.
func (b *book) guardTokens() {
	s := &b.files.agents
	info, err := os.Stat(s.path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 || !b.holdsTokens() {
		return
	}
	was, open := info.Mode().Perm(), stampFrom(info) == s.known
	err = s.may()
	if err == nil {
		err = os.Chmod(s.path, was&0o700)
	}
	if err != nil {
		b.o.Log.Warn("the file holds tokens and others may read it", "file", s.path, "mode", was.String(), "error", err)
		return
	}
	if open {
		s.wrote(info) // the mode is our change and no person's edit
	}
	b.o.Log.Warn("the file holds tokens and is its owner's alone now", "file", s.path, "mode_was", was.String())
}

func (b *book) holdsTokens() bool {
	for _, a := range b.agents {
		raw := a.rawToken
		if raw == "" {
			raw = a.Token.Reveal()
		}
		if expand(raw, func(string) string { return "" }) != "" {
			return true
		}
	}
	return false
}

// makeFolder makes the folder of a file; one that is made is as open as
// dnsmasq needs it, which reads the bindings as a user of its own, whatever
// our umask says.
func makeFolder(path string) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := atomicfile.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}
