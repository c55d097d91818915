package export_test

import (
	"testing"

	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/fault"
)

func TestTwoAgentsOnOneServerWithAFolderEachLeaveEachOthersTargetsAlone(t *testing.T) {
	b := fake.New()
	one, two := newNodeOn(t, t.TempDir(), b, false), newNodeOn(t, t.TempDir(), b, false)
	one.put(t, "a.img", "both.img")
	one.wantScan(t, "+a +both")
	two.put(t, "b.img", "both.img")
	two.wantScan(t, "+b !both.img")
	one.wantScan(t, "-a -both")
	for _, suffix := range []string{"a", "both"} {
		err := two.Delete(t.Context(), iqn(t, suffix), true, true)
		wantFault(t, err, fault.Conflict, "target "+base+":"+suffix+" serves "+one.path(suffix+".img")+
			", which is not in the image folder: it is not this agent's")
	}
	one.wantStands(t, "a=a.img b=b.img both=both.img")
	one.wantFiles(t, "a.img both.img")
	two.wantFiles(t, "b.img both.img")
}
