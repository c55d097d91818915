//go:build integration

package nginx_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/lab"
)

// controlPlane lets h answer where nginx looks for the control plane.
func (r *rig) controlPlane(t *testing.T, h http.HandlerFunc) {
	t.Helper()
	ln, err := r.host.Listen("127.0.0.1:4839")
	must(t, err)
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Close() })
}

// echo answers what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
	n, _ := io.Copy(io.Discard, r.Body)
	fmt.Fprintf(w, "%s %s body=%d\n", r.Method, r.RequestURI, n)
	_ = r.Header.Write(w)
}

func TestThePathAndTheQueryReachTheControlPlaneAsTheyWereSent(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		r.controlPlane(t, echo)
		for target, want := range map[string]string{
			"/api/cp/":                      "/",
			"/api/cp/workers":               "/workers",
			"/api/cp/workers?x=a%20b&y=%2F": "/workers?x=a%20b&y=%2F",
			"/api/cp/workers/a%2Fb":         "/workers/a%2Fb",
			"/api/cp/workers/a%20b%25":      "/workers/a%20b%25",
			"/api/cp//workers":              "//workers",
			"/api/cp/workers/%E5%AE%89":     "/workers/%E5%AE%89",
		} {
			for _, method := range []string{"GET", "DELETE", "PUT", "POST", "PATCH"} {
				got := r.ask(t, method, target, "Content-Length: 0")
				if first, _, _ := strings.Cut(got.body, "\n"); got.status != 200 || first != method+" "+want+" body=0" {
					t.Errorf("%s %s: %d %q, want %s", method, target, got.status, first, want)
				}
			}
		}
		for _, target := range []string{"/x/../api/cp/workers", "//api/cp/workers", "/%61pi/cp/workers"} {
			if got := r.ask(t, "GET", target); got.status != 400 || !strings.Contains(got.body, `"code":"bad_request"`) {
				t.Errorf("%s: %d %q", target, got.status, got.body)
			}
		}
		for _, target := range []string{"/api/cp", "/api/", "/api/x"} {
			if got := r.ask(t, "GET", target); got.status != 404 || !strings.Contains(got.body, `"code":"not_found"`) {
				t.Errorf("%s: %d %q", target, got.status, got.body)
			}
		}
	})
}

func TestTheControlPlaneIsToldTheClientThatNginxSees(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		r.controlPlane(t, echo)
		got := r.ask(t, "GET", "/api/cp/workers", "X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 203.0.113.8", "X-Real-IP: 203.0.113.9",
			"Forwarded: for=203.0.113.10", "Authorization: Bearer abc", "Idempotency-Key: k", "Last-Event-ID: 3", "Prefer: respond-async")
		for _, want := range []string{
			"X-Forwarded-For: 192.168.80.9\r\n", "Authorization: Bearer abc\r\n", "Idempotency-Key: k\r\n", "Last-Event-Id: 3\r\n", "Prefer: respond-async\r\n",
		} {
			if strings.Count(got.body, want) != 1 {
				t.Errorf("the control plane was told\n%s\nwant %q once", got.body, want)
			}
		}
		if strings.Contains(got.body, "203.0.113") || strings.Count(got.body, "X-Forwarded-For") != 1 {
			t.Errorf("what the client says of itself was passed on:\n%s", got.body)
		}
	})
}

func TestARequestIDGoesThroughBothWays(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		r.controlPlane(t, echo)
		if got := r.ask(t, "GET", "/api/cp/workers", "X-Request-Id: mine-1.a_B"); got.header.Get("X-Request-Id") != "mine-1.a_B" {
			t.Errorf("a sane id: %v", got.header)
		}
		for _, id := range []string{"", "two words", strings.Repeat("x", 65), `"quoted"`} {
			got := r.ask(t, "GET", "/api/cp/workers", "X-Request-Id: "+id)
			if made := got.header.Get("X-Request-Id"); len(made) != 32 {
				t.Errorf("the id %q became %q", id, made)
			}
		}
	})
}

func TestABodyOfFourMebibytesReachesTheControlPlaneAndItRefusesMoreItself(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		r.controlPlane(t, func(w http.ResponseWriter, req *http.Request) {
			if n, _ := io.Copy(io.Discard, req.Body); n > 4<<20 {
				w.WriteHeader(http.StatusRequestEntityTooLarge)
			}
			fmt.Fprint(w, "its own words")
		})
		post := func(size int) answer {
			return r.raw(t, fmt.Sprintf("POST /api/cp/workers HTTP/1.1\r\nHost: web\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat("x", size)))
		}
		if got := post(4 << 20); got.status != 200 {
			t.Errorf("4 MiB: %d %q", got.status, got.body)
		}
		if got := post(4<<20 + 1); got.status != 413 || got.body != "its own words" {
			t.Errorf("a byte more: %d %q", got.status, got.body)
		}
		got := r.ask(t, "POST", "/api/cp/workers", "Content-Length: 99999999")
		got.apiError(t, 413, "too_large", "the body is larger than nginx passes on")
	})
}

