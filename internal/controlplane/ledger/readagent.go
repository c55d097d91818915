package ledger

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
	"ipxe-all-ready/internal/secret"
)

// ParseBaseURL reads an agent's address, http(s)://host[:port][/path], and
// drops a trailing slash.
func ParseBaseURL(s string) (string, error) {
	bad := func(why string) (string, error) {
		return "", fault.New(fault.Invalid, "base_url %q %s", fault.Clip(withoutLogin(s)), why)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || r > 0x7e }) {
		return bad("holds white space, a backslash or a character that an address cannot have")
	}
	if len(s) > longestURL {
		return bad("is longer than 255 characters")
	}
	if strings.Contains(s, "..") || strings.Contains(s, "${") {
		return bad("holds .. or ${")
	}
	if strings.ContainsAny(s, "?#@") {
		return bad("holds user info, a query or a fragment")
	}
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Opaque != "":
		return bad("is not http(s)://host[:port][/path]")
	case u.Hostname() == "":
		return bad("names no host")
	case !validPort(u):
		return bad("has a port that is not a number from 1 to 65535")
	}
	return strings.TrimRight(s, "/"), nil
}

const longestURL = 255

// withoutLogin is an address that may be shown and logged: user:password@ goes.
func withoutLogin(s string) string {
	at := strings.LastIndex(s, "@")
	if at < 0 {
		return s
	}
	scheme, _, ok := strings.Cut(s[:at], "//")
	if !ok {
		return "***" + s[at:]
	}
	return scheme + "//***" + s[at:]
}

func validPort(u *url.URL) bool {
	if !strings.HasSuffix(u.Host, ":"+u.Port()) {
		return true // without one
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

// readAgents reads all rows; with a flaw the list holds those that can be read.
func readAgents(rows []field, getenv func(string) string) (list []*Agent, first error) {
	list = eachAgent(rows, getenv, func(err error) {
		if first == nil {
			first = err
		}
	})
	return list, first
}

// eachAgent calls flawed with what is wrong with each row.
func eachAgent(rows []field, getenv func(string) string, flawed func(error)) (list []*Agent) {
	seen := map[netboot.AgentID]bool{}
	for _, r := range rows {
		a, err := readAgent(r, getenv)
		if err == nil && seen[a.ID] {
			err = flawAt(r.key.Line, "agent %s stands twice", a.ID)
		}
		if err != nil {
			flawed(err)
			continue
		}
		seen[a.ID] = true
		list = append(list, a)
	}
	return list
}

func readAgent(r field, getenv func(string) string) (*Agent, error) {
	id, err := netboot.ParseAgentID(r.key.Value)
	if err != nil {
		return nil, flawed(r.key.Line, "agents", err)
	}
	m := newMapping("agent "+id.String(), r.value)
	a := &Agent{
		ID: id, BaseURL: needed(m, "base_url", ParseBaseURL),
		ISCSIServer: parsed(m, "iscsi_server", iscsi.ParseHost),
		Enabled:     m.truth("enabled", true),
	}
	raw := m.text("token")
	a.Token = secret.New(expand(raw, getenv))
	if a.Token.Reveal() != raw {
		a.rawToken = raw
	}
	if role := m.sub("role"); role != nil {
		a.RoleDisk, a.RoleCD = role.truth("disk", false), role.truth("cd", false)
		m.join(role)
	}
	for _, n := range m.list("tags") {
		if n.Kind != yaml.ScalarNode {
			m.fail(n.Line, "a tag is no text")
		}
		a.Tags = append(a.Tags, n.Value)
	}
	if len(m.flaws) == 0 && a.ISCSIServer.IsZero() {
		if a.ISCSIServer, err = HostOf(a.BaseURL); err != nil {
			m.add(flawed(m.line, m.what+": base_url", err))
		}
	}
	return a, m.err()
}

// HostOf is the host of an agent's address, where its targets are served
// unless its iscsi_server says otherwise.
func HostOf(baseURL string) (iscsi.Host, error) {
	u, err := url.Parse(baseURL)
	if err != nil {
		return iscsi.Host{}, fault.New(fault.Invalid, "base_url %q is no address", fault.Clip(baseURL))
	}
	return iscsi.ParseHost(u.Hostname())
}

var envName = regexp.MustCompile(`\$?\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// expand puts ${NAME} of the environment into a token; $${NAME} stands for
// those very characters.
func expand(raw string, getenv func(string) string) string {
	return envName.ReplaceAllStringFunc(raw, func(v string) string {
		if v[1] == '$' {
			return v[1:]
		}
		return getenv(v[2 : len(v)-1])
	})
}

// literal keeps a token that came over the API from being expanded when it is
// read again: a caller must not learn our environment by way of an agent.
func literal(token string) string {
	return envName.ReplaceAllStringFunc(token, func(v string) string { return "$" + v })
}

func agentFields(a *Agent) func(*yaml.Node) {
	return func(m *yaml.Node) {
		set(m, "base_url", word(a.BaseURL))
		token := a.rawToken
		if token == "" {
			token = literal(a.Token.Reveal())
		}
		setOrDrop(m, "token", token)
		// The host of base_url is understood; what a person wrote out stays.
		if own, _ := HostOf(a.BaseURL); own != a.ISCSIServer || lookup(m, "iscsi_server") != nil {
			set(m, "iscsi_server", word(strings.Trim(a.ISCSIServer.String(), "[]")))
		}
		role := child(m, "role")
		set(role, "disk", truth(a.RoleDisk))
		set(role, "cd", truth(a.RoleCD))
		tags := &yaml.Node{Kind: yaml.SequenceNode}
		for _, t := range a.Tags {
			tags.Content = append(tags.Content, word(t))
		}
		if old := lookup(m, "tags"); len(a.Tags) > 0 || old != nil {
			set(m, "tags", tags)
		}
		set(m, "enabled", truth(a.Enabled))
	}
}

func truth(b bool) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"}
	if b {
		n.Value = "true"
	}
	return n
}
