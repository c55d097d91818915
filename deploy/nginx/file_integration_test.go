//go:build integration

package nginx_test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
)

func TestAFileIsDownloadedWithItsLengthAndCanBeAskedForAgain(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		got := r.ask(t, "GET", "/file/hello.txt")
		if got.status != 200 || got.body != "hello, world\n" || got.header.Get("Content-Length") != "13" ||
			got.header.Get("Content-Type") != "application/octet-stream" || got.header.Get("Accept-Ranges") != "bytes" ||
			got.header.Get("Last-Modified") != "Wed, 01 Jul 2026 12:30:15 GMT" || got.header.Get("Content-Encoding") != "" {
			t.Errorf("GET: %d %v %q", got.status, got.header, got.body)
		}
		tag := got.header.Get("ETag")
		if again := r.ask(t, "GET", "/file/hello.txt", "If-None-Match: "+tag); tag == "" || again.status != 304 {
			t.Errorf("asked for again with ETag %q: %d, want 304", tag, again.status)
		}
		r.ask(t, "GET", "/file/hello.txt", `If-Match: "another"`).plain(t, "If-Match of another", 412)
		head := r.ask(t, "HEAD", "/file/hello.txt")
		if head.status != 200 || head.header.Get("Content-Length") != "13" || head.body != "" {
			t.Errorf("HEAD: %d %v", head.status, head.header)
		}
		if empty := r.ask(t, "GET", "/file/empty?v=1"); empty.status != 200 || empty.header.Get("Content-Length") != "0" {
			t.Errorf("an empty file: %d %v", empty.status, empty.header)
		}
		if deep := r.ask(t, "GET", "/file//tools/./deep/../deep/er.iso"); deep.status != 200 || deep.body != "iso" {
			t.Errorf("a path with dots inside: %d %q", deep.status, deep.body)
		}
		if hidden := r.ask(t, "GET", "/file/.treeinfo"); hidden.body != "hidden" {
			t.Errorf("a dot file, which installers ask for: %d %q", hidden.status, hidden.body)
		}
	})
}

func TestAPageInThePublicFolderIsNoPageOfTheConsolesOrigin(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		got := r.ask(t, "GET", "/file/page.html")
		if got.header.Get("Content-Type") != "application/octet-stream" || got.header.Get("X-Content-Type-Options") != "nosniff" ||
			got.header.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" {
			t.Errorf("page.html: %v", got.header)
		}
	})
}

func TestPartsOfAFileAreSent(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for spec, want := range map[string]struct {
			body, contentRange string
		}{
			"bytes=0-4":   {"hello", "bytes 0-4/13"},
			"bytes=7-":    {"world\n", "bytes 7-12/13"},
			"bytes=-6":    {"world\n", "bytes 7-12/13"},
			"bytes=7-999": {"world\n", "bytes 7-12/13"},
		} {
			got := r.ask(t, "GET", "/file/hello.txt", "Range: "+spec)
			if got.status != 206 || got.body != want.body || got.header.Get("Content-Range") != want.contentRange {
				t.Errorf("%s: %d %q %q", spec, got.status, got.body, got.header.Get("Content-Range"))
			}
		}
		got := r.ask(t, "GET", "/file/hello.txt", "Range: bytes=13-")
		got.plain(t, "a range behind the end", 416)
		if got.header.Get("Content-Range") != "bytes */13" {
			t.Errorf("416 has Content-Range %q", got.header.Get("Content-Range"))
		}
		r.ask(t, "GET", "/file/big.iso", "Range: bytes=5368709120-").plain(t, "a range behind the end of an .iso", 416)
		last := r.ask(t, "GET", "/file/big.iso", "Range: bytes=5368709116-")
		if last.status != 206 || last.body != "\x00\x00\x00\x00" || last.header.Get("Content-Range") != "bytes 5368709116-5368709119/5368709120" {
			t.Errorf("the end of 5 GiB: %d %q %v", last.status, last.body, last.header)
		}
		if head := r.ask(t, "HEAD", "/file/big.iso"); head.header.Get("Content-Length") != "5368709120" {
			t.Errorf("HEAD of 5 GiB: %v", head.header)
		}
	})
}

func TestEveryNameThatAListingShowsCanBeDownloaded(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for _, name := range oddNames {
			got := r.ask(t, "GET", "/file/odd/"+url.PathEscape(name))
			if got.status != 200 || got.body != "content of "+name {
				t.Errorf("%q: %d %q", name, got.status, got.body)
			}
			if got := r.ask(t, "GET", "/file/odd/"+url.PathEscape(name)+".d/in"); got.body != "in "+name {
				t.Errorf("%q as a folder: %d %q", name, got.status, got.body)
			}
		}
	})
}

