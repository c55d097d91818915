package selfcheck

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/config"
)

func TestAPartIsPassedByOnlyWhereAVariableOfItsOwnIsWrong(t *testing.T) {
	for wrong, want := range map[string]string{
		"": "abc", "A_NUMBER": "bc", "B_CERT": "ac", "B_KEY": "ac", "OTHER": "abc", "B": "abc", "C_NUMBERS": "abc",
	} {
		var l List
		got := ""
		look := func(name string) func() { return func() { got += name } }
		var names []string
		if wrong != "" {
			names = []string{wrong}
		}
		l.Parts(names, []Part{{"a", []string{"A_NUMBER"}, look("a")}, {"b", []string{"X", "B_*"}, look("b")}, {"c", []string{"C_NUMBER"}, look("c")}})
		if got != want || len(l) != 3-len(want) {
			t.Errorf("%s: %s, %v", wrong, got, l)
		}
		for _, f := range l {
			if f.Level != Note || f.What != "looked at once "+wrong+" is right" {
				t.Errorf("%v", f)
			}
		}
	}
}

func TestAListIsPrintedWithItsSumAndOnlyAFaultFails(t *testing.T) {
	var l List
	wrong := l.Variables(errors.New("IPXE_X is required and not set\nIPXE_Y \"z\" is no number"), []config.Doubt{{Name: "IPXE_Z", Text: "is wide", Do: "narrow it"}})
	if !slices.Equal(wrong, []string{"IPXE_X", "IPXE_Y"}) {
		t.Errorf("%q are wrong", wrong)
	}
	l.Add(Warning, "/srv/f:7", "", "it is %s", "odd")
	var out strings.Builder
	if l.Print(&out, "ipxe-cp") {
		t.Error("a list with faults is taken for good")
	}
	want := `fault    IPXE_X
         is required and not set
         → docs/settings.md has every variable
fault    IPXE_Y
         "z" is no number
         → docs/settings.md has every variable
warning  IPXE_Z
         is wide
         → narrow it
warning  /srv/f:7
         it is odd
ipxe-cp: 2 faults, 2 warnings
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	out.Reset()
	if !l[2:].Print(&out, "ipxe-cp") {
		t.Error("a warning fails")
	}
}

func TestAPortIsTakenWhileSomebodyListensAndFreeAgainAfterALook(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", ":0"} {
		err := lookedAt(t, addr)
		for again := 0; err != nil && again < 10; again++ { // another program may have got a port meanwhile
			err = lookedAt(t, addr)
		}
		if err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if err := Port("192.0.2.1:4839"); err == nil || err.Error() != "cannot assign requested address" {
		t.Errorf("an address of another host: %v", err)
	}
}

// lookedAt looks at a port that is taken and then given back, and takes it again.
func lookedAt(t *testing.T, addr string) error {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	taken := ln.Addr().String()
	if err := Port(taken); err == nil || err.Error() != "address already in use" {
		t.Errorf("%s: %v", taken, err)
	}
	_ = ln.Close()
	if err := Port(taken); err != nil {
		return err
	}
	if ln, err = net.Listen("tcp", taken); err != nil {
		return fmt.Errorf("the look keeps it: %w", err)
	}
	return ln.Close()
}

func TestAFolderThatIsToBeMadeIsJudgedByTheOneThatStands(t *testing.T) {
	dir := t.TempDir()
	var l List
	l.Folder(filepath.Join(dir, "a", "b", "workers.yml"))
	if len(l) > 0 {
		t.Errorf("%v", l)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.Folder(filepath.Join(dir, "a", "workers.yml"))
	if len(l) != 1 || l[0].What != "this is a file, and the folder of workers.yml is wanted here" {
		t.Errorf("%v", l)
	}
}
