package stgt

import (
	"os"
	"reflect"
	"testing"

	"ipxe-all-ready/internal/agent/target"
)

func TestWhatTgtadmShowsIsReadWhole(t *testing.T) {
	out, err := os.ReadFile("testdata/show.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseShow(out)
	if err != nil {
		t.Fatal(err)
	}
	want := []target.Target{
		{
			TID: 1, Name: "iqn.2026-07.com.controller:a",
			LUNs: []target.LUN{
				{Type: "controller", Serial: "beaf10"},
				{Number: 1, Type: "disk", Backing: "/srv/images/a b.img", Serial: "0123456789abcdef0123456789abcdef"},
			},
			Sessions: []target.Session{
				{Initiator: "iqn.2026-07.com.controller:a-init", Address: "127.0.0.1"},
				{Initiator: "iqn.1991-05.com.microsoft:pc", Address: "fd77::5"},
			},
			ACL: []string{"ALL", "iqn.2026-07.com.controller:a-init"},
		},
		{
			TID: 7, Name: "iqn.2026-07.com.controller:x.iso",
			LUNs: []target.LUN{
				{Type: "controller", Serial: "beaf70"},
				{Number: 1, Type: "cd", Backing: "/srv/images/x.iso", Serial: "beaf71"},
			},
			ACL: []string{"ALL"},
		},
		{TID: 9, Name: "iqn.2026-07.com.controller:Half", LUNs: []target.LUN{{Type: "controller", Serial: "beaf90"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestNothingShownIsNoTargets(t *testing.T) {
	if got, err := parseShow(nil); err != nil || len(got) != 0 {
		t.Errorf("parseShow = %v, %v", got, err)
	}
}

func TestAnOutputThatIsNotTgtadmsIsRefusedWithItsLine(t *testing.T) {
	for in, want := range map[string]string{
		"Usage: tgtadm\n":                                     `tgtadm show, line 1: "Usage: tgtadm" is not the head of a target`,
		"    LUN information:\n":                              `tgtadm show, line 1: "LUN information:" stands before any target`,
		"Target one: iqn.x\n":                                 `tgtadm show, line 1: "Target one: iqn.x" is not the head of a target`,
		"Target 1: a\n    LUN information:\nTarget 2: b\n":    `tgtadm show, line 3: target a is cut`,
		"Target 1: a\n    ACL information:\nTarget 2: b\n":    `tgtadm show: target b is cut`,
		"Target 1: a\n    ACL information:\n        AL":       `tgtadm show: the last line is cut`,
		"Target 1: a\n    LUN information:\n        LUN: x\n": `tgtadm show, line 3: lun "x" is not a number from 0 to 16383`,
	} {
		if _, err := parseShow([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("parseShow(%q) = %v, want %s", in, err, want)
		}
	}
}

func TestTgtadmsWordsAreFoundBesideItsAdvice(t *testing.T) {
	for in, want := range map[string]string{
		"tgtadm: this target already exists\n":                                   "tgtadm: this target already exists",
		"tgtadm: -C argument value\nTry `tgtadm --help' for more information.\n": "tgtadm: -C argument value",
		"something else\n": "something else",
		"":                 "",
	} {
		if got := sayings(in); got != want {
			t.Errorf("sayings(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzShow(f *testing.F) {
	out, err := os.ReadFile("testdata/show.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(out)
	f.Add([]byte("Target 1: x\n    I_T nexus information:\n        I_T nexus: 7\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		targets, err := parseShow(in)
		if err != nil && targets != nil {
			t.Error("an error and targets")
		}
	})
}
