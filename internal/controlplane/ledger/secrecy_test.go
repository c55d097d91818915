package ledger

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/netboot"
)

// safeBuffer is a log that is read while it is written.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func inventory(t *testing.T, dir, token string, mode fs.FileMode) (path string) {
	t.Helper()
	path = filepath.Join(dir, "config", "agents.yml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	row := "agents:\n  st1: {base_url: \"http://192.168.80.3:4840\", token: \"" + token + "\"}\n"
	if err := os.WriteFile(path, []byte(row), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnInventoryWithTokensIsItsOwnersAlone(t *testing.T) {
	for _, c := range []struct {
		token     string
		was, want fs.FileMode
	}{
		{"in-plain", 0o644, 0o600}, {"in-plain", 0o660, 0o600}, {"in-plain", 0o600, 0o600}, {"in-plain", 0o400, 0o400},
		{"${NODE_TOKEN}", 0o644, 0o644}, {"", 0o644, 0o644}, {"half-${NODE_TOKEN}", 0o644, 0o600},
	} {
		dir := t.TempDir()
		path := inventory(t, dir, c.token, c.was)
		log := &safeBuffer{}
		h := open(t, dir, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(log, nil)) })
		if got := modeOf(t, path); got != c.want {
			t.Errorf("%q %s became %s", c.token, c.was, got)
		}
		h.stop()
		if said := strings.Contains(log.String(), "is its owner's alone now"); said != (c.was != c.want) || strings.Contains(log.String(), "edit read") || strings.Contains(log.String(), "in-plain") {
			t.Errorf("%q %s: the log says\n%s", c.token, c.was, log)
		}
	}
}

func TestAnEditThatOpensTheInventoryIsClosedAgain(t *testing.T) {
	dir := t.TempDir()
	path := inventory(t, dir, "in-plain", 0o600)
	open(t, dir)
	inventory(t, dir, "another", 0o644)
	eventually(t, "it is closed", func() bool { return modeOf(t, path) == 0o600 })
}

func TestFilesAreAsOpenAsTheirReadersNeedWhateverTheUmask(t *testing.T) {
	for _, umask := range []int{0o077, 0o022, 0} {
		func() {
			defer syscall.Umask(syscall.Umask(umask))
			dir := t.TempDir()
			h := open(t, dir)
			defer h.stop()
			if _, err := h.Commit(context.Background(), func(tx *Tx) error {
				tx.PutAgent(&Agent{ID: must(netboot.ParseAgentID("st1")), BaseURL: "http://a:1"})
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]fs.FileMode{
				"config/agents.yml": 0o600, "dnsmasq": 0o755, "dnsmasq/dhcp-hosts.conf": 0o644,
			} {
				if got := modeOf(t, filepath.Join(dir, name)); got != want {
					t.Errorf("umask %03o: %s is %s, want %s", umask, name, got, want)
				}
			}
		}()
	}
}
