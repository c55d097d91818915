package selfcheck

import (
	"strings"
	"testing"
)

func TestAVariableThatNothingReadsIsNamed(t *testing.T) {
	e := NewEnviron([]string{"PATH=/bin", "IPXE_CP_HOME=/a", "IPXE_CP_HOME=/b=c", "IPXE_CP_TOKN=x", "IPXE_CP_VIEW=", "IPXE_CP_URL=http://a", "IPXE_ACL=all"})
	for name, want := range map[string]string{"IPXE_CP_HOME": "/b=c", "IPXE_CP_VIEW": "", "IPXE_CP_NONE": ""} {
		if got, _ := e.Lookup(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	var l List
	l.Strange(e, func(name string) bool { return strings.HasPrefix(name, "IPXE_CP_") })
	if len(l) != 1 || l[0].Where != "IPXE_CP_TOKN" || l[0].Level != Warning {
		t.Errorf("%v", l)
	}
}
