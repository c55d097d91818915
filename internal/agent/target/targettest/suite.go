// Package targettest is the suite that every target.Backend passes: the fake in
// memory as well as drivers of real servers.
package targettest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
)

// Server is one backend under test. It may hold other targets than the suite's.
type Server struct {
	Backend target.Backend
	// Login opens a session as initiator; the function ends it.
	Login func(iqn, initiator string) (logout func(), err error)
}

const base = "iqn.2026-07.com.targettest"

// Run runs the suite; start makes a fresh server for each test.
func Run(t *testing.T, start func(t *testing.T) Server) {
	tests := []struct {
		name string
		run  func(t *testing.T, s Server)
	}{
		{"a new server lists nothing and answers a ping", listsNothing},
		{"an ensured disk is listed with file and type and size and serial", listsWhatWasEnsured},
		{"a disk can be logged in to as soon as Ensure has answered", admitsAfterEnsure},
		{"ensuring twice makes one target and leaves it alone", ensureTwice},
		{"one bad file of a batch does not stop the rest", batchWithOneBadFile},
		{"a target that serves another file is not touched", otherBacking},
		{"a missing file leaves no target", missingFile},
		{"the serial follows the IQN and nothing else", stableSerial},
		{"removing what is absent succeeds", removeAbsent},
		{"a removed target is gone and can be made again", removeAndRemake},
		{"a target in use is not removed and its initiators are named", removeInUse},
		{"a forced removal ends the session", removeForced},
		{"sessions are listed with their initiators", listsSessions},
		{"only the admitted initiator logs in", admitsOne},
		{"a target is narrowed to one initiator and opened again", changesAdmission},
		{"different targets are ensured and removed side by side", sideBySide},
		{"a CD is listed as one where the server can", exportsCD},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, start(t)) })
	}
}

func iqn(t *testing.T, suffix string) iscsi.IQN {
	t.Helper()
	q, err := iscsi.ParseIQN(base + ":" + suffix)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// disk makes a file of two MiB and the export of it.
func disk(t *testing.T, suffix string) target.Export {
	t.Helper()
	return target.Export{IQN: iqn(t, suffix), Backing: file(t, suffix+".img", 2<<20)}
}

func file(t *testing.T, name string, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	return path
}

func ensure(t *testing.T, b target.Backend, e target.Export) target.Result {
	t.Helper()
	results := b.Ensure(t.Context(), []target.Export{e})
	if len(results) != 1 {
		t.Fatalf("Ensure of 1 export gave %d results", len(results))
	}
	return results[0]
}

func mustEnsure(t *testing.T, b target.Backend, e target.Export) {
	t.Helper()
	if r := ensure(t, b, e); r.Err != nil || !r.Created {
		t.Fatalf("Ensure(%s) = %+v, want created", e.IQN, r)
	}
}

// find lists and picks one target.
func find(t *testing.T, b target.Backend, q iscsi.IQN) (target.Target, bool) {
	t.Helper()
	targets, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(targets, func(x target.Target) bool { return x.Name == q.String() })
	if i < 0 {
		return target.Target{}, false
	}
	return targets[i], true
}

func wantWords(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}
