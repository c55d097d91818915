package lio

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
)

func TestAHostWithoutTheKernelsTargetIsUnavailable(t *testing.T) {
	root := t.TempDir()
	b := New(Options{Root: root})
	want := "the kernel's target is not at " + root + ": is configfs mounted and target_core_mod loaded?"
	e := export(t, "w.debian")
	_, list := b.List(t.Context())
	_, ping := b.Ping(t.Context())
	for call, err := range map[string]error{
		"List": list, "Ping": ping, "Ensure": ensure(b, e, t).Err, "Remove": b.Remove(t.Context(), e.IQN, true),
	} {
		if !fault.Is(err, fault.Unavailable) || fault.Sentence(err) != want {
			t.Errorf("%s: %v, want %s", call, err, want)
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("in the root are now %v, %v", entries, err)
	}
}

func TestAKernelWithoutTheISCSIFabricIsUnavailable(t *testing.T) {
	k := newKernel()
	k.noFabric = true
	_, err := server{tree: tree{k, k}}.backend().Ping(t.Context())
	wantSentence(t, err, fault.Unavailable,
		"the kernel's target has no iscsi fabric (invalid argument): is iscsi_target_mod installed?")
}

func TestTheFabricIsRegisteredAndItsNextLifeTold(t *testing.T) {
	k := newKernel()
	b := server{tree: tree{k, k}}.backend()
	first, err := b.Ping(t.Context())
	must(t, err)
	must(t, k.Remove("iscsi"))
	if second, err := b.Ping(t.Context()); err != nil || second == first {
		t.Errorf("two lives are %q and %q, %v", first, second, err)
	}
}

func TestATakenPortLeavesNoTargetAndIsTold(t *testing.T) {
	k := newKernel()
	k.portBusy = true
	s, e := server{tree: tree{k, k}}, export(t, "w.debian")
	wantSentence(t, ensure(s.backend(), e, t).Err, fault.Internal,
		"lio: open portal 0.0.0.0:3260 (does another program listen there?): invalid argument")
	wantNothing(t, s, e.IQN)
}

func TestAnEndedCallMakesNothing(t *testing.T) {
	s, e := inMemory(t), export(t, "w.debian")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := s.backend().Ensure(ctx, []target.Export{e})[0]; r.Err == nil || r.Created {
		t.Errorf("Ensure = %+v", r)
	}
	wantNothing(t, s, e.IQN)
}

// late logs an initiator in when the driver closes the portal: the last moment.
type late struct {
	*kernel
	iqn string
}

func (l late) Remove(name string) error {
	if strings.Contains(name, "/np/") {
		if _, err := l.Login(l.iqn, base+":late"); err != nil {
			return err
		}
	}
	return l.kernel.Remove(name)
}

func TestALoginInTheLastMomentStopsARemoval(t *testing.T) {
	k := newKernel()
	s, e := server{tree: tree{k, k}}, export(t, "w.debian")
	mustEnsure(t, s.backend(), e, true)
	err := s.with(tree{k, late{k, e.IQN.String()}}).Remove(t.Context(), e.IQN, false)
	wantSentence(t, err, fault.InUse, "target "+e.IQN.String()+" is in use by "+base+":late")
	mustEnsure(t, s.backend(), e, false)
}

func TestAPortalThatSomebodyClosedIsOpenedUnderRunningSessions(t *testing.T) {
	s, e := inMemory(t), export(t, "w.debian")
	mustEnsure(t, s.backend(), e, true)
	_, err := s.login(e.IQN.String(), base+":w")
	must(t, err)
	must(t, s.tree.Remove(groupDir(e.IQN.String())+"/np/"+DefaultPortal))
	mustEnsure(t, s.backend(), e, true)
	mustEnsure(t, s.backend(), e, false)
	targets, err := s.backend().List(t.Context())
	if err != nil || len(targets[0].Sessions) != 1 {
		t.Errorf("List = %+v, %v", targets, err)
	}
}

// liar takes a value and keeps another.
type liar struct{ *kernel }

func (l liar) Write(name, value string) error {
	if strings.HasSuffix(name, "/attrib/emulate_tpu") {
		return nil
	}
	return l.kernel.Write(name, value)
}

func TestWhatTheKernelDoesNotShowIsNotBelieved(t *testing.T) {
	k := newKernel()
	s, e := server{tree: tree{k, k}}, export(t, "w.debian")
	wantSentence(t, ensure(s.with(tree{k, liar{k}}), e, t).Err, fault.Internal,
		"lio: the kernel accepted target "+e.IQN.String()+" and does not show it as asked: emulate_tpu")
	wantNothing(t, s, e.IQN)
}

func TestTargetsOfOthersAreListedWithAllTheirGroupsAndLUNs(t *testing.T) {
	s := inMemory(t)
	must(t, s.backend().fabric())
	const other = "iqn.2003-01.org.linux-iscsi.other:Any_Name"
	file := foreignStore(t, s, "core/fileio_1", "files", image(t, 1<<20))
	must(t, s.tree.Mkdir("core/rd_mcp_3"))
	must(t, s.tree.Mkdir("core/rd_mcp_3/memory"))
	must(t, s.tree.Write("core/rd_mcp_3/memory/control", "fd_dev_name=/dev/null,fd_dev_size=1")) // of no matter here
	must(t, s.tree.Write("core/rd_mcp_3/memory/enable", "1"))
	for _, dir := range []string{"", "/tpgt_1", "/tpgt_1/lun/lun_10", "/tpgt_1/lun/lun_2", "/tpgt_2", "/tpgt_2/lun/lun_0", "/tpgt_2/acls/iqn.x:a"} {
		must(t, s.tree.Mkdir(targetDir(other)+dir))
	}
	must(t, s.tree.Write(targetDir(other)+"/tpgt_1/attrib/generate_node_acls", "1"))
	must(t, s.tree.Link(file, targetDir(other)+"/tpgt_1/lun/lun_10/x"))
	must(t, s.tree.Link("core/rd_mcp_3/memory", targetDir(other)+"/tpgt_1/lun/lun_2/y"))
	targets, err := s.backend().List(t.Context())
	must(t, err)
	var luns []string
	for _, l := range targets[0].LUNs {
		luns = append(luns, fmt.Sprint(l.Number, " ", l.Type, " ", filepath.Base(l.Backing)))
	}
	if want := []string{"2 rd_mcp .", "10 disk disk.img", "0  ."}; !reflect.DeepEqual(luns, want) {
		t.Errorf("luns %q, want %q", luns, want)
	}
	if want := []string{"ALL", "iqn.x:a"}; targets[0].Name != other || !reflect.DeepEqual(targets[0].ACL, want) {
		t.Errorf("%+v, want acl %q", targets[0], want)
	}
}

// vanishing removes a target while it is read.
type vanishing struct {
	tree
	dir string
}

func (v vanishing) List(name string) ([]fs.DirEntry, error) {
	if strings.HasPrefix(name, v.dir+"/") {
		return nil, refuse("open", name, fs.ErrNotExist)
	}
	return v.tree.List(name)
}

func TestATargetThatVanishesMeanwhileIsNotListed(t *testing.T) {
	s := inMemory(t)
	a, b := export(t, "a.debian"), export(t, "b.debian")
	mustEnsure(t, s.backend(), a, true)
	mustEnsure(t, s.backend(), b, true)
	targets, err := s.with(tree{vanishing{s.tree, targetDir(a.IQN.String())}, s.tree}).List(t.Context())
	if err != nil || len(targets) != 1 || targets[0].Name != b.IQN.String() {
		t.Errorf("List = %+v, %v; want %s alone", targets, err, b.IQN)
	}
}
