//go:build integration

package nginx_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

func TestThePagesOfTheConsoleMayLoadTheirOwnAndAreAskedForAnew(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for target, title := range map[string]string{
			"/": "console", "/index.html": "console", "/?lang=zh": "console",
			"/browse/": "browse", "/browse/tools/": "browse", "/browse/a%20b/%23/%25/": "browse", "/browse/none/at/all": "browse", "/browse/.x/": "browse",
		} {
			got := r.ask(t, "GET", target)
			if got.status != 200 || !strings.Contains(got.body, "<title>"+title+"</title>") || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%s: %d %v %q", target, got.status, got.header, got.body)
			}
			for name, want := range map[string]string{
				"Content-Security-Policy": pagePolicy, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
				"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Server": "nginx",
			} {
				if got := got.header.Values(name); len(got) != 1 || got[0] != want {
					t.Errorf("%s: %s is %q, want %q", target, name, got, want)
				}
			}
		}
		if got := r.ask(t, "GET", "/browse"); got.status != 301 || got.header.Get("Location") != "/browse/" {
			t.Errorf("/browse: %d %v", got.status, got.header)
		}
	})
}

func TestWhatHasItsContentInItsNameIsKeptForAYear(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		const script, forever = "/assets/app-1a2b3c4d.js", "public, max-age=31536000, immutable"
		got := r.ask(t, "GET", script)
		kind := got.header.Get("Content-Type")
		if got.status != 200 || got.header.Get("Cache-Control") != forever || !strings.Contains(kind, "javascript; charset=utf-8") {
			t.Errorf("%d %v", got.status, got.header)
		}
		if again := r.ask(t, "GET", script, "If-None-Match: "+got.header.Get("ETag")); again.status != 304 || again.header.Get("Cache-Control") != forever {
			t.Errorf("asked for again: %d %v", again.status, again.header)
		}
		none := r.ask(t, "GET", "/assets/gone-00000000.js")
		none.plain(t, "a script that is gone", 404)
		if none.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("404 is kept: %v", none.header)
		}
		if icon := r.ask(t, "GET", "/favicon.svg"); icon.header.Get("Cache-Control") != "no-cache" || !strings.HasPrefix(icon.header.Get("Content-Type"), "image/svg+xml") {
			t.Errorf("favicon.svg: %v", icon.header)
		}
	})
}

func TestTheConsoleTravelsCompressed(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for target, name := range map[string]string{"/": "index.html", "/assets/app-1a2b3c4d.js": "assets/app-1a2b3c4d.js"} {
			got := r.ask(t, "GET", target, "Accept-Encoding: gzip")
			if got.header.Get("Content-Encoding") != "gzip" || got.header.Get("Vary") != "Accept-Encoding" {
				t.Fatalf("%s: %v", target, got.header)
			}
			z, err := gzip.NewReader(strings.NewReader(got.body))
			must(t, err)
			whole, err := io.ReadAll(z)
			must(t, err)
			if want, err := os.ReadFile(r.Path("console", name)); err != nil || string(whole) != string(want) {
				t.Errorf("%s: %d bytes, want %d", target, len(whole), len(want))
			}
		}
	})
}

func TestTheConsolesFolderShowsNothingElse(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for _, target := range []string{
			"/none", "/workers", "/assets", "/assets/", "/.git/config", "/%2egit/config", "/../secret.txt", "/%2e%2e/secret.txt", "/assets/%2e%2e/%2e%2e/secret.txt",
			"/assets/..%2f..%2fsecret.txt", "/index.html/", "/favicon.ico",
		} {
			got := r.ask(t, "GET", target)
			if got.status != 404 && got.status != 400 || strings.Contains(got.body, "<") || strings.Contains(got.body, "secret") {
				t.Errorf("%s: %d %q", target, got.status, got.body)
			}
		}
	})
}

func TestEveryAnswerForbidsGuessingItsType(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		r.controlPlane(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
		for _, target := range []string{
			"/", "/none", "/browse", "/browse/", "/assets/app-1a2b3c4d.js", "/api/", "/api/cp/x", "/api/browse", "/api/browse/", "/api/browse/none/", "/file/hello.txt",
			"/file/none", "/tftp/boot.ipxe", "/tftp/none", "/%zz",
		} {
			got := r.ask(t, "GET", target)
			if v := got.header.Values("X-Content-Type-Options"); len(v) != 1 || v[0] != "nosniff" {
				t.Errorf("%s: %d, nosniff is %q", target, got.status, v)
			}
			if v := got.header.Get("Server"); v != "nginx" {
				t.Errorf("%s: the server is %q", target, v)
			}
		}
	})
}

func TestAClientThatSaysNothingIsLetGo(t *testing.T) {
	for _, r := range rigs {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			conn := r.dial(t)
			defer conn.Close()
			_, err := io.WriteString(conn, "GET /file/hello.txt HTTP/1.1\r\nHost: w")
			must(t, err)
			must(t, conn.SetReadDeadline(time.Now().Add(50*time.Second)))
			if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
				t.Error("it still holds a connection after 50 s")
			}
		})
	}
}

func TestWhatTheBuildHasCompressedIsSentAsItIs(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		const script = "/assets/pressed-1a2b3c4d.js"
		packed, err := os.ReadFile(r.Path("console" + script + ".gz"))
		must(t, err)
		got := r.ask(t, "GET", script, "Accept-Encoding: gzip")
		if got.body != string(packed) || got.header.Get("Content-Encoding") != "gzip" || !strings.Contains(got.header.Get("Content-Type"), "javascript") {
			t.Errorf("%v, %d bytes of %d", got.header, len(got.body), len(packed))
		}
		if plain := r.ask(t, "GET", script); plain.body != "pressed" || plain.header.Get("Content-Encoding") != "" {
			t.Errorf("not asked for compressed: %v %q", plain.header, plain.body)
		}
	})
}