func TestWhatIsNoFileIsNotFoundInPlainText(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for _, path := range []string{
			"/file", "/file/", "/file/none", "/file/none.iso", "/file/none.html", "/file/tools", "/file/tools/", "/file/tools/deep",
			"/file/hello.txt/", "/file/hello.txt/x", "/file/pipe", "/file/closed/x", "/file/links/in.d", "/file/not-utf8-%ff", "/file/odd/not-utf8-%ff",
			"/file/" + strings.Repeat("x", 300), "/file/unreadable.gz",
			"/tftp", "/tftp/", "/tftp/none.efi", "/_file/hello.txt", "/_tftp/boot.ipxe", "/_plain", "/files/x",
		} {
			r.ask(t, "GET", path).plain(t, path, 404)
			if got := r.ask(t, "HEAD", path); got.status != 404 || got.body != "" {
				t.Errorf("HEAD %s: %d %q", path, got.status, got.body)
			}
		}
		r.ask(t, "GET", "/file/unreadable").plain(t, "a file that nginx may not read", 403)
	})
}

func TestTheFilesCannotBeChanged(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for _, path := range []string{"/file/hello.txt", "/file/new.iso", "/tftp/boot.ipxe", "/", "/assets/app-1a2b3c4d.js"} {
			for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "MKCOL"} {
				r.ask(t, method, path, "Content-Length: 0").plain(t, method+" "+path, 405)
			}
		}
		if got := r.ask(t, "PUT", "/file/hello.txt", "Content-Length: 0").header.Get("Allow"); got != "GET, HEAD" {
			t.Errorf("405 allows %q", got)
		}
		if _, err := os.Stat(r.Path("public/new.iso")); err == nil {
			t.Error("a PUT made a file")
		}
	})
}

func TestARequestThatCannotBeReadIsAnsweredInPlainText(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for request, status := range map[string]int{
			"GET /file/%zz HTTP/1.1\r\nHost: x\r\n\r\n":                                               400,
			"GET /file/%00 HTTP/1.1\r\nHost: x\r\n\r\n":                                               400,
			"GET /file/a b HTTP/1.1\r\nHost: x\r\n\r\n":                                               400,
			"GET /file/hello.txt HTTP/1.1\r\n\r\n":                                                    400,
			"GET /file/hello.txt HTTP/1.1\r\nHost: a b\r\n\r\n":                                       400,
			"GET /file/hello.txt HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n":                    400,
			"GET /file/hello.txt HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 9000) + "\r\n\r\n": 400,
			"nonsense\r\n\r\n": 400,
			"GET /file/" + strings.Repeat("x", 9000) + " HTTP/1.1\r\nHost: x\r\n\r\n": 414,
			"GET /file/hello.txt HTTP/9.1\r\nHost: x\r\n\r\n":                         505,
		} {
			r.raw(t, request).plain(t, request[:min(len(request), 60)], status)
		}
	})
}

func TestABootLoaderIsServedToFirmwareThatBootsByHTTP(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		efi := r.ask(t, "GET", "/tftp/snponly.efi")
		if efi.body != "MZ" || efi.header.Get("Content-Type") != "application/efi" || efi.header.Get("Content-Length") != "2" {
			t.Errorf("snponly.efi: %d %v", efi.status, efi.header)
		}
		if script := r.ask(t, "GET", "/tftp/boot.ipxe"); script.body != "#!ipxe\n" || script.header.Get("Content-Type") != "text/plain" {
			t.Errorf("boot.ipxe: %d %v", script.status, script.header)
		}
		r.ask(t, "GET", "/tftp/out.efi").plain(t, "a link out of the folder", 404)
		r.ask(t, "GET", "/tftp/%2e%2e/secret.txt").plain(t, "a path out of the folder", 404)
	})
}

func TestALongDownloadByASlowClientIsWhole(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		const size = 256 << 20
		req, err := http.NewRequest("GET", "http://192.168.80.1:4838/file/big.iso", nil)
		must(t, err)
		req.Header.Set("Range", "bytes=0-268435455")
		resp, err := r.client.HTTPClient(0).Do(req)
		must(t, err)
		defer resp.Body.Close()
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != size {
			t.Errorf("%d bytes, %v; want %d", n, err, size)
		}
	})
}
