package config

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Listen reads an address to listen on: :4839, 127.0.0.1:4839, [::1]:0. An
// empty default is an empty address, for a listener that is optional.
func (s *Source) Listen(name, def string) string { return Parse(s, name, def, parseListen) }

// parseListen reads host:port; the host may be empty, the port 0 is any free one.
func parseListen(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "", fmt.Errorf("not host:port, such as :4839 or 127.0.0.1:4839")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || port != strconv.FormatUint(n, 10) {
		return "", fmt.Errorf("port %q is not a number from 0 to 65535", port)
	}
	if !isListenHost(host) {
		return "", fmt.Errorf("host %q is neither an IP address nor a host name", host)
	}
	return s, nil
}

func isListenHost(s string) bool {
	if s == "" {
		return true
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return !strings.ContainsFunc(a.Zone(), func(r rune) bool { return r <= ' ' || r > '~' })
	}
	// A name of digits and dots alone is a mistyped address.
	name := strings.ToLower(s)
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == "" &&
		strings.Trim(name, "0123456789.") != "" && !strings.HasPrefix(name, "-")
}
