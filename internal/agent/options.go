package agent

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/lio"
	"ipxe-all-ready/internal/config"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/secret"
)

// Options are what a site can choose.
type Options struct {
	Listen  string // host:port
	Token   secret.Text
	TLSCert string // "": plain HTTP
	TLSKey  string
	CallCA  string // PEM file of those who vouch for callers; "": no caller needs a certificate
	DiskDir string // absolute
	Base    iscsi.Base
	LogFile string
	Folders string // file that keeps which image folders held images
	Served  string // file that keeps which file each target serves

	Backend     string // stgt or lio
	LIORoot     string // of the kernel's target tree
	LIOSync     bool   // its disks have no write cache
	Tgtadm      string
	ControlPort uint16
	Managed     bool   // the agent starts tgtd
	Portal      string // address:port that the iSCSI server must serve; empty: its default
	TgtdOutput  string // what a managed tgtd says

	MinFree      store.Reserve
	Overcommit   float64 // zero: without limit
	OwnInitiator bool    // IPXE_ACL=initiator
	CloneWorkers int

	Doubts []config.Doubt // settings that are told of at the start

	// Not a site's choice.
	Watch   time.Duration    // between two looks at tgtd; zero is one second
	Masters time.Duration    // between two looks for masters; zero is 30 s
	Fence   time.Duration    // between two looks at who is on the disks; zero is five seconds
	Now     func() time.Time // nil: time.Now
}

// maxControlPort is the most that tgtadm takes for -C.
const maxControlPort = 1<<15 - 1

// FromEnv reads the environment and reports every problem at once.
func FromEnv(lookup func(string) (string, bool)) (Options, error) {
	s := config.From(lookup)
	o := Options{
		Listen:       s.Listen("IPXE_AGENT_LISTEN", ":4840"),
		Token:        s.RequiredSecret("IPXE_AGENT_TOKEN", "IPXE_AGENT_TOKEN_FILE"),
		TLSCert:      s.String("IPXE_AGENT_TLS_CERT", ""),
		TLSKey:       s.String("IPXE_AGENT_TLS_KEY", ""),
		CallCA:       s.String("IPXE_AGENT_TLS_CLIENT_CA", ""),
		DiskDir:      config.RequiredParse(s, "IPXE_DISK_DIR", parseFolder),
		Base:         config.RequiredParse(s, "IPXE_IQN_BASE", iscsi.ParseBase),
		Backend:      s.RequiredOneOf("IPXE_BACKEND", backendSTGT, backendLIO),
		LIORoot:      config.Parse(s, "IPXE_LIO_ROOT", lio.DefaultRoot, parseFolder),
		LIOSync:      s.Bool("IPXE_LIO_SYNC", false),
		Tgtadm:       s.String("IPXE_TGTADM", "tgtadm"),
		ControlPort:  uint16(s.Int("IPXE_TGT_CONTROL_PORT", 0, 0, maxControlPort)),
		Managed:      s.OneOf("IPXE_TGTD", "external", "external", "managed") == "managed",
		Portal:       config.Parse(s, "IPXE_TGT_PORTAL", "", parsePortal),
		MinFree:      config.Parse(s, "IPXE_MIN_FREE", "5%", store.ParseReserve),
		Overcommit:   config.Parse(s, "IPXE_OVERCOMMIT", "none", store.ParseOvercommit),
		OwnInitiator: s.OneOf("IPXE_ACL", "all", "all", "initiator") == "initiator",
		CloneWorkers: s.Int("IPXE_CLONE_WORKERS", 2, 1, 64),
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		s.Reject("IPXE_AGENT_TLS_CERT", "and IPXE_AGENT_TLS_KEY go together; one of them is not set")
	}
	if o.CallCA != "" && o.TLSCert == "" {
		s.Reject("IPXE_AGENT_TLS_CLIENT_CA", "is only of use with IPXE_AGENT_TLS_CERT: without TLS no caller shows a certificate")
	}
	if o.Backend == backendLIO && o.Managed {
		s.Reject("IPXE_TGTD", `"managed" is for IPXE_BACKEND=stgt: the kernel serves lio's targets`)
	}
	o.LogFile = s.String("IPXE_LOG_FILE", filepath.Join(o.DiskDir, "..", "ipxe-agent.jsonl"))
	beside := strings.TrimSuffix(o.LogFile, filepath.Ext(o.LogFile))
	o.Folders, o.Served = beside+".folders.json", beside+".targets.json"
	o.TgtdOutput = filepath.Join(filepath.Dir(o.LogFile), "tgtd.log")
	o.Doubts = s.Doubts()
	return o, s.Err()
}

// parseFolder makes a path absolute. The iSCSI servers cut a path at a comma or
// a newline.
func parseFolder(s string) (string, error) {
	path, err := filepath.Abs(s)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(path, ",\n\r\t\x00") || strings.TrimSpace(path) != path {
		return "", fault.New(fault.Invalid, "the iSCSI server can use no path such as %q, with a comma, a line break or blanks around it", fault.Clip(s))
	}
	return path, nil
}

// parsePortal reads an address and a port, as tgtd prints them.
func parsePortal(s string) (string, error) {
	p, err := netip.ParseAddrPort(s)
	if err != nil || p.Port() == 0 || p.Addr().Zone() != "" {
		return "", fmt.Errorf("not address:port, such as 192.168.80.3:3260 or [fd77::3]:3260")
	}
	return p.String(), nil
}
