package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAStartThatWouldLoseDataIsRefusedBySayingWhy(t *testing.T) {
	home := t.TempDir()
	absent, file, link := filepath.Join(home, "absent"), filepath.Join(home, "file"), filepath.Join(home, "link")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		want string // "": it starts
	}{
		{"a home that is not there", map[string]string{"IPXE_CP_HOME": absent}, "IPXE_CP_HOME \"" + absent + "\" is no folder that stands"},
		{"a home that is a file", map[string]string{"IPXE_CP_HOME": file}, "IPXE_CP_HOME \"" + file + "\" is no folder that stands"},
		{"an empty home", map[string]string{"IPXE_CP_HOME": home}, ""},
		{"no home", map[string]string{}, ""},
		{"one file twice", map[string]string{"IPXE_CP_HOME": home, "IPXE_CP_WORKERS_FILE": "x/../a", "IPXE_CP_AGENTS_FILE": filepath.Join(home, "a")},
			"IPXE_CP_WORKERS_FILE names the same file as IPXE_CP_AGENTS_FILE"},
		{"one file by default", map[string]string{"IPXE_CP_SETTINGS_FILE": "state/operations.jsonl"}, "IPXE_CP_OPERATIONS_FILE names the same file as IPXE_CP_SETTINGS_FILE"},
		{"one file by a link", map[string]string{"IPXE_CP_SETTINGS_FILE": file, "IPXE_CP_DNSMASQ_HOSTS_FILE": link}, "IPXE_CP_DNSMASQ_HOSTS_FILE names the same file as IPXE_CP_SETTINGS_FILE"},
		{"a file of our own", map[string]string{"IPXE_CP_SETTINGS_FILE": "state/tasks.json"}, "IPXE_CP_SETTINGS_FILE \"state/tasks.json\" is a file that ipxe-cp keeps for itself"},
		{"one token for both", map[string]string{"IPXE_CP_TOKEN": "one-token-1", "IPXE_CP_VIEW_TOKEN": "one-token-1"}, "IPXE_CP_VIEW_TOKEN is the same as IPXE_CP_TOKEN"},
		{"two tokens", map[string]string{"IPXE_CP_TOKEN": "one-token-1", "IPXE_CP_VIEW_TOKEN": "two-token-2"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := FromEnv(func(name string) (string, bool) { v, ok := c.env[name]; return v, ok })
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %s", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "one-token") {
				t.Error("it tells the token")
			}
		})
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("the home was made")
	}
}
