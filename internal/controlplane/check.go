package controlplane

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/certs"
	"ipxe-all-ready/internal/controlplane/dhcphosts"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/reconcile"
	"ipxe-all-ready/internal/selfcheck"
)

// Check looks at what a start would: variables, ledgers, dnsmasq, certificates
// and ports. It changes nothing and needs no control plane to be stopped.
func Check(ctx context.Context, lookup func(string) (string, bool)) selfcheck.List {
	c := &check{}
	o, err := FromEnv(lookup)
	if err != nil {
		c.Variables(err)
		c.Add(selfcheck.Note, "ledgers", "", "the rest is looked at once the variables are right")
		return c.List
	}
	c.o = o
	for _, d := range o.Doubts {
		c.Add(selfcheck.Warning, d.Name, d.Do, "%s", d.Text)
	}
	c.running()
	c.ledgers()
	c.files()
	c.dnsmasq(ctx)
	c.certificates()
	c.ports()
	return c.List
}

type check struct {
	selfcheck.List
	o      Options
	holder string // the process of a control plane that runs on these ledgers
}

// running looks for the lock in the kernel's own list: taking it, even for an
// instant, would keep a control plane from starting. The list names devices as
// stat does not (btrfs, overlay), so the holder's number in the lock is the rest
// of the proof.
func (c *check) running() {
	var st unix.Stat_t
	if unix.Stat(c.o.Files.Lock, &st) != nil {
		return
	}
	content, _ := atomicfile.ReadFile(c.o.Files.Lock, 4096)
	said, _, _ := strings.Cut(string(content), "\n")
	holder, _, _ := strings.Cut(said, " ") // a lock of an earlier release holds the number alone
	inode := fmt.Sprintf(":%d", st.Ino)
	locks, _ := os.ReadFile("/proc/locks")
	// 1: FLOCK  ADVISORY  WRITE 1234 fe:00:131077 0 EOF
	for line := range strings.Lines(string(locks)) {
		if f := strings.Fields(line); len(f) > 5 && f[1] == "FLOCK" && f[4] == holder && strings.HasSuffix(f[5], inode) {
			c.holder = holder
			c.Add(selfcheck.Note, c.o.Files.Lock, "", "a control plane, process %s, runs on these ledgers", said)
			return
		}
	}
}

func (c *check) ledgers() {
	in := ledger.Inspect(ledger.Options{
		WorkersFile: c.o.Files.Workers, AgentsFile: c.o.Files.Agents, SettingsFile: c.o.Files.Settings,
		HostsFile: c.o.Files.Hosts, JournalFile: c.o.Files.Journal,
		Getenv: c.o.Getenv, DefaultArch: c.o.DefaultArch.String(),
	})
	for _, f := range in.Faults {
		c.Add(selfcheck.Fault, at(f.File, f.Line), "mend it in an editor; until then the file is served as far as it can be read, and never changed", "%s", f.Text)
	}
	if in.Pending && c.holder == "" {
		c.Add(selfcheck.Note, c.o.Files.Hosts, "", "a change of this file was cut short; the next start finishes it")
	}
	for _, f := range in.Snapshot.Findings() {
		c.Add(selfcheck.Warning, at(c.o.Files.Hosts, f.Line), "mend or remove the line; dnsmasq reads it otherwise than it looks, or not at all", "%s", f.Text)
	}
	c.disagreements(in.Snapshot)
	c.inventory(in.Snapshot)
}

// disagreements are those between the files; what nodes export, GET /reconcile
// tells.
func (c *check) disagreements(snap *ledger.Snapshot) {
	for _, f := range reconcile.Compare(snap, nil) {
		switch f.Kind {
		case reconcile.SharedTarget:
			c.Add(selfcheck.Fault, c.o.Files.Workers, "take the disk from one of the rows", "%s", f.Detail)
		case reconcile.UnknownAgent:
			c.Add(selfcheck.Fault, c.o.Files.Workers, "enter the node in agents.yml, or take the disk from the row", "%s", f.Detail)
		case reconcile.OrphanBinding, reconcile.UnboundWorker:
			c.Add(selfcheck.Warning, c.o.Files.Hosts, "", "%s", f.Detail)
		}
	}
}