// apiError holds an error of nginx's own in the shape that the API has.
func (a answer) apiError(t *testing.T, status int, code, detail string) {
	t.Helper()
	var e api.Error
	if err := json.Unmarshal([]byte(a.body), &e); err != nil || a.status != status || e.Code != code || e.Detail != detail ||
		e.RequestID == "" || a.header.Get("X-Request-Id") != e.RequestID || a.header.Get("Content-Type") != "application/json; charset=utf-8" ||
		a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v %q %v, want %d %s", a.status, a.header, a.body, err, status, code)
	}
}

func TestAControlPlaneThatDoesNotAnswerIsNamedInTheAPIsWay(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for _, target := range []string{"/api/cp/workers", "/api/cp/events", "/api/cp/luns/x.iso"} {
			for _, method := range []string{"GET", "POST"} {
				r.ask(t, method, target, "Content-Length: 0").apiError(t, 502, "control_plane_unreachable", "nginx cannot reach the control plane")
			}
		}
		if got := r.ask(t, "GET", "/api/cp/workers", "X-Request-Id: mine"); !strings.Contains(got.body, `"request_id":"mine"`) {
			t.Errorf("the caller's id is not in %q", got.body)
		}
		r.controlPlane(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, `{"detail":"from an agent"}`)
		})
		if got := r.ask(t, "GET", "/api/cp/workers"); got.status != 502 || got.body != `{"detail":"from an agent"}` {
			t.Errorf("the control plane's own 502: %d %q", got.status, got.body)
		}
	})
}

// The rig's http block has one second as default. Without the shipped time the
// call would be cut as others are by nginx's 60.
func TestACallThatTakesLongIsNotCut(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		r.controlPlane(t, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(3 * time.Second)
			fmt.Fprint(w, "done")
		})
		if got := r.ask(t, "POST", "/api/cp/workers/w/luns/disk", "Content-Length: 0"); got.status != 200 || got.body != "done" {
			t.Errorf("%d %q", got.status, got.body)
		}
		if conf := r.effective(t); !strings.Contains(conf, "proxy_read_timeout 24h;") {
			t.Error("a call may not take 24 hours")
		}
	})
}

func TestACallEndsAtTheControlPlaneWhenItsClientLeaves(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		began, ended := make(chan struct{}), make(chan struct{})
		r.controlPlane(t, func(_ http.ResponseWriter, req *http.Request) {
			close(began)
			<-req.Context().Done()
			close(ended)
		})
		conn := r.dial(t)
		_, err := io.WriteString(conn, "GET /api/cp/workers HTTP/1.1\r\nHost: web\r\n\r\n")
		must(t, err)
		<-began
		must(t, conn.Close())
		select {
		case <-ended:
		case <-time.After(lab.Patience):
			t.Error("the call goes on without its client")
		}
	})
}

func TestEventsArriveOneByOne(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		next := make(chan string)
		r.controlPlane(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				select {
				case event := <-next:
					fmt.Fprint(w, event)
					w.(http.Flusher).Flush()
				case <-req.Context().Done():
					return
				}
			}
		})
		conn := r.dial(t)
		defer conn.Close()
		_, err := io.WriteString(conn, "GET /api/cp/events HTTP/1.1\r\nHost: web\r\nAccept-Encoding: gzip\r\n\r\n")
		must(t, err)
		next <- "data: 0\n\n"
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		if resp.Header.Get("Content-Encoding") != "" || resp.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("the stream has %v", resp.Header)
		}
		from := bufio.NewReader(resp.Body)
		for i := range 5 {
			if i > 0 {
				select {
				case next <- fmt.Sprintf("data: %d\n\n", i):
				case <-time.After(lab.Patience):
					t.Fatal("nginx has cut the stream")
				}
			}
			if i == 3 {
				time.Sleep(1500 * time.Millisecond) // longer than the rig's default
			}
			line, err := from.ReadString('\n')
			must(t, err)
			if want := fmt.Sprintf("data: %d\n", i); line != want {
				t.Fatalf("read %q, want %q", line, want)
			}
			_, err = from.ReadString('\n')
			must(t, err)
		}
	})
}

// effective is the whole configuration as nginx reads it.
func (r *rig) effective(t *testing.T) string {
	t.Helper()
	out, err := r.nginx.Check("-T")
	must(t, err)
	return out
}

func TestTheShippedConfigurationIsReadWithoutAWarning(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		out, err := r.nginx.Check("-t")
		if err != nil || strings.Contains(out, "warn") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Logf("proven with %s", versions(t))
}

func versions(t *testing.T) string {
	t.Helper()
	var all []string
	for _, r := range rigs {
		out, err := r.nginx.Check("-v")
		must(t, err)
		all = append(all, strings.TrimSpace(out))
	}
	return strings.Join(all, ", ")
}
