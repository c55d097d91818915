package controlplane

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/certs"
	"ipxe-all-ready/internal/controlplane/dhcphosts"
	"ipxe-all-ready/internal/selfcheck"
)

// Check looks at what a start would: variables, ledgers, dnsmasq, certificates
// and ports. It changes nothing and needs no control plane to be stopped.
func Check(ctx context.Context, environ []string) selfcheck.List {
	env := selfcheck.NewEnviron(environ)
	o, err := FromEnv(env.Lookup)
	c := &check{o: o, docker: dhcphosts.DockerSocket, patience: 5 * time.Second}
	wrong := c.Variables(err, o.Doubts)
	files := []string{"IPXE_CP_HOME", "IPXE_CP_DEFAULT_ARCH"}
	for _, v := range ledgerVariables {
		files = append(files, v.name)
	}
	tokens := []string{"IPXE_CP_TOKEN", "IPXE_CP_TOKEN_FILE", "IPXE_CP_LISTEN"}
	c.Parts(wrong, []selfcheck.Part{
		{What: "ledgers", Needs: files, Look: func() { c.running(); c.ledgers(); c.files() }},
		{What: "dnsmasq", Needs: slices.Concat(files, []string{"IPXE_CP_DNSMASQ_*"}), Look: func() { c.dnsmasq(ctx) }},
		{What: "certificates", Needs: []string{"IPXE_CP_TLS_*", "IPXE_CP_AGENT_TLS_*"}, Look: c.certificates},
		// Who has a port may be the control plane of these ledgers.
		{What: "ports", Needs: slices.Concat(files, []string{"IPXE_CP_LISTEN", "IPXE_CP_BOOT_LISTEN"}), Look: c.ports},
		{What: "who may do what", Needs: tokens, Look: c.open},
		// Last: the inventory asks for variables of a site's own.
		{What: "variables that nothing reads", Needs: files, Look: func() { c.Strange(env, ours) }},
	})
	return c.List
}

func ours(variable string) bool { return strings.HasPrefix(variable, "IPXE_CP_") }

type check struct {
	selfcheck.List
	o      Options
	holder string // the process of a control plane that runs on these ledgers

	docker   string        // the socket of the engine
	patience time.Duration // that it gets
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

func (c *check) files() {
	looked := map[string]bool{}
	for _, path := range []string{c.o.Files.Workers, c.o.Files.Agents, c.o.Files.Settings, c.o.Files.Hosts, c.o.Files.Operations} {
		if dir := filepath.Dir(path); !looked[dir] {
			c.Folder(path)
			looked[dir] = true
		}
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
		where, do = c.o.Reload.Container, "start the container, and let ipxe-cp reach "+c.docker
		ctx, cancel := context.WithTimeout(ctx, c.patience)
		defer cancel()
		err = dhcphosts.TryContainer(ctx, c.docker, c.o.Reload.Container)
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
	for _, p := range []struct{ name, addr string }{{"IPXE_CP_LISTEN", c.o.Listen}, {"IPXE_CP_BOOT_LISTEN", c.o.BootListen}} {
		if p.addr == "" {
			continue
		}
		if err := selfcheck.Port(p.addr); err != nil && c.holder == "" {
			c.Add(selfcheck.Fault, p.name, "ss -ltnp tells who has it; ip address, which addresses this host has", "%s cannot be listened on: %v", p.addr, err)
		}
	}
}

func (c *check) open() {
	host, _, _ := net.SplitHostPort(c.o.Listen)
	if ip := net.ParseIP(host); c.o.Token.IsZero() && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		c.Add(selfcheck.Warning, "IPXE_CP_TOKEN", "head -c 24 /dev/urandom | base64 makes one", "it is not set: whoever reaches %s can change and delete everything", c.o.Listen)
	}
}
