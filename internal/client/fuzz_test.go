package client

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

// FuzzEventLines holds that whatever a stream says, its end is reached, no id
// is one that a header cannot carry, and nothing is made up.
func FuzzEventLines(f *testing.F) {
	for _, s := range []string{
		"id: s-1\nevent: worker\ndata: {\"action\":\"created\",\"id\":\"a\"}\n\n", ": beat\n\n\n", "id\nevent\ndata\n\n", "data: {\"a\n\n",
		"id: a\x00b\nevent: x\ndata: {}\n\n", "data:1\ndata:2\r\n\r\n", "event: worker\n", "id: " + strings.Repeat("x", 1000) + "\ndata: {}\n\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		lines, alive := newEventLines(strings.NewReader(stream)), 0
		for n := 0; ; n++ {
			e, err := lines.next(func() { alive++ })
			if err != nil {
				break
			}
			if n > strings.Count(stream, "\n") || alive < n {
				t.Fatalf("%q has more events than lines", stream)
			}
			if len(e.ID) > longestID || strings.ContainsFunc(e.ID, unicode.IsControl) {
				t.Errorf("%q has the id %q", stream, e.ID)
			}
		}
	})
}

// FuzzWhatANodeAnswers holds that an answer of any bytes is refused or is what
// was asked for, and that all words of it are bounded text.
func FuzzWhatANodeAnswers(f *testing.F) {
	for _, s := range []string{
		`{"iqn":"iqn.2026-07.com.c:w","backing":"/d/w.img"}`, `{"deleted":"iqn.2026-07.com.c:w"}`, `{"id":"t","state":"running","bytes_done":1}`,
		`[{"iqn":"a","luns":null},{"iqn":"a"}]`, `{"task_id":".."}`, `{"detail":{"agent":"x","error":"y"},"code":"exists"}`, `null`, `{"detail":"\u0000\u001b"}`,
		`{"masters":[{"name":"x"}]}`, `{"created":[],"failed":[{"error":"é"}]}`, `{"backend":"lio","base_iqn":"iqn.2026-07.com.c"}`,
	} {
		f.Add(409, []byte(s))
	}
	const iqn = "iqn.2026-07.com.c:w"
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		var made api.LUNCreated
		if read(body, &made) && createdAs(iqn)(&made) == "" && (!strings.EqualFold(made.IQN, iqn) || strings.ContainsAny(made.Backing, "\n\x00")) {
			t.Errorf("made %+v", made)
		}
		var gone api.LUNDeleted
		if read(body, &gone) && deletedAgreed(iqn)(&gone) == "" && !strings.EqualFold(gone.Deleted, iqn) {
			t.Errorf("deleted %+v", gone)
		}
		var task api.AgentTask
		if read(body, &task) && taskAgreed("t")(&task) == "" && (task.ID != "t" || task.BytesDone < 0 || len(task.Error) > 2000) {
			t.Errorf("task %+v", task)
		}
		var list []api.Target
		if read(body, &list) && targetsAgreed(&list) == "" && list == nil {
			t.Error("no list")
		}
		for _, p := range []peer{{codes: "agent", agent: "st1", name: "agent st1"}, {codes: "control_plane", name: "control plane"}} {
			e := fault.As(p.refused(status, "x", http.Header{}, body))
			if e == nil || e.Text == "" || len(e.Text) > 5000 || !utf8.ValidString(e.Text) || !isCode(e.Code) {
				t.Errorf("%s: %+v", p.name, e)
			}
		}
	})
}

func read(body []byte, into any) bool { return json.Unmarshal(body, into) == nil }
