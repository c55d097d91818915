package tui_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/tuitest"
)

// proxy answers from the table unless first has done so.
func proxy(t *testing.T, first func(w http.ResponseWriter, r *http.Request) bool) *httptest.Server {
	t.Helper()
	table := answers()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first(w, r) {
			return
		}
		if table[r.URL.Path] == nil {
			w.WriteHeader(http.StatusNotFound)
		}
		_ = json.NewEncoder(w).Encode(table[r.URL.Path])
	}))
	t.Cleanup(s.Close)
	return s
}

func TestARefusedTokenStaysOnScreenWhateverNeedsNone(t *testing.T) {
	var calls atomic.Int32
	s := proxy(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/readyz" || r.URL.Path == "/healthz" {
			return false
		}
		calls.Add(1)
		w.WriteHeader(401)
		_, _ = w.Write([]byte(`{"detail":"unauthorized","code":"unauthorized"}`))
		return true
	})
	d := tuitest.Start(t, options(s.URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
	d.Settle()
	for range 3 {
		d.Press("ctrl+r")
		d.Settle()
		has(t, d, "! TOKEN REFUSED", "--token-file FILE", "IPXE_CP_TOKEN")
		for _, x := range []string{"polling", "live", "old", "NO CONNECTION", "connecting"} {
			if head, _, _ := strings.Cut(d.Frame(), "\n"); strings.Contains(head, x) {
				t.Errorf("%q in %s", x, head)
			}
		}
	}
	if calls.Load() < 12 {
		t.Errorf("asked %d times: it is to go on", calls.Load())
	}
}

func TestAnAddressOfSomethingElseIsSaidToBeNoControlPlane(t *testing.T) {
	for what, first := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"that knows no path": func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(404)
			return true
		},
		"that has a page for every path": func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = w.Write([]byte("<html>welcome"))
			return true
		},
		"that sends elsewhere": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/login", http.StatusFound)
			return true
		},
	} {
		t.Run(what, func(t *testing.T) {
			d := tuitest.Start(t, options(proxy(t, first).URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
			d.Settle()
			has(t, d, "! NOT A CONTROL PLANE", "http://HOST:4839")
		})
	}
}

func TestAPartThatFailsIsSaidWithoutDoubtingTheConnection(t *testing.T) {
	s := proxy(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/reconcile" {
			return false
		}
		w.WriteHeader(500)
		_, _ = w.Write([]byte(`{"detail":"the shelf cannot be read","code":"internal"}`))
		return true
	})
	d := tuitest.Start(t, options(s.URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
	d.Settle()
	has(t, d, "+ polling", "the shelf cannot be read")
	d.Press("2")
	d.Settle()
	hasNot(t, d, "the shelf cannot be read")
}

func TestAControlPlaneThatHangsIsNoticedWhileItsStreamStaysOpen(t *testing.T) {
	var hangs atomic.Bool
	s := proxy(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/healthz" || !hangs.Load() {
			return false
		}
		panic(http.ErrAbortHandler) // to the caller it is the same as no answer, but quicker
	})
	clock := tuitest.NewClock(noon)
	d := tuitest.Start(t, options(s.URL, i18n.English, false), clock, 80, 24)
	d.Send(tui.StreamMsg{State: true})
	d.Settle()
	hangs.Store(true)
	clock.Forward(3 * time.Second)
	d.Until("! no answer for", "data 3s old")
	hangs.Store(false)
	clock.Forward(3 * time.Second)
	d.Until("+ live")
}

func TestOneDeadNodeHoldsUpNoListOfTheOthers(t *testing.T) {
	hold := make(chan struct{})
	s := proxy(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/agents" && r.URL.Query().Get("live") == "true" {
			<-hold
		}
		return false
	})
	t.Cleanup(func() { close(hold) })
	d := tuitest.Start(t, options(s.URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
	d.Press("2")
	d.Until("worker-02")
	d.Press("space", "b", "enter", "enter", "enter")
	d.Until("[ ] node-1", "[ ] node-2")
}

func TestNodesThatAreNotReadYetAreNotSaidToBeMissing(t *testing.T) {
	hold := make(chan struct{})
	s := proxy(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/agents" {
			<-hold
		}
		return false
	})
	d := tuitest.Start(t, options(s.URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
	d.Press("2")
	d.Until("worker-02")
	d.Press("space", "b", "enter", "enter", "enter")
	has(t, d, "loading…")
	hasNot(t, d, "no enabled node")
	close(hold)
	d.Until("[ ] node-1")
}

func TestDisksForANodeThatDoesNotAnswerAreNotStartedByEnterAlone(t *testing.T) {
	d := list(t)
	d.Press("space", "b", "enter", "enter", "enter")
	d.Settle()
	d.Press("down", "down", "t", "enter")
	has(t, d, "! node 机房-3 is unreachable: its 1 disk is likely")
	d.Press("enter")
	has(t, d, "nothing was done")
}
