package controlplane

import (
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"

	"ipxe-all-ready/internal/config"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
	"ipxe-all-ready/internal/secret"
)

// Options are what a site can choose.
type Options struct {
	Listen     string // host:port of the API
	BootListen string // plain HTTP for machines, beside a TLS API; "" without TLS
	TLSCert    string
	TLSKey     string
	Files      Files
	Reload     Reload
	Standby    bool // wait where another control plane holds the ledgers

	Token, ViewToken secret.Text // zero: the API is open
	TrustedProxies   []string    // networks whose X-Forwarded-For is believed

	DefaultArch    netboot.Arch
	MenuTimeout    time.Duration // of a machine with a default system
	LoopTimeout    time.Duration // of a machine that has nothing to boot yet
	AutoRegister   bool
	MaxWorkers     int
	StrictIdentity bool

	RegisterBurst     int // new machines that one address may bring at once; 0: any number
	RegisterPerMinute int // and after that
	Connections       int // that one address may hold

	AgentTimeout  time.Duration
	CloneTimeout  time.Duration
	AgentParallel int    // items of batches at one node at a time
	AgentCA       string // PEM file of those who vouch for nodes, beside the system's; "": none
	AgentCert     string // shown to nodes that want a certificate; "": none
	AgentKey      string
	LogLevel      slog.Level
	Getenv        func(string) string // for ${ENV} in agents.yml

	Doubts []config.Doubt // settings that are told of at the start

	// Not a site's choice.
	Fencing time.Duration    // between two looks at who uses the disks; zero is 10 s
	Now     func() time.Time // nil: time.Now
}

// Reload says how dnsmasq learns of new bindings.
type Reload struct {
	Mode      string // pidfile, container or off
	PIDFile   string
	Container string
}

// FromEnv reads the environment and reports every problem at once.
func FromEnv(lookup func(string) (string, bool)) (Options, error) {
	s := config.From(lookup)
	o := Options{
		Listen:    s.Listen("IPXE_CP_LISTEN", ":4839"),
		Token:     s.Secret("IPXE_CP_TOKEN", "IPXE_CP_TOKEN_FILE"),
		ViewToken: s.Secret("IPXE_CP_VIEW_TOKEN", "IPXE_CP_VIEW_TOKEN_FILE"),
		TLSCert:   s.String("IPXE_CP_TLS_CERT", ""),
		TLSKey:    s.String("IPXE_CP_TLS_KEY", ""),
		Files:     filesFrom(s),
		Reload:    reloadFrom(s),
		Standby:   s.Bool("IPXE_CP_STANDBY", false),

		TrustedProxies: config.Parse(s, "IPXE_CP_TRUSTED_PROXIES", "127.0.0.0/8,::1/128", parseNetworks),
		DefaultArch:    config.Parse(s, "IPXE_CP_DEFAULT_ARCH", "x86_64", netboot.ParseArch),
		MenuTimeout:    s.Milliseconds("IPXE_CP_BOOT_MENU_TIMEOUT", 5*time.Second, 0),
		LoopTimeout:    s.Seconds("IPXE_CP_AUTO_BOOT_TIMEOUT", time.Second, time.Millisecond),
		AutoRegister:   s.Bool("IPXE_CP_AUTO_REGISTER", true),
		MaxWorkers:     s.Int("IPXE_CP_MAX_WORKERS", 20000, 0, 10_000_000),
		StrictIdentity: s.Bool("IPXE_CP_STRICT_IDENTITY", true),

		RegisterBurst:     s.Int("IPXE_CP_REGISTER_BURST", 64, 0, 10_000_000),
		RegisterPerMinute: s.Int("IPXE_CP_REGISTER_PER_MINUTE", 4, 1, 1_000_000),
		Connections:       s.Int("IPXE_CP_CONNECTIONS_PER_ADDRESS", 1024, 1, 1_000_000),

		AgentTimeout:  s.Seconds("IPXE_CP_AGENT_TIMEOUT", 10*time.Second, 100*time.Millisecond),
		CloneTimeout:  s.Seconds("IPXE_CP_CLONE_TIMEOUT", time.Hour, time.Second),
		AgentParallel: s.Int("IPXE_CP_AGENT_PARALLEL", 4, 1, 64),
		AgentCA:       s.String("IPXE_CP_AGENT_TLS_CA", ""),
		AgentCert:     s.String("IPXE_CP_AGENT_TLS_CERT", ""),
		AgentKey:      s.String("IPXE_CP_AGENT_TLS_KEY", ""),
		LogLevel:      config.Parse(s, "IPXE_CP_LOG_LEVEL", "info", parseLevel),
		Getenv:        func(name string) string { v, _ := lookup(name); return v },
	}
	tlsFrom(s, &o)
	if !o.ViewToken.IsZero() && o.Token.IsZero() {
		s.Reject("IPXE_CP_VIEW_TOKEN", "is set without IPXE_CP_TOKEN: everything would stay open")
	}
	if o.ViewToken.Equal(o.Token.Reveal()) {
		s.Reject("IPXE_CP_VIEW_TOKEN", "is the same as IPXE_CP_TOKEN: whoever may read could change everything")
	}
	if wide := wideNetworks(o.TrustedProxies); len(wide) > 0 {
		s.Doubt("IPXE_CP_TRUSTED_PROXIES", "name the proxies' own addresses",
			"believes %s whom a call comes from: whoever connects from there can name any address, so that no limit on guessed tokens, connections and new machines holds him, and the trail tells what he likes", strings.Join(wide, " and "))
	}
	o.Doubts = s.Doubts()
	return o, s.Err()
}

