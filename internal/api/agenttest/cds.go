package agenttest

import (
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

func (n node) mustServe(t *testing.T, iso, suffix string) {
	t.Helper()
	in := api.CreateCD{ISO: iso}
	if suffix != "" {
		in.IQN = n.iqn(suffix)
	} else {
		suffix = iso
	}
	made, err := n.CreateCD(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if made.IQN != n.iqn(suffix) || !strings.HasSuffix(made.Backing, "/"+iso) {
		t.Errorf("made %+v", made)
	}
	n.wantServed(t, suffix, iso, "cd")
}

func servesCD(t *testing.T, n node) {
	n.mustServe(t, ISO, "")
	n.Put("Win11_24H2.iso")
	made, err := n.CreateCD(t.Context(), api.CreateCD{ISO: "Win11_24H2.iso"})
	if err != nil || made.IQN != n.iqn("win11-24h2.iso") {
		t.Errorf("%+v, %v", made, err)
	}
}

func sameCDTwice(t *testing.T, n node) {
	for range 2 {
		n.mustServe(t, ISO, "")
		n.mustServe(t, ISO, "pc-1.windows.iso")
	}
	if targets, err := n.Targets(t.Context()); err != nil || len(targets) != 2 {
		t.Errorf("%+v, %v", targets, err)
	}
}

func severalCDNames(t *testing.T, n node) {
	n.mustServe(t, ISO, "pc-1.windows.iso")
	n.mustServe(t, ISO, "pc-2.windows.iso")
	n.Put("other.iso")
	n.refuses(t, "POST", "/lun/cd", `{"iso":"other.iso","iqn":"`+n.iqn("pc-1.windows.iso")+`"}`, 409, "exists")
	n.wantServed(t, "pc-1.windows.iso", ISO, "cd")
}

func refusesCD(t *testing.T, n node) {
	n.refuses(t, "POST", "/lun/cd", `{"iso":"none.iso"}`, 404, "not_found", "none.iso")
	for _, body := range []string{
		``, `{}`, `{"iso":"../win.iso"}`, `{"iso":"` + Master + `"}`, `{"iso":"win"}`,
		`{"iso":"` + ISO + `","iqn":"nope"}`, `{"iso":"` + ISO + `","iqn":"` + n.iqn("a_b") + `"}`,
	} {
		n.refuses(t, "POST", "/lun/cd", body, 400, "invalid")
	}
	n.refuses(t, "POST", "/lun/cd", `{"iso":"`+ISO+`","iqn":"iqn.2020-01.com.somebody:cd"}`, 400, "invalid", "iqn base mismatch")
	listsNothing(t, n)
}

func refusesEveryCD(t *testing.T, n node) {
	n.refuses(t, "POST", "/lun/cd", `{"iso":"`+ISO+`"}`, 400, "unsupported", "lio backend does not support cd")
	listsNothing(t, n)
}

// deletesCD looks at the chosen name too: it ends with its target.
func deletesCD(t *testing.T, n node) {
	n.mustServe(t, ISO, "pc-1.windows.iso")
	if err := n.DeleteLUN(t.Context(), n.iqn("pc-1.windows.iso"), false, false); err != nil {
		t.Fatal(err)
	}
	n.wantFile(t, ISO, true)
	if _, err := n.Scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n.target(t, "pc-1.windows.iso") != nil || n.target(t, ISO) == nil {
		t.Error("the scan went by the deleted name")
	}
}

func deletesNoSharedFile(t *testing.T, n node) {
	n.mustServe(t, ISO, "pc-1.windows.iso")
	n.mustServe(t, ISO, "pc-2.windows.iso")
	n.refuses(t, "DELETE", "/lun?delete_file=true&iqn="+n.iqn("pc-1.windows.iso"), "", 409, "conflict", n.iqn("pc-2.windows.iso"))
	n.wantFile(t, ISO, true)
	n.wantServed(t, "pc-1.windows.iso", ISO, "cd")
}
