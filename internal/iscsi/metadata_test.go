package iscsi

import (
	"net/netip"
	"testing"
)

func TestMetadataAddressesAreNoStorageNodes(t *testing.T) {
	for s, want := range map[string]bool{
		"169.254.169.254": true, "169.254.0.1": true, "::ffff:169.254.169.254": true, "fe80::1": true, "fe80::1%eth0": true,
		"fd00:ec2::254": true, "224.0.0.1": true, "ff02::1": true,
		"100.100.100.200": true, "192.0.0.192": true, "168.63.129.16": true, "fd20:ce::254": true,
		"::ffff:100.100.100.200": true, "::ffff:192.0.0.192": true,
		"64:ff9b::169.254.169.254": true, "64:ff9b::100.100.100.200": true, "64:ff9b::192.0.0.192": true, "64:ff9b:1::169.254.169.254": true,
		"64:ff9b:1:a9fe:a9:fe00::": true, "64:ff9b:1:a9:fe:a9fe::": true, "64:ff9b:1:0:a9:fea9:fe00:0": true,
		"::169.254.169.254": true, "::ffff:0:169.254.169.254": true, "2002:a9fe:a9fe::1": true, "2002:c000:c0::1": true,
		"64:ff9b::10.0.0.1": false, "64:ff9b:1::10.0.0.1": false, "2002:a00:1::1": false, "::": false, "0.0.0.0": false,
		"100.100.100.201": false, "192.0.0.193": false, "100.64.0.1": false, "fd00:ec2::253": false, "2001:db8::a9fe:a9fe": false,
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