func reloadFrom(s *config.Source) Reload {
	r := Reload{
		PIDFile:   s.String("IPXE_CP_DNSMASQ_PID_FILE", ""),
		Container: s.String("IPXE_CP_DNSMASQ_CONTAINER", ""),
	}
	def := "off"
	if r.PIDFile != "" {
		def = "pidfile"
	}
	r.Mode = s.OneOf("IPXE_CP_DNSMASQ_RELOAD", def, "pidfile", "container", "off", "true", "false")
	// The original's words.
	switch r.Mode {
	case "true":
		r.Mode = "container"
	case "false":
		r.Mode = "off"
	}
	if r.Mode == "pidfile" && r.PIDFile == "" {
		s.Reject("IPXE_CP_DNSMASQ_PID_FILE", "is required with IPXE_CP_DNSMASQ_RELOAD=pidfile and not set")
	}
	if r.Mode == "container" && r.Container == "" {
		s.Reject("IPXE_CP_DNSMASQ_CONTAINER", "is required with IPXE_CP_DNSMASQ_RELOAD=container and not set")
	}
	return r
}

func tlsFrom(s *config.Source, o *Options) {
	if (o.AgentCert == "") != (o.AgentKey == "") {
		s.Reject("IPXE_CP_AGENT_TLS_CERT", "and IPXE_CP_AGENT_TLS_KEY go together; one of them is not set")
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		s.Reject("IPXE_CP_TLS_CERT", "and IPXE_CP_TLS_KEY go together; one of them is not set")
	}
	if o.TLSCert == "" {
		if s.Has("IPXE_CP_BOOT_LISTEN") {
			s.Reject("IPXE_CP_BOOT_LISTEN", "is only of use with IPXE_CP_TLS_CERT; without it IPXE_CP_LISTEN serves machines too")
		}
		return
	}
	if !s.Has("IPXE_CP_BOOT_LISTEN") {
		s.Reject("IPXE_CP_BOOT_LISTEN", "is required with IPXE_CP_TLS_CERT: machines' firmware trusts no private certificate")
		return
	}
	o.BootListen = s.Listen("IPXE_CP_BOOT_LISTEN", "")
}

// parseNetworks reads addresses and networks separated by commas.
func parseNetworks(list string) ([]string, error) {
	var out []string
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		_, netErr := netip.ParsePrefix(item)
		if net.ParseIP(item) == nil && netErr != nil {
			return nil, fault.New(fault.Invalid, "%q is neither an address nor a network", fault.Clip(item))
		}
		out = append(out, item)
	}
	return out, nil
}

// wideNetworks are those that no proxies fill: wider than the widest that are
// anybody's own, 10.0.0.0/8 and fc00::/7.
func wideNetworks(list []string) (wide []string) {
	for _, item := range list {
		p, err := netip.ParsePrefix(item)
		if err != nil {
			continue
		}
		bits, least := p.Bits(), 7
		if p.Addr().Is4In6() && bits >= 96 {
			bits, least = bits-96, 8
		} else if p.Addr().Is4() {
			least = 8
		}
		if bits < least {
			wide = append(wide, item)
		}
	}
	return wide
}

func parseLevel(text string) (l slog.Level, err error) {
	if err := l.UnmarshalText([]byte(text)); err != nil {
		return l, fault.New(fault.Invalid, "%q is not one of debug, info, warn, error", fault.Clip(text))
	}
	return l, nil
}
