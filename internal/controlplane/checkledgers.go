package controlplane

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/reconcile"
	"ipxe-all-ready/internal/controlplane/task"
	"ipxe-all-ready/internal/selfcheck"
)

func (c *check) ledgers() {
	in := ledger.Inspect(ledger.Options{
		WorkersFile: c.o.Files.Workers, AgentsFile: c.o.Files.Agents, SettingsFile: c.o.Files.Settings,
		HostsFile: c.o.Files.Hosts, JournalFile: c.o.Files.Journal, BootsFile: c.o.Files.Boots,
		Getenv: c.o.Getenv, DefaultArch: c.o.DefaultArch.String(),
	})
	for _, f := range in.Faults {
		c.Add(selfcheck.Fault, at(f.File, f.Line), cmp.Or(f.Do, "mend it in an editor; until then the file is served as far as it can be read, and never changed"), "%s", f.Text)
	}
	c.forgotten(c.o.Files.Boots, in.Boots)
	for _, k := range task.Inspect(c.o.Files.Tasks) {
		c.forgotten(k.Path, k.Err)
	}
	if in.Pending && c.holder == "" {
		c.Add(selfcheck.Note, c.o.Files.Hosts, "", "a change of this file was cut short; the next start finishes it")
	}
	for _, f := range in.Snapshot.Findings() {
		c.Add(selfcheck.Warning, at(c.o.Files.Hosts, f.Line), "mend or remove the line; dnsmasq reads it otherwise than it looks, or not at all", "%s", f.Text)
	}
	c.disagreements(in)
	c.inventory(in)
}

// forgotten is a file of our own without which everything runs.
func (c *check) forgotten(file string, why error) {
	if why != nil {
		c.Add(selfcheck.Warning, file, "put the file back, or the newer release that wrote it", "what is kept there is passed by: %v", why)
	}
}

func broken(in ledger.Inspection, file string) bool {
	return slices.ContainsFunc(in.Faults, func(f ledger.Fault) bool { return f.File == file })
}

// disagreements are those between the files; what nodes export, GET /reconcile
// tells. Who has a name may stand in a row that cannot be read.
func (c *check) disagreements(in ledger.Inspection) {
	enter := "enter the node in agents.yml, or take the disk from the row"
	if broken(in, c.o.Files.Agents) {
		enter = "mend agents.yml first"
	}
	for _, f := range reconcile.Compare(in.Snapshot, nil) {
		switch {
		case f.Kind == reconcile.SharedTarget:
			c.Add(selfcheck.Fault, c.o.Files.Workers, "take the disk from one of the rows", "%s", f.Detail)
		case f.Kind == reconcile.UnknownAgent:
			c.Add(selfcheck.Fault, c.o.Files.Workers, enter, "%s", f.Detail)
		case f.Kind == reconcile.OrphanBinding && !broken(in, c.o.Files.Workers),
			f.Kind == reconcile.UnboundWorker && !broken(in, c.o.Files.Hosts):
			c.Add(selfcheck.Warning, c.o.Files.Hosts, "", "%s", f.Detail)
		}
	}
}

func (c *check) inventory(in ledger.Inspection) {
	file, snap := c.o.Files.Agents, in.Snapshot
	if len(snap.Agents()) == 0 && !broken(in, file) {
		c.Add(selfcheck.Note, file, "", "there is no storage node yet: no disk can be made")
	}
	for _, a := range snap.Agents() {
		for _, name := range a.Unset(c.o.Getenv) {
			c.Add(selfcheck.Fault, file, "set it in the environment of ipxe-cp", "the token of agent %s names ${%s}, which is not set: the node will refuse it", a.ID, name)
		}
		if a.Token.IsZero() && len(a.Unset(c.o.Getenv)) == 0 {
			c.Add(selfcheck.Warning, file, "enter the node's IPXE_AGENT_TOKEN", "agent %s has no token, and a node wants one", a.ID)
		}
		if !a.RoleDisk && !a.RoleCD {
			c.Add(selfcheck.Warning, file, "role: {disk: true}", "agent %s has no role: it is listed and gets nothing", a.ID)
		}
	}
	if info, err := os.Stat(file); err == nil && in.Tokens && info.Mode()&0o077 != 0 {
		c.Add(selfcheck.Warning, file, "chmod 600", "it holds tokens, and others than its owner can read it (mode %04o)", info.Mode().Perm())
	}
}

func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
