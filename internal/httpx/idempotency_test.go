package httpx

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/fault"
)

// counted is an edge whose POST /x counts how often it did something and
// answers as told.
type counted struct {
	http.Handler
	n      atomic.Int64
	answer func(c *gin.Context, n int64)
	clock  atomic.Int64 // s
}

func newCounted(t *testing.T) *counted {
	t.Helper()
	e, _ := engine(t)
	k := &counted{Handler: e}
	k.answer = func(c *gin.Context, n int64) {
		c.Header("Location", fmt.Sprintf("/tasks/%d", n))
		c.JSON(http.StatusCreated, n)
	}
	r := e.Group("/", Idempotency(func() time.Time { return time.Unix(k.clock.Load(), 0) }))
	h := func(c *gin.Context) { k.answer(c, k.n.Add(1)) }
	r.POST("/x", h)
	r.POST("/y", h)
	r.PUT("/x", h)
	return k
}

func (k *counted) post(key, body string) string {
	w := do(k, "POST", "/x", body, "Idempotency-Key", key)
	return fmt.Sprint(w.Code, " ", w.Body, " ", w.Header().Get("Location"), " ", w.Header().Get("Idempotent-Replay"))
}

func TestTheSameKeyAndBodyGetTheFirstAnswerAgain(t *testing.T) {
	k := newCounted(t)
	for _, want := range []string{"201 1 /tasks/1 ", "201 1 /tasks/1 true", "201 1 /tasks/1 true"} {
		if got := k.post("a", "b"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := k.post("another", "b"); got != "201 2 /tasks/2 " {
		t.Errorf("%q", got)
	}
	for range 2 {
		do(k, "POST", "/x", "b")
		do(k, "PUT", "/x", "b", "Idempotency-Key", "a")
		do(k, "POST", "/x", "b", "Idempotency-Key", "a", "Authorization", "Bearer other")
	}
	if n := k.n.Load(); n != 7 {
		t.Errorf("%d calls; without a key, by PUT or with another token it is another request", n)
	}
}

func TestAKeyIsForOneRequest(t *testing.T) {
	k := newCounted(t)
	k.post("a", "b")
	for _, w := range []string{do(k, "POST", "/x", "c", "Idempotency-Key", "a").Body.String(),
		do(k, "POST", "/y", "b", "Idempotency-Key", "a").Body.String(), do(k, "POST", "/x?q=1", "b", "Idempotency-Key", "a").Body.String()} {
		if !strings.Contains(w, `"this Idempotency-Key was used before for another request","code":"idempotency_key_reused"`) {
			t.Errorf("%s", w)
		}
	}
	if w := do(k, "POST", "/x", "", "Idempotency-Key", strings.Repeat("k", 256)); w.Code != 400 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if k.n.Load() != 1 {
		t.Errorf("%d calls", k.n.Load())
	}
}

func TestAnAnswerIsKeptForAnHourAndATroubleNotAtAll(t *testing.T) {
	k := newCounted(t)
	k.post("a", "b")
	k.clock.Store(3599)
	if got := k.post("a", "b"); !strings.HasSuffix(got, "true") {
		t.Errorf("%q", got)
	}
	k.clock.Store(3600)
	if got := k.post("a", "b"); got != "201 2 /tasks/2 " {
		t.Errorf("%q", got)
	}
	k.clock.Store(10000)
	for i, err := range []error{
		fault.New(fault.Unavailable, "x"), fault.New(fault.InProgress, "x"), fault.New(fault.NoSpace, "x"), nil, fault.New(fault.Exists, "x"),
	} {
		k.answer = func(c *gin.Context, _ int64) { WriteError(c, err) }
		if err == nil {
			k.answer = func(*gin.Context, int64) { panic("oh") }
		}
		key := fmt.Sprint("trouble", i)
		k.post(key, "b")
		again := k.post(key, "b")
		if kept := strings.HasSuffix(again, "true"); kept != fault.Is(err, fault.Exists) {
			t.Errorf("%v kept: %v", err, kept)
		}
	}
}

func TestThoseWhoComeAtOnceGetOneAnswer(t *testing.T) {
	k := newCounted(t)
	hold := make(chan struct{})
	k.answer = func(c *gin.Context, n int64) {
		<-hold
		if n < 3 {
			WriteError(c, fault.New(fault.Unavailable, "not yet")) // the next in line tries
			return
		}
		c.JSON(http.StatusCreated, n)
	}
	var wg sync.WaitGroup
	got := make(chan string, 20)
	for range 20 {
		wg.Go(func() { got <- k.post("a", "b") })
	}
	close(hold)
	wg.Wait()
	close(got)
	count := map[string]int{}
	for s := range got {
		count[s[:4]]++
	}
	if count["503 "] != 2 || count["201 "] != 18 || k.n.Load() != 3 {
		t.Errorf("%v after %d calls", count, k.n.Load())
	}
}

func TestTheHandlerReadsTheWholeBodyAndRefusesOneThatIsTooLarge(t *testing.T) {
	e, _ := engine(t)
	e.Use(Idempotency(time.Now))
	e.POST("/x", Answer(func(c *gin.Context) (int, any, error) {
		v, err := Decode[map[string]string](c)
		return http.StatusOK, len(v["a"]), err
	}))
	for size, want := range map[int]int{10: 200, MaxBody - 8: 200, MaxBody: 413} {
		if w := do(e, "POST", "/x", `{"a":"`+strings.Repeat("x", size)+`"}`, "Idempotency-Key", fmt.Sprint(size)); w.Code != want {
			t.Errorf("%d bytes: %d %s", size, w.Code, w.Body)
		}
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	k := &replays{now: time.Now, most: 3, mostBytes: 10}
	keep := func(name byte, size int) {
		r, first := k.claim([32]byte{name}, [32]byte{})
		if !first {
			t.Fatalf("%c is there", name)
		}
		r.body = make([]byte, size)
		k.settle([32]byte{name}, r, true)
	}
	for name := byte('a'); name <= 'e'; name++ {
		keep(name, 1)
	}
	if len(k.of) != 3 || len(k.order) != 3 || k.bytes != 3 {
		t.Errorf("%d %d %d", len(k.of), len(k.order), k.bytes)
	}
	keep('f', 8)
	if len(k.of) != 3 || k.bytes != 10 {
		t.Errorf("%d %d", len(k.of), k.bytes)
	}
	keep('g', 11)
	if len(k.of) != 0 || k.bytes != 0 {
		t.Errorf("%d %d", len(k.of), k.bytes)
	}
}
