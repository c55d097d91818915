package provision

import (
	"context"
	"testing"
)

func TestNobodyWorksOutTheAddressOfAKnownMachine(t *testing.T) {
	h := newShaky(t, 1)
	h.file(t, "dhcp-hosts.conf", "52:54:00:00:00:01,pc-1\n")
	h.open(t)
	h.o.StrictIdentity = true
	address := callerFunc(func() string {
		t.Error("the address was asked for")
		return ""
	})
	for _, claim := range []string{"", "pc-1", "${hostname}", "somebody-else"} {
		if v := h.Boot(context.Background(), NewAsker("52:54:00:00:00:01", claim, address)); v.Hostname.String() != "pc-1" {
			t.Errorf("%q: %+v", claim, v)
		}
	}
	if v := h.Boot(context.Background(), NewAsker("", "PC-1", address)); v.Hostname.String() != "pc-1" {
		t.Errorf("%+v", v)
	}
}

type callerFunc func() string

func (f callerFunc) ClientIP() string { return f() }
