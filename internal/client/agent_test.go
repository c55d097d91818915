package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

func agentAt(url string) *Agent {
	return NewAgent(AgentOptions{ID: "st1", BaseURL: url, Token: secret.New("tok"),
		Timeout: 20 * time.Second, Clone: 20 * time.Second, HTTP: NewHTTP(20 * time.Second)})
}

func served(t *testing.T, h http.HandlerFunc) *Agent {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return agentAt(s.URL)
}

func TestACallCarriesTokenQueryAndBody(t *testing.T) {
	a := served(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer tok" {
			t.Errorf("token %q", got)
		}
		switch r.Method + " " + r.URL.Path {
		case "POST /lun/disk":
			b, _ := io.ReadAll(r.Body)
			if want := `{"iqn":"iqn.2026-07.com.c:w.ubuntu","filename":"w.ubuntu.img","size":"1G"}`; string(b) != want {
				t.Errorf("body %s", b)
			}
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"iqn":"iqn.2026-07.com.c:w.ubuntu","backing":"/d/w.ubuntu.img"}`)
		case "DELETE /lun":
			if got := r.URL.Query().Encode(); got != "delete_file=true&force=false&iqn=iqn.2026-07.com.c%3Aw.ubuntu" {
				t.Errorf("query %s", got)
			}
			fmt.Fprint(w, `{"deleted":"iqn.2026-07.com.c:w.ubuntu","delete_file":true}`)
		default:
			t.Errorf("unexpected %s %s", r.Method, r.URL)
		}
	})
	made, err := a.CreateDisk(t.Context(), api.CreateLUN{IQN: "iqn.2026-07.com.c:w.ubuntu", Filename: "w.ubuntu.img", Size: "1G"})
	if err != nil || made.Backing != "/d/w.ubuntu.img" {
		t.Errorf("%+v %v", made, err)
	}
	if err := a.DeleteLUN(t.Context(), "iqn.2026-07.com.c:w.ubuntu", true, false); err != nil {
		t.Error(err)
	}
}

func TestAFaultComesBackAsTheKindItLeftAs(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		kind   fault.Kind
	}{
		{400, "invalid", fault.Invalid}, {400, "unsupported", fault.Unsupported}, {404, "not_found", fault.NotFound},
		{409, "exists", fault.Exists}, {409, "target_in_use", fault.InUse}, {409, "in_progress", fault.InProgress},
		{409, "", fault.Conflict}, {413, "", fault.TooLarge}, {500, "internal", fault.Internal},
		{503, "unavailable", fault.Unavailable}, {507, "no_space", fault.NoSpace}, {418, "", fault.Upstream},
	} {
		a := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprintf(w, `{"detail":"its own words","code":%q}`, c.code)
		})
		_, err := a.Targets(t.Context())
		f := fault.As(err)
		if f == nil || f.Kind != c.kind || f.Text != "agent st1: its own words" ||
			f.Detail != (api.AgentError{Agent: "st1", Error: "its own words"}) {
			t.Errorf("%d %s: %+v", c.status, c.code, f)
		}
	}
}

func TestARefusedTokenIsTheNodesFaultAndNotTheCallers(t *testing.T) {
	for status, code := range map[int]string{401: "unauthorized", 403: "forbidden", 429: "too_many_failures"} {
		a := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"detail":"no","code":%q}`, code)
		})
		_, err := a.Capabilities(t.Context())
		if !fault.Is(err, fault.Upstream) || fault.CodeOf(err) != "agent_unauthorized" {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestATokenNeverFollowsARedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed with %q", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	a := served(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) })
	_, err := a.Targets(t.Context())
	if !fault.Is(err, fault.Upstream) || fault.CodeOf(err) != "agent_redirect" {
		t.Errorf("%v", err)
	}
}

func TestGarbageIsNamedAsSuch(t *testing.T) {
	a := served(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })
	_, err := a.Targets(t.Context())
	if f := fault.As(err); f == nil || f.Kind != fault.Upstream || f.Text != "agent st1: the answer is not the JSON expected" {
		t.Errorf("%v", err)
	}
	a = served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html>")
	})
	_, err = a.Targets(t.Context())
	if f := fault.As(err); f == nil || f.Kind != fault.Upstream || f.Text != "agent st1: answered 502 Bad Gateway" {
		t.Errorf("%v", err)
	}
}

func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	a := served(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := strings.Repeat("x", 1<<20)
		for range maxAnswer/len(chunk) + 2 {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	})
	_, err := a.Targets(t.Context())
	if f := fault.As(err); f == nil || f.Text != "agent st1: the answer is larger than 33554432 bytes" {
		t.Errorf("%v", err)
	}
}

func TestANodeThatIsOutIsUnavailable(t *testing.T) {
	_, err := agentAt("http://127.0.0.1:1").Targets(t.Context()) // nobody listens there
	if f := fault.As(err); f == nil || f.Kind != fault.Unavailable || f.Code != "agent_unreachable" ||
		!strings.Contains(f.Text, "connection refused") {
		t.Errorf("%v", err)
	}
}

func TestANodeThatHangsCostsItsDeadline(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	a := NewAgent(AgentOptions{ID: "st1", BaseURL: s.URL, Timeout: 50 * time.Millisecond, HTTP: NewHTTP(20 * time.Second)})
	_, err := a.Targets(t.Context())
	if f := fault.As(err); f == nil || f.Kind != fault.Unavailable || f.Text != "agent st1: no answer within 50ms" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Targets(ctx); !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAnErrorNeverShowsTheToken(t *testing.T) {
	a := served(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	_, err := a.Targets(t.Context())
	shown, _ := json.Marshal(fault.As(err))
	if strings.Contains(err.Error(), "tok") || strings.Contains(string(shown), "tok") {
		t.Errorf("%v %s", err, shown)
	}
}
