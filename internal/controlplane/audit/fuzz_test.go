package audit

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// FuzzATrailOfAnyBytesIsKeptAndGoesOn holds that what stands in the trail
// stays, that every entry told is JSON, and that ids go on rising by one.
func FuzzATrailOfAnyBytesIsKeptAndGoesOn(f *testing.F) {
	for _, s := range []string{
		"", `{"id":1,"ts":"2026-07-01T08:00:00.000Z","op":"create_worker","status":"started","worker_id":"x"}` + "\n",
		`{"id":7,"op":"x","status":"started"}` + "\n" + `{"id":8,"op":"x","status":"succeeded","ref":7}` + "\n", `{"id":1`, "\x00\x00\n", "null\n[]\n7\n",
		`{"id":9223372036854775807}` + "\n", `{"id":-1}` + "\n", `{"id":1,"id":2}` + "\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "operations.jsonl")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		l := Open(path, Options{})
		defer l.Close()
		if l.Ready() != nil {
			return
		}
		first, err := l.Start(t.Context(), OpAgentProbe, Fields{Agent: "st1"})
		if err != nil {
			return
		}
		second, err := l.Start(t.Context(), OpAgentProbe, Fields{Agent: "st2"})
		if err != nil || second.ID() != first.ID()+1 || first.ID() < 1 {
			t.Fatalf("%q: id %d and then %+v, %v", content, first.ID(), second, err)
		}
		page, err := l.Query(Query{Tail: 1000})
		if err != nil || len(page.Entries) < 2 {
			t.Fatalf("%q: %v, %v", content, page, err)
		}
		for _, e := range page.Entries {
			if !json.Valid(e) {
				t.Errorf("%q: entry %q", content, e)
			}
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Contains(now, []byte(`"st2"`)) || len(now) <= len(content) {
			t.Errorf("%q became %q, %v", content, now, err)
		}
	})
}
