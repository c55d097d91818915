package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// engine is an edge with a few routes that do what handlers do; log is what it wrote.
func engine(t *testing.T) (*gin.Engine, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	e, err := NewEngine(EngineOptions{Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return e, log
}

func do(e http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

func errorOf(t *testing.T, w *httptest.ResponseRecorder) api.Error {
	t.Helper()
	var e api.Error
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatalf("the answer %q is not an error body: %v", w.Body, err)
	}
	return e
}

func TestEveryFaultKindHasItsStatus(t *testing.T) {
	for kind, status := range map[fault.Kind]int{
		fault.Internal: 500, fault.Invalid: 400, fault.Unauthorized: 401, fault.Forbidden: 403, fault.NotFound: 404,
		fault.Exists: 409, fault.InUse: 409, fault.InProgress: 409, fault.Conflict: 409, fault.TooLarge: 413,
		fault.Unsupported: 400, fault.Upstream: 502, fault.Unavailable: 503, fault.NoSpace: 507,
		fault.TooMany: 429,
	} {
		e, _ := engine(t)
		e.GET("/x", Answer(func(*gin.Context) (int, any, error) { return 0, nil, fault.New(kind, "disk d is bad") }))
		w := do(e, "GET", "/x", "")
		got := errorOf(t, w)
		if w.Code != status || got.Detail != "disk d is bad" || got.Code != kind.Code() || got.RequestID == "" {
			t.Errorf("%s: %d %+v", kind.Code(), w.Code, got)
		}
	}
}

func TestAnUnknownErrorIsNotShownButLoggedWithItsRequestID(t *testing.T) {
	e, log := engine(t)
	e.GET("/x", Answer(func(*gin.Context) (int, any, error) { return 0, nil, errors.New("open /secret/path: no") }))
	w := do(e, "GET", "/x", "", api.HeaderRequestID, "abc-1")
	got := errorOf(t, w)
	if w.Code != 500 || got.Detail != "internal error" || got.RequestID != "abc-1" {
		t.Errorf("%d %+v", w.Code, got)
	}
	if !strings.Contains(log.String(), "/secret/path") || !strings.Contains(log.String(), "abc-1") {
		t.Errorf("the log lacks cause or id: %s", log)
	}
}

func TestAPanicIsA500WithItsStackInTheLog(t *testing.T) {
	e, log := engine(t)
	e.GET("/x", func(*gin.Context) { panic("boom") })
	w := do(e, "GET", "/x", "")
	if got := errorOf(t, w); w.Code != 500 || got.Code != "internal" {
		t.Errorf("%d %+v", w.Code, got)
	}
	if !strings.Contains(log.String(), "boom") || !strings.Contains(log.String(), "httpx_test.go") {
		t.Errorf("the log lacks value or stack: %s", log)
	}
}

func TestARequestIDIsTakenWhenSaneAndMadeOtherwise(t *testing.T) {
	e, _ := engine(t)
	e.GET("/x", func(c *gin.Context) { c.String(200, RequestID(c)) })
	for sent, taken := range map[string]bool{
		"a.B_9-z": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a b": false, "a\x7f": false, "é": false,
	} {
		w := do(e, "GET", "/x", "", api.HeaderRequestID, sent)
		got := w.Header().Get(api.HeaderRequestID)
		if (got == sent) != taken || got == "" || w.Body.String() != got {
			t.Errorf("sent %q: got %q", sent, got)
		}
	}
	a, b := do(e, "GET", "/x", ""), do(e, "GET", "/x", "")
	if a.Body.String() == b.Body.String() {
		t.Errorf("two requests share the id %s", a.Body)
	}
}

func TestUnknownPathsAndMethodsAnswerJSON(t *testing.T) {
	e, _ := engine(t)
	e.GET("/x", func(c *gin.Context) {})
	if w := do(e, "GET", "/nope", ""); w.Code != 404 || errorOf(t, w).Detail != "no such path: /nope" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(e, "POST", "/x", ""); w.Code != 405 || errorOf(t, w).Detail != "POST is not allowed on /x" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestABodyThatIsNotTheJSONAskedForIsRefusedWithASentence(t *testing.T) {
	e, _ := engine(t)
	e.POST("/x", Answer(func(c *gin.Context) (int, any, error) {
		in, err := Decode[struct {
			Name string `json:"name"`
			N    int    `json:"n"`
		}](c)
		return 200, in, err
	}))
	for body, want := range map[string]string{
		"":                   "the body is empty, JSON was expected",
		"hello":              "the body is not valid JSON: invalid character 'h' looking for beginning of value",
		`{"name":`:           "the body is not valid JSON: unexpected EOF",
		`[]`:                 "the body must be a JSON object, not a JSON array",
		`{"name":5}`:         "name must be a string, not a JSON number",
		`{"n":"5"}`:          "n must be a whole number, not a JSON string",
		`{"n":1.5}`:          "n must be a whole number",
		`{"name":"a"} {}`:    "the body holds more than one JSON value",
		`{"name":"a"} trash`: "the body holds more than one JSON value",
	} {
		if w := do(e, "POST", "/x", body); w.Code != 400 || errorOf(t, w).Detail != want {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	}
	if w := do(e, "POST", "/x", `{"name":"a","other":1}`); w.Code != 200 {
		t.Errorf("an unknown field: %d %s", w.Code, w.Body)
	}
}

func TestABodyOverFourMebibytesIs413(t *testing.T) {
	e, _ := engine(t)
	e.POST("/x", Answer(func(c *gin.Context) (int, any, error) {
		in, err := Decode[struct{ Name string }](c)
		return 200, in, err
	}))
	fits := `{"Name":"` + strings.Repeat("x", MaxBody-11) + `"}`
	if w := do(e, "POST", "/x", fits); w.Code != 200 {
		t.Errorf("%d bytes: %d %.200s", len(fits), w.Code, w.Body)
	}
	for _, body := range []string{
		`{"Name":"` + strings.Repeat("x", MaxBody) + `"}`,
		`{"Name":"a"}` + strings.Repeat(" ", MaxBody),
	} {
		w := do(e, "POST", "/x", body)
		if got := errorOf(t, w); w.Code != 413 || got.Detail != "the body is larger than 4194304 bytes" {
			t.Errorf("%d %+v", w.Code, got)
		}
	}
}

func TestTokensOpenWhatTheyMay(t *testing.T) {
	for _, c := range []struct {
		full, view, method, header string
		status                     int
	}{
		{"", "", "POST", "", 200},
		{"f", "", "GET", "", 401},
		{"f", "", "GET", "Bearer wrong", 401},
		{"f", "", "GET", "Basic f", 401},
		{"f", "", "GET", "f", 401},
		{"f", "", "GET", "Bearer ", 401},
		{"f", "", "POST", "Bearer f", 200},
		{"f", "", "POST", "bearer f", 200},
		{"f", "v", "GET", "Bearer v", 200},
		{"f", "v", "HEAD", "Bearer v", 200},
		{"f", "v", "POST", "Bearer v", 403},
		{"f", "v", "DELETE", "Bearer v", 403},
		{"f", "v", "POST", "Bearer f", 200},
	} {
		e, _ := engine(t)
		g := e.Group("/", Auth(secret.New(c.full), secret.New(c.view), nil))
		for _, m := range []string{"GET", "HEAD", "POST", "DELETE"} {
			g.Handle(m, "/x", func(c *gin.Context) { c.Status(200) })
		}
		w := do(e, c.method, "/x", "", "Authorization", c.header)
		if w.Code != c.status {
			t.Errorf("%+v: %d", c, w.Code)
		}
		if w.Code == 401 && errorOf(t, w).Detail != "unauthorized" {
			t.Errorf("%+v: %s", c, w.Body)
		}
	}
}

func TestQueryValuesAreReadStrictly(t *testing.T) {
	e, _ := engine(t)
	e.GET("/x", Answer(func(c *gin.Context) (int, any, error) {
		b, err := QueryBool(c, "b")
		if err != nil {
			return 0, nil, err
		}
		n, err := QueryInt(c, "n", 7, 1, 10)
		return 200, []any{b, n}, err
	}))
	for query, want := range map[string]string{
		"":            "[false,7]",
		"b=true&n=10": "[true,10]",
		"b=0&n=1":     "[false,1]",
		"b=&n=":       "[false,7]",
	} {
		if w := do(e, "GET", "/x?"+query, ""); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	for query, want := range map[string]string{
		"b=maybe":                `b="maybe" is neither true nor false`,
		"n=0":                    `n="0" is not a number from 1 to 10`,
		"n=11":                   `n="11" is not a number from 1 to 10`,
		"n=x":                    `n="x" is not a number from 1 to 10`,
		"n=99999999999999999999": `n="99999999999999999999" is not a number from 1 to 10`,
	} {
		if w := do(e, "GET", "/x?"+query, ""); w.Code != 400 || errorOf(t, w).Detail != want {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

func TestForwardedAddressesAreBelievedFromTrustedProxiesOnly(t *testing.T) {
	for trusted, want := range map[string]string{"": "192.0.2.1", "192.0.2.0/24": "203.0.113.9"} {
		var list []string
		if trusted != "" {
			list = []string{trusted}
		}
		e, err := NewEngine(EngineOptions{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), TrustedProxies: list})
		if err != nil {
			t.Fatal(err)
		}
		e.GET("/x", func(c *gin.Context) { c.String(200, c.ClientIP()) })
		if w := do(e, "GET", "/x", "", "X-Forwarded-For", "203.0.113.9"); w.Body.String() != want {
			t.Errorf("trusting %q: %s", trusted, w.Body)
		}
		if w := do(e, "GET", "/x", "", "X-Forwarded-For", "junk", "X-Real-IP", "203.0.113.10"); w.Body.String() != "192.0.2.1" {
			t.Errorf("trusting %q, another header names the address: %s", trusted, w.Body)
		}
	}
}

func TestAStatusThatAnotherDaemonToldIsPassedOn(t *testing.T) {
	for told, status := range map[int]int{0: 502, 422: 422, 599: 599, 302: 502, 100: 502, 999: 502, -1: 502} {
		e, _ := engine(t)
		e.GET("/x", Answer(func(*gin.Context) (int, any, error) {
			return 0, nil, &fault.Error{Kind: fault.Upstream, Text: "agent st1: no", Told: told}
		}))
		if w := do(e, "GET", "/x", ""); w.Code != status || errorOf(t, w).Code != "upstream" {
			t.Errorf("told %d: %d %s", told, w.Code, w.Body)
		}
	}
}
