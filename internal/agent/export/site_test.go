package export_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

const base = "iqn.2026-07.com.controller"

// node is a storage node on a real folder and a server in memory.
type node struct {
	*export.Service
	backend *fake.Backend
	store   *store.Store
	dir     string
}

func newNode(t *testing.T) *node { return newNodeOn(t, t.TempDir(), fake.New(), false) }

func newNodeOn(t *testing.T, dir string, b *fake.Backend, ownInitiator bool) *node {
	t.Helper()
	s := store.New(store.Options{Dir: dir})
	return &node{
		Service: export.New(export.Options{Base: baseOf(t), Store: s, Backend: b, OwnInitiator: ownInitiator}),
		backend: b, store: s, dir: dir,
	}
}

func baseOf(t *testing.T) iscsi.Base {
	t.Helper()
	b, err := iscsi.ParseBase(base)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (n *node) put(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		n.putSized(t, name, 1<<20)
	}
}

func (n *node) putSized(t *testing.T, name string, size int64) {
	t.Helper()
	if err := errors.Join(os.WriteFile(n.path(name), nil, 0o600), os.Truncate(n.path(name), size)); err != nil {
		t.Fatal(err)
	}
}

func (n *node) path(name string) string { return filepath.Join(n.dir, name) }

func iqn(t *testing.T, suffix string) iscsi.IQN {
	t.Helper()
	q, err := iscsi.ParseIQN(base + ":" + suffix)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func disk(t *testing.T, s string) image.Name {
	t.Helper()
	n, err := image.ParseDisk(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func cd(t *testing.T, s string) image.Name {
	t.Helper()
	n, err := image.ParseCD(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// stands is "suffix=file" of every target, sorted.
func (n *node) stands(t *testing.T) string {
	t.Helper()
	targets, err := n.backend.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, x := range targets {
		l, _ := x.Image()
		rows = append(rows, strings.TrimPrefix(x.Name, base+":")+"="+filepath.Base(l.Backing))
	}
	slices.Sort(rows)
	return strings.Join(rows, " ")
}

func (n *node) wantStands(t *testing.T, want string) {
	t.Helper()
	if got := n.stands(t); got != want {
		t.Errorf("stands %q, want %q", got, want)
	}
}

// wantFiles compares the visible files.
func (n *node) wantFiles(t *testing.T, want string) {
	t.Helper()
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != ".ipxe-agent.json" && e.Name() != ".ipxe-agent.lock" {
			names = append(names, e.Name())
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

func wantFault(t *testing.T, err error, kind fault.Kind, sentence string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.Sentence(err) != sentence {
		t.Errorf("error %v (%s)\nwant  %s: %s", err, fault.CodeOf(err), kind.Code(), sentence)
	}
}

func (n *node) addForeign(name, backing string) {
	n.backend.Add(target.Target{Name: name, LUNs: []target.LUN{{Number: 1, Type: target.TypeDisk, Backing: backing}}, ACL: []string{"ALL"}})
}

// rows are a scan in words: +created -skipped !failed.
func rows(d export.Scanned) string {
	var out []string
	for _, x := range d.Created {
		out = append(out, "+"+strings.TrimPrefix(x.IQN.String(), base+":"))
	}
	for _, x := range d.Skipped {
		out = append(out, "-"+strings.TrimPrefix(x, base+":"))
	}
	for _, x := range d.Failed {
		out = append(out, "!"+strings.TrimPrefix(x.Name, base+":"))
	}
	return strings.Join(out, " ")
}

func (n *node) wantScan(t *testing.T, want string) export.Scanned {
	t.Helper()
	done, err := n.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := rows(done); got != want {
		t.Errorf("scan %q, want %q\nfailed: %+v", got, want, done.Failed)
	}
	return done
}