func (c *check) inventory(snap *ledger.Snapshot) {
	file := c.o.Files.Agents
	if len(snap.Agents()) == 0 {
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
	if info, err := os.Stat(file); err == nil && len(snap.Agents()) > 0 && info.Mode()&0o077 != 0 {
		c.Add(selfcheck.Warning, file, "chmod 600", "it holds tokens, and others than its owner can read it (mode %04o)", info.Mode().Perm())
	}
}

func (c *check) files() {
	for _, path := range []string{c.o.Files.Workers, c.o.Files.Agents, c.o.Files.Settings, c.o.Files.Hosts, c.o.Files.Operations} {
		c.Folder(path)
		c.Writable(path)
	}
	c.Regular(selfcheck.Fault, c.o.Files.Operations, "nothing can be changed without the trail")
	for _, path := range []string{c.o.Files.Lock, c.o.Files.Journal} {
		c.Regular(selfcheck.Fault, path, "the start is refused")
	}
}

func (c *check) dnsmasq(ctx context.Context) {
	do := "start dnsmasq with this pid-file, as the user of ipxe-cp"
	var err error
	where := c.o.Reload.PIDFile
	switch c.o.Reload.Mode {
	case "pidfile":
		err = dhcphosts.TryPIDFile(c.o.Reload.PIDFile)
	case "container":
		where, do = c.o.Reload.Container, "start the container, and let ipxe-cp reach "+dhcphosts.DockerSocket
		err = dhcphosts.TryContainer(ctx, dhcphosts.DockerSocket, c.o.Reload.Container)
	default:
		c.Add(selfcheck.Warning, "IPXE_CP_DNSMASQ_RELOAD", "set IPXE_CP_DNSMASQ_PID_FILE", "dnsmasq is not told of new bindings: they count from its next start")
		return
	}
	if err != nil {
		c.Add(selfcheck.Fault, where, do, "dnsmasq cannot be told of new bindings: %v", err)
	}
	if info, err := os.Stat(c.o.Files.Hosts); err == nil && c.o.Reload.Mode == "pidfile" && info.Mode()&0o044 == 0 {
		c.Add(selfcheck.Warning, c.o.Files.Hosts, "chmod 644", "nobody but its owner can read it (mode %04o): dnsmasq has to", info.Mode().Perm())
	}
}

func (c *check) certificates() {
	quiet := slog.New(slog.DiscardHandler)
	if c.o.TLSCert != "" {
		shown, err := certs.NewServer(c.o.TLSCert, c.o.TLSKey, "", quiet)
		c.Certificates("IPXE_CP_TLS_CERT", err, shown)
	}
	nodes, err := certs.NewClient(c.o.AgentCA, c.o.AgentCert, c.o.AgentKey, quiet)
	c.Certificates("IPXE_CP_AGENT_TLS_CA, IPXE_CP_AGENT_TLS_CERT", err, nodes)
}

func (c *check) ports() {
	open := c.o.Token.IsZero()
	for _, p := range []struct{ name, addr string }{{"IPXE_CP_LISTEN", c.o.Listen}, {"IPXE_CP_BOOT_LISTEN", c.o.BootListen}} {
		if p.addr == "" {
			continue
		}
		if err := selfcheck.Port(p.addr); err != nil && c.holder == "" {
			c.Add(selfcheck.Fault, p.name, "ss -ltnp tells who has it; ip address, which addresses this host has", "%s cannot be listened on: %v", p.addr, err)
		}
	}
	host, _, _ := net.SplitHostPort(c.o.Listen)
	if ip := net.ParseIP(host); open && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		c.Add(selfcheck.Warning, "IPXE_CP_TOKEN", "head -c 24 /dev/urandom | base64 makes one", "it is not set: whoever reaches %s can change and delete everything", c.o.Listen)
	}
}

func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
