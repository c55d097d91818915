package client

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func TestANodesRefusalKeepsItsStatus(t *testing.T) {
	for status, told := range map[int]int{
		400: 400, 402: 402, 404: 404, 409: 409, 418: 418, 422: 422, 429: 429, 500: 500, 501: 501, 502: 502, 503: 503, 504: 504, 507: 507,
		401: 0, 403: 0, 302: 0, 304: 0,
	} {
		a := served(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		_, err := a.Targets(t.Context())
		f := fault.As(err)
		if f == nil || f.Told != told {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

func TestOnlyASuccessIsOne(t *testing.T) {
	for status, code := range map[int]string{304: "agent_redirect", 101: "agent_protocol"} {
		a := served(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		err := a.DeleteLUN(t.Context(), "iqn.2026-07.com.c:w", false, false)
		if !fault.Is(err, fault.Upstream) || fault.CodeOf(err) != code {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestWhatANodeSaysIsBounded(t *testing.T) {
	long := strings.Repeat("世", 100_000)
	for name, body := range map[string]string{
		"a sentence": `{"detail":"` + long + `","code":"` + strings.Repeat("x", 100_000) + `"}`,
		"an object":  `{"detail":{"msg":"` + long + `"},"code":"NO CODE"}`,
		"no text":    `{"detail":{"msg":"` + strings.Repeat("\xffa", 100_000) + `"}}`,
	} {
		a := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = w.Write([]byte(body))
		})
		_, err := a.Targets(t.Context())
		f := fault.As(err)
		said, ok := f.Detail.(api.AgentError)
		if !ok || len(said.Error) > 2000 || len(said.Error) < 1900 || !utf8.ValidString(said.Error) || len(f.Text) > 2100 || f.Code != "invalid" {
			t.Errorf("%s: %d bytes, code %.40q", name, len(said.Error), f.Code)
		}
	}
}

func TestWhatATaskSaysIsBounded(t *testing.T) {
	a := served(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(api.AgentTask{ID: "t", State: api.TaskFailed, Error: strings.Repeat("é", 100_000)})
	})
	asked, e1 := a.Task(t.Context(), "t")
	cancelled, e2 := a.CancelTask(t.Context(), "t")
	if e1 != nil || e2 != nil || len(asked.Error) > 2000 || len(cancelled.Error) > 2000 {
		t.Errorf("%d and %d bytes, %v, %v", len(asked.Error), len(cancelled.Error), e1, e2)
	}
}
