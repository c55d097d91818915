package audit

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"ipxe-all-ready/internal/fault"
)

// Fields are what an entry says besides time, op and status.
type Fields struct {
	WorkerID string
	Agent    string
	Client   string         // the caller's address
	Extra    map[string]any // members of the op's own, such as old_mac
}

// maxSentence bounds what an agent's words take in a line, in bytes.
const maxSentence = 2000

// entry encodes to a line of the trail, less the id that jsonlog puts in front:
//
//	{"id":7,"ts":"2026-07-01T08:00:00.000Z","op":"delete_worker","status":"failed","worker_id":"worker-01","ref":6,"error":"…"}
type entry struct {
	ts      time.Time
	op      Op
	status  Status
	fields  Fields
	ref     int64
	failure string
}

// wire is the part of an entry that all ops have.
type wire struct {
	TS       string `json:"ts"`
	Op       Op     `json:"op"`
	Status   Status `json:"status"`
	WorkerID string `json:"worker_id,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Client   string `json:"client,omitempty"`
	Ref      int64  `json:"ref,omitempty"`
	Error    string `json:"error,omitempty"`
}

func (e entry) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(wire{
		TS: e.ts.UTC().Format("2006-01-02T15:04:05.000Z"), Op: e.op, Status: e.status,
		WorkerID: e.fields.WorkerID, Agent: e.fields.Agent, Client: e.fields.Client, Ref: e.ref, Error: e.failure,
	})
	extra := sifted(e.fields.Extra)
	if err != nil || len(extra) == 0 {
		return head, err
	}
	tail, err := json.Marshal(extra)
	if err != nil {
		return nil, err
	}
	return append(append(head[:len(head)-1], ','), tail[1:]...), nil
}

// sifted drops members that would stand twice in the line and masks those that
// are tokens by their name, whoever put them there.
func sifted(extra map[string]any) map[string]any {
	out := make(map[string]any, len(extra))
	for name, v := range extra {
		switch name {
		case "id", "ts", "op", "status", "worker_id", "agent", "client", "ref", "error":
			continue
		}
		if s, ok := v.(string); ok && s != "" && namesSecret(name) {
			v = "***"
		}
		out[name] = v
	}
	return out
}

func namesSecret(member string) bool {
	m := strings.ToLower(member)
	return strings.Contains(m, "token") || strings.Contains(m, "password") || m == "authorization"
}

// sentence is what the trail says of err: the sentence that the caller reads,
// with an agent's words in it, and the cause where that sentence has none.
func sentence(err error) string {
	if err == nil {
		return "unknown error"
	}
	s := err.Error()
	if e := fault.As(err); e != nil && e.Detail != nil {
		s = e.Text // names the agent and quotes it
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= maxSentence {
		return s
	}
	cut := maxSentence
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
