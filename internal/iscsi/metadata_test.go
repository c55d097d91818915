package iscsi

import (
	"net/netip"
	"testing"
)

func TestMetadataAddressesAreNoStorageNodes(t *testing.T) {
	for s, want := range map[string]bool{
		"169.254.169.254": true, "169.254.0.1": true, "::ffff:169.254.169.254": true, "fe80::1": true, "fe80::1%eth0": true,
		"fd00:ec2::254": true, "224.0.0.1": true, "ff02::1": true,
		"127.0.0.1": false, "10.0.0.1": false, "192.168.80.3": false, "172.16.0.1": false, "fd00::1": false, "::1": false, "8.8.8.8": false,
	} {
		if got := NoNode(netip.MustParseAddr(s)); got != want {
			t.Errorf("%s: %v", s, got)
		}
	}
	for s, want := range map[string]bool{
		"169.254.169.254": true, "[fe80::1]": true, "[::ffff:169.254.169.254]": true, "192.168.80.3": false, "nas.lan": false,
	} {
		h, err := ParseHost(s)
		if err != nil || h.NoNode() != want {
			t.Errorf("%s: %v %v", s, h.NoNode(), err)
		}
	}
}
