package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Files are a control plane's ledgers before it starts.
type Files struct {
	Workers int    // known ones, with a binding and a disk each
	Agents  string // entries of agents.yml
	Agent   string // that holds the disks
}

// Where the ledgers are below a home.
const (
	WorkersFile = "state/workers.yml"
	HostsFile   = "dnsmasq/dhcp-hosts.conf"
	AgentsFile  = "config/agents.yml"
)

// Write makes the files in home. The i-th worker has the MAC of a crowd's i-th
// machine and is named worker-00001 and so on.
func (l Files) Write(home string) error {
	var workers, hosts strings.Builder
	workers.WriteString("workers: {}\n")
	if l.Workers > 0 {
		workers.Reset()
		workers.WriteString("workers:\n")
	}
	for i := range l.Workers {
		name := fmt.Sprintf("worker-%05d", i+1)
		fmt.Fprintf(&workers, `  %[1]s:
    hostname: %[1]s
    arch: x86_64
    state: ready
    disks:
      - agent: %[2]s
        iqn: iqn.2026-07.com.controller:%[1]s.ubuntu
        filename: %[1]s.ubuntu.img
        backing: /images/%[1]s.ubuntu.img
        os: ubuntu
        source: {type: master, name: ubuntu_tpl_24.04.img}
    cd: null
    default_os: ubuntu
`, name, l.Agent)
		fmt.Fprintf(&hosts, "%s,%s\n", MAC(i), name)
	}
	for name, content := range map[string]string{WorkersFile: workers.String(), HostsFile: hosts.String(), AgentsFile: "agents:\n" + l.Agents} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}
