package controlplane

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ipxe-all-ready/internal/api"
)

func TestADiskAskedForManyTimesWithOneKeyIsMadeOnce(t *testing.T) {
	s, n := siteWithNode(t)
	n.Hold()
	var wg sync.WaitGroup
	answers := make([]answer, 8)
	for i := range answers {
		wg.Go(func() {
			answers[i] = s.call("POST", "/workers/pc-01/luns/disk", newUbuntu, "Idempotency-Key", "k1")
		})
	}
	working(t, n)
	n.Release()
	wg.Wait()
	replays := 0
	for _, a := range answers {
		if a.status != 201 || string(a.body) != string(answers[0].body) {
			t.Errorf("%s", a)
		}
		if a.header.Get("Idempotent-Replay") == "true" {
			replays++
		}
	}
	if replays != len(answers)-1 {
		t.Errorf("%d of %d were replays", replays, len(answers))
	}
	a := s.call("POST", "/workers/pc-01/luns/disk", `{"os":"debian","type":"empty","size":"1G"}`, "Idempotency-Key", "k1")
	if a.status != 409 || decode[api.Error](t, a).Code != "idempotency_key_reused" {
		t.Errorf("%s", a)
	}
}

func TestACallerThatHungUpGetsTheAnswerWhenItAsksAgain(t *testing.T) {
	s, n := siteWithNode(t)
	n.OfferTasks()
	n.Hold()
	ctx, hangUp := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", s.url+"/workers/pc-01/luns/disk", strings.NewReader(newUbuntu))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", "k1")
	left := make(chan struct{})
	go func() {
		defer close(left)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			t.Errorf("%s", resp.Status)
			_ = resp.Body.Close() // it was not read
		}
	}()
	working(t, n)
	hangUp()
	<-left
	done := make(chan answer, 1)
	go func() { done <- s.call("POST", "/workers/pc-01/luns/disk", newUbuntu, "Idempotency-Key", "k1") }()
	n.Release()
	if a := <-done; a.status != 201 || a.header.Get("Idempotent-Replay") != "true" {
		t.Errorf("%s", a)
	}
}

func TestATaskAskedForTwiceWithOneKeyIsOne(t *testing.T) {
	s, n := siteWithNode(t)
	n.Hold()
	var ids []string
	for range 2 {
		a := s.call("POST", "/workers/pc-01/luns/disk", newUbuntu, "Idempotency-Key", "k1", "Prefer", "respond-async")
		if a.status != 202 {
			t.Fatalf("%s", a)
		}
		ids = append(ids, a.header.Get("Location"))
	}
	if ids[0] != ids[1] {
		t.Errorf("%v", ids)
	}
	n.Release()
	s.ended(strings.TrimPrefix(ids[0], "/tasks/"))
}
