package site

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"ipxe-all-ready/internal/lab"
)

// Where the control plane answers inside the lab.
var (
	cpAddr  = netip.MustParseAddr("192.168.80.1")
	cpPort  = uint16(4839)
	Address = netip.AddrPortFrom(cpAddr, cpPort)
)

// Site is a running product.
type Site struct {
	*lab.Lab
	CP           *lab.Host
	Dnsmasq      *lab.Dnsmasq
	ControlPlane *lab.Process
	Nodes        []*Node // node-1 with a tgtd of its host, node-2 with one that the agent manages
	Home         string  // the control plane's files
	Nginx        *lab.Nginx
	Public       string   // the files that nginx serves
	Env          []string // more settings of the control plane, from its next start on

	bin string
}

// Start builds the site in an empty lab and returns when everything answers.
func Start(l *lab.Lab) (*Site, error) {
	root, err := lab.Root()
	if err != nil {
		return nil, err
	}
	s := &Site{Lab: l, Home: l.Path("cp"), Public: l.Path("public"), bin: filepath.Join(root, "bin")}
	for _, program := range []string{"ipxe-cp", "ipxe-agent"} {
		if _, err := os.Stat(filepath.Join(s.bin, program)); err != nil {
			return nil, fmt.Errorf("start site: %w; make build makes it", err)
		}
	}
	if s.CP, err = l.AddHost("cp", cpAddr, lab.RouterPrefix); err != nil {
		return nil, err
	}
	for i, addr := range []string{"192.168.80.3", "192.168.80.4"} {
		n, err := s.addNode(fmt.Sprintf("node-%d", i+1), netip.MustParseAddr(addr), i == 1)
		if err != nil {
			return nil, err
		}
		s.Nodes = append(s.Nodes, n)
	}
	if err := s.writeFiles(filepath.Join(root, "deploy", "dnsmasq", "dhcp-hosts.conf")); err != nil {
		return nil, fmt.Errorf("start site: %w", err)
	}
	if s.Dnsmasq, err = s.CP.StartDnsmasq(s.HostsFile()); err != nil {
		return nil, err
	}
	if err := s.startWeb(root); err != nil {
		return nil, err
	}
	for _, n := range s.Nodes {
		if err := n.start(); err != nil {
			return nil, err
		}
	}
	return s, s.StartControlPlane()
}

// HostsFile is the bindings, WorkersFile the ledger of the workers.
func (s *Site) HostsFile() string { return filepath.Join(s.Home, "dnsmasq", "dhcp-hosts.conf") }

// WorkersFile is the ledger of the workers.
func (s *Site) WorkersFile() string { return filepath.Join(s.Home, "state", "workers.yml") }

// writeFiles makes what a person has to give the control plane: the bindings'
// file as shipped, and the inventory of storage nodes. A file that stands is
// from an earlier start in the same folder and stays.
func (s *Site) writeFiles(hosts string) error {
	for _, dir := range []string{"config", "state", "dnsmasq"} {
		if err := os.MkdirAll(filepath.Join(s.Home, dir), 0o755); err != nil {
			return err
		}
	}
	b, err := os.ReadFile(hosts)
	if err != nil {
		return err
	}
	if err := writeNew(s.HostsFile(), b); err != nil {
		return err
	}
	inventory := "agents:\n"
	for _, n := range s.Nodes {
		inventory += n.inventory()
	}
	return os.WriteFile(filepath.Join(s.Home, "config", "agents.yml"), []byte(inventory), 0o600)
}

func writeNew(path string, b []byte) error {
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

// StartControlPlane runs ipxe-cp and waits until it answers.
func (s *Site) StartControlPlane() error {
	p, err := s.CP.Start("ipxe-cp", append([]string{
		"IPXE_CP_HOME=" + s.Home,
		"IPXE_CP_DNSMASQ_RELOAD=pidfile",
		"IPXE_CP_DNSMASQ_PID_FILE=" + s.Dnsmasq.PIDFile,
	}, s.Env...), filepath.Join(s.bin, "ipxe-cp"))
	if err != nil {
		return err
	}
	s.ControlPlane = p
	return answers(p, func() error { return s.Call("GET", "/readyz", nil, nil) })
}

// answers waits until a freshly started daemon does what it is asked.
func answers(p *lab.Process, ask func() error) error {
	return lab.Poll(lab.Patience, func() error {
		if how, ended := p.Exited(); ended {
			return fmt.Errorf("start %s: it ended: %s\n%s", p.Name, how, p.Log.Tail(10))
		}
		if err := ask(); err != nil {
			return fmt.Errorf("start %s: %w\n%s", p.Name, err, p.Log.Tail(10))
		}
		return nil
	})
}

func newToken() string { return rand.Text() }
