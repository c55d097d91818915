package httpapi

import (
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/controlplane/provision"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
	"ipxe-all-ready/internal/secret"
)

// inventoryEntry reads what a person says of a node into words.
func inventoryEntry(id netboot.AgentID, in api.PutAgent) (*ledger.Agent, error) {
	a := &ledger.Agent{
		ID: id, RoleDisk: in.Role.Disk, RoleCD: in.Role.CD, Enabled: in.Enabled == nil || *in.Enabled,
	}
	var err error
	if a.BaseURL, a.ISCSIServer, err = agentAddress(in.BaseURL); err != nil {
		return nil, err
	}
	if in.ISCSIServer != "" {
		if a.ISCSIServer, err = iscsi.ParseHost(in.ISCSIServer); err != nil {
			return nil, err
		}
	}
	if a.Token, err = agentToken(in.Token); err != nil {
		return nil, err
	}
	a.Tags, err = agentTags(in.Tags)
	return a, err
}

func probing(in api.ProbeAgent) (p provision.Probing, err error) {
	if in.AgentID != "" {
		if p.ID, err = netboot.ParseAgentID(in.AgentID); err != nil {
			return p, err
		}
	}
	if p.BaseURL, p.Host, err = agentAddress(in.BaseURL); err != nil {
		return p, err
	}
	p.Token, err = agentToken(in.Token)
	return p, err
}

// agentAddress reads a base_url and its host. A name is not resolved here: the
// client refuses the addresses that no node has when it dials.
func agentAddress(s string) (string, iscsi.Host, error) {
	url, err := ledger.ParseBaseURL(s)
	if err != nil {
		return "", iscsi.Host{}, err
	}
	host, err := ledger.HostOf(url)
	switch {
	case err != nil:
		err = fault.Wrap(fault.Invalid, err, "base_url %q: its host is neither a host name nor an IP address", fault.Clip(s))
	case host.NoNode():
		err = fault.New(fault.Invalid, "base_url %q: %s is link-local or a metadata service and no storage node", fault.Clip(s), host)
	}
	return url, host, err
}

// agentToken never quotes what it refuses. ${…} names a variable in
// agents.yml; taken from a caller it would hand the daemon's environment to
// whatever node the caller names.
func agentToken(s string) (secret.Text, error) {
	const most = 4096
	bad := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case len(s) > most:
		return secret.Text{}, fault.New(fault.Invalid, "token is longer than %d bytes", most)
	case strings.ContainsFunc(s, bad):
		return secret.Text{}, fault.New(fault.Invalid, "token holds white space or a character that no HTTP header carries")
	case strings.Contains(s, "${"):
		return secret.Text{}, fault.New(fault.Invalid, "token holds ${, which only agents.yml may: there it names a variable of the environment")
	}
	return secret.New(s), nil
}

func agentTags(tags []string) ([]string, error) {
	const most = 32
	if len(tags) > most {
		return nil, fault.New(fault.Invalid, "%d tags are given; %d is the most", len(tags), most)
	}
	for _, t := range tags {
		if !isTag(t) {
			return nil, fault.New(fault.Invalid, "tag %q is not made of A-Z, a-z, 0-9, '.', '_', ':' and '-', starting with a letter or digit, at most 63", fault.Clip(t))
		}
	}
	return tags, nil
}

func isTag(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		alnum := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alnum && (i == 0 || strings.IndexByte("._:-", c) < 0) {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 63
}
