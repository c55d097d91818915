package site

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
)

// Node is a storage node: an agent, an image folder and a target server.
type Node struct {
	ID      string
	Host    *lab.Host
	Images  string // folder of masters and disks
	Managed bool   // the agent runs tgtd
	Agent   *lab.Process
	Tgtd    *lab.Tgtd // nil when managed
	Env     []string  // more settings of the agent, from its next start on

	site        *Site
	token       string
	controlPort int
}

// IQNBase starts the name of every target of every node.
const IQNBase = "iqn.2026-07.com.example.lab"

const agentPort = 4840

func (s *Site) addNode(id string, addr netip.Addr, managed bool) (*Node, error) {
	h, err := s.AddHost(id, addr)
	if err != nil {
		return nil, err
	}
	n := &Node{ID: id, Host: h, Images: s.Path(id, "images"), Managed: managed, site: s, token: newToken()}
	if n.controlPort, err = s.FreeControlPort(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(n.Images, 0o755); err != nil {
		return nil, fmt.Errorf("add node %s: %w", id, err)
	}
	return n, nil
}

func (n *Node) inventory() string {
	return fmt.Sprintf(`  %s:
    base_url: http://%s:%d
    token: %s
    iscsi_server: %s
    role: {disk: true, cd: true}
    tags: [storage, stgt]
    enabled: true
`, n.ID, n.Host.Addr, agentPort, n.token, n.Host.Addr)
}

// Entry is the node as a person would register it.
func (n *Node) Entry() api.PutAgent {
	return api.PutAgent{
		ID: n.ID, BaseURL: fmt.Sprintf("http://%s:%d", n.Host.Addr, agentPort), Token: n.token,
		ISCSIServer: n.Host.Addr.String(),
	}
}

func (n *Node) start() error {
	if !n.Managed {
		if err := n.StartTgtd(); err != nil {
			return err
		}
	}
	return n.StartAgent()
}

// StartTgtd runs the target server of a node whose agent does not.
func (n *Node) StartTgtd() (err error) {
	n.Tgtd, err = n.Host.StartTgtd(n.ID+"-tgtd", n.controlPort)
	return err
}

// StartAgent runs ipxe-agent and waits until it and its target server answer.
func (n *Node) StartAgent() error {
	tgtd := "external"
	if n.Managed {
		tgtd = "managed"
	}
	p, err := n.Host.Start(n.ID+"-agent", append([]string{
		"IPXE_AGENT_TOKEN=" + n.token,
		"IPXE_DISK_DIR=" + n.Images,
		"IPXE_IQN_BASE=" + IQNBase,
		"IPXE_BACKEND=stgt",
		"IPXE_TGT_CONTROL_PORT=" + strconv.Itoa(n.controlPort),
		"IPXE_TGTD=" + tgtd,
		"IPXE_TGT_PORTAL=" + netip.AddrPortFrom(n.Host.Addr, 3260).String(),
	}, n.Env...), filepath.Join(n.site.bin, "ipxe-agent"))
	if err != nil {
		return err
	}
	n.Agent = p
	return answers(p, func() error { return n.Call("GET", "/readyz", nil, nil) })
}

// KillTgtd ends the node's target server as a crash would, and returns its pid
// when it is gone.
func (n *Node) KillTgtd() (int, error) {
	pid, err := n.Host.PIDOf("tgtd")
	if err != nil {
		return 0, err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return 0, fmt.Errorf("kill tgtd of %s: %w", n.ID, err)
	}
	return pid, lab.Poll(lab.Patience, func() error { // it has got the signal, and not yet ended
		if _, err := lab.StartTime(pid); err == nil {
			return fmt.Errorf("tgtd of %s, process %d, is still there", n.ID, pid)
		}
		return nil
	})
}
