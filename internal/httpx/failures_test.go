package httpx

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/secret"
)

// gate is an engine whose one path wants a token, with a clock.
type gate struct {
	*gin.Engine
	now     time.Time
	log     bytes.Buffer
	noticed []string
	f       *Failures
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{now: time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)}
	log := slog.New(slog.NewTextHandler(&g.log, nil))
	e, err := NewEngine(EngineOptions{Log: log, TrustedProxies: []string{"192.0.2.1"}})
	if err != nil {
		t.Fatal(err)
	}
	g.f = NewFailures(FailuresOptions{Log: log, Now: func() time.Time { return g.now },
		Noticed: func(client string) { g.noticed = append(g.noticed, client) }})
	g.Engine = e
	r := e.Group("/", Auth(secret.New("the-full-token"), secret.New("the-view-token"), g.f))
	r.GET("/x", func(c *gin.Context) { c.Status(200) })
	return g
}

// from asks with a token through the trusted proxy.
func (g *gate) from(client, token string) *httptest.ResponseRecorder {
	return do(g, "GET", "/x", "", "X-Forwarded-For", "203.0.113.99, "+client, "Authorization", "Bearer "+token)
}

func (g *gate) guesses(client string, n int) (last *httptest.ResponseRecorder) {
	for i := range n {
		last = g.from(client, fmt.Sprint("guess-", i))
	}
	return last
}

func TestAnAddressThatTriesTokensHasToWait(t *testing.T) {
	g := newGate(t)
	if w := g.guesses("198.51.100.7", guesses); w.Code != 401 {
		t.Fatalf("guess %d: %d", guesses, w.Code)
	}
	w := g.from("198.51.100.7", "another")
	got := errorOf(t, w)
	if w.Code != 429 || w.Header().Get("Retry-After") != "3" || got.Code != "too_many_failures" ||
		got.Detail != "too many wrong tokens came from 198.51.100.7; try again in 3 s" {
		t.Errorf("%d %v %+v", w.Code, w.Header(), got)
	}
	if w := g.from("198.51.100.7", "the-full-token"); w.Code != 429 {
		t.Errorf("a right guess while shut out: %d tells that it is right", w.Code)
	}
	if w := g.from("198.51.100.8", "the-full-token"); w.Code != 200 {
		t.Errorf("another address: %d", w.Code)
	}
	g.now = g.now.Add(guessAgain)
	if w := g.from("198.51.100.7", "the-full-token"); w.Code != 200 {
		t.Errorf("after Retry-After: %d", w.Code)
	}
}

func TestWhoHasTheTokenIsNotShutOutByAGuesserBehindTheSameAddress(t *testing.T) {
	g := newGate(t)
	const nat = "198.51.100.7"
	if w := g.from(nat, "the-view-token"); w.Code != 200 {
		t.Fatal(w.Code)
	}
	g.guesses(nat, 100)
	if w := g.from(nat, "the-view-token"); w.Code != 200 {
		t.Errorf("the console that was in: %d", w.Code)
	}
	if w := g.from(nat, "the-full-token"); w.Code != 429 {
		t.Errorf("the other token, which nobody used from there: %d", w.Code)
	}
	g.now = g.now.Add(trusted)
	g.guesses(nat, 100)
	if w := g.from(nat, "the-view-token"); w.Code != 429 {
		t.Errorf("an hour after the last right token: %d", w.Code)
	}
}

func TestARequestWithoutATokenIsNoGuess(t *testing.T) {
	g := newGate(t)
	for range 100 {
		if w := do(g, "GET", "/x", "", "X-Forwarded-For", "198.51.100.7"); w.Code != 401 {
			t.Fatal(w.Code)
		}
	}
}

func TestAnIPv6NetworkIsOneGuesser(t *testing.T) {
	g := newGate(t)
	for i := range guesses {
		g.from(fmt.Sprintf("2001:db8::%x", i), "guess")
	}
	if w := g.from("2001:db8::ffff", "guess"); w.Code != 429 {
		t.Errorf("the same /64: %d", w.Code)
	}
	if w := g.from("2001:db8:0:1::1", "guess"); w.Code != 401 {
		t.Errorf("another: %d", w.Code)
	}
}

func TestGuessesSideBySideAreNoMoreThanOneAfterTheOther(t *testing.T) {
	g := newGate(t)
	var wg sync.WaitGroup
	codes := make([]int, 200)
	for i := range codes {
		wg.Go(func() { codes[i] = g.from("198.51.100.7", fmt.Sprint("guess-", i)).Code })
	}
	wg.Wait()
	looked := 0
	for _, c := range codes {
		if c == 401 {
			looked++
		}
	}
	if looked != guesses {
		t.Errorf("%d tokens were looked at", looked)
	}
}

func TestWrongTokensAreLoggedSparsely(t *testing.T) {
	g := newGate(t)
	for range 10 {
		for i := range 200 {
			g.guesses(fmt.Sprintf("10.0.0.%d", i), guesses+1)
		}
		g.now = g.now.Add(time.Minute)
	}
	lines := strings.Count(g.log.String(), "wrong tokens are being tried")
	if lines < 30 || lines > 45 || len(g.noticed) != lines || !strings.Contains(g.log.String(), "client=10.0.0.0") {
		t.Errorf("%d lines, %d notices", lines, len(g.noticed))
	}
	if strings.Contains(g.log.String(), "guess-") {
		t.Error("the log tells what was tried")
	}
}

func TestAFloodOfAddressesWithTheTokenIsRememberedInABoundedMemory(t *testing.T) {
	g := newGate(t)
	for i := range mostKnown + 10 {
		if w := g.from(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "the-full-token"); w.Code != 200 {
			t.Fatal(w.Code)
		}
	}
	if len(g.f.known) != mostKnown {
		t.Errorf("%d are remembered", len(g.f.known))
	}
	g.now = g.now.Add(trusted)
	if g.from("198.51.100.7", "the-full-token"); len(g.f.known) != 1 {
		t.Errorf("an hour later %d", len(g.f.known))
	}
}
