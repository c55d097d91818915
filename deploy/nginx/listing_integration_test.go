//go:build integration

package nginx_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

type row struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Size  int64  `json:"size"`
	Mtime string `json:"mtime"`
}

func (r *rig) list(t *testing.T, path string) []row {
	t.Helper()
	got := r.ask(t, "GET", "/api/browse/"+path)
	if got.status != 200 || got.header.Get("Content-Type") != "application/json; charset=utf-8" || got.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("list %q: %d %v %q", path, got.status, got.header, got.body[:min(len(got.body), 500)])
	}
	var rows []row
	d := json.NewDecoder(strings.NewReader(got.body))
	d.DisallowUnknownFields()
	must(t, d.Decode(&rows))
	return rows
}

func names(rows []row) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, r.Name)
	}
	return out
}

func TestAListingHasFoldersFirstAndNothingHidden(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		root := r.list(t, "")
		var top []row
		for _, e := range root {
			if !strings.HasPrefix(e.Name, "swap") && e.Name != "many" && e.Name != "new" {
				top = append(top, e)
			}
		}
		want := []string{"closed", "links", "odd", "pub2", "tools", "big.iso", "empty", "hello.txt", "page.html", "unreadable"}
		if got := names(top); !slices.Equal(got, want) {
			t.Errorf("the root shows %q, want %q", got, want)
		}
		for _, e := range top {
			if e.Name == "hello.txt" && e != (row{"hello.txt", "file", 13, "2026-07-01T12:30:15.000Z"}) {
				t.Errorf("hello.txt is %+v", e)
			}
			if e.Name == "big.iso" && e.Size != 5<<30 {
				t.Errorf("big.iso is %+v", e)
			}
			if e.Name == "tools" && (e.Type != "directory" || e.Size != 0) {
				t.Errorf("tools is %+v", e)
			}
			if _, err := time.Parse(time.RFC3339, e.Mtime); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
		}
		tools := r.list(t, "tools/")
		if got := names(tools); !slices.Equal(got, []string{"..", "deep", "memtest.bin"}) || tools[0].Type != "directory" {
			t.Errorf("tools shows %+v", tools)
		}
		if got := r.list(t, "tools"); !slices.Equal(names(got), names(tools)) {
			t.Errorf("tools without a slash shows %+v", got)
		}
		if got := r.list(t, "tools/deep//./../deep/"); !slices.Equal(names(got), []string{"..", "er.iso"}) {
			t.Errorf("a path with dots inside shows %+v", got)
		}
		if got := r.list(t, "%2e/"); names(got)[0] == ".." {
			t.Errorf("the root has a parent: %+v", got)
		}
	})
}

func TestAListingShowsLinksAsWhatTheyLeadTo(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		got := r.list(t, "links/")
		if want := []string{"..", "in.d", "self", "abs.txt", "in.txt"}; !slices.Equal(names(got), want) {
			t.Errorf("links shows %q, want %q", names(got), want)
		}
		if got[4].Size != 13 || got[4].Type != "file" {
			t.Errorf("the link in.txt is %+v", got[4])
		}
		if in := r.list(t, "links/in.d/"); !slices.Equal(names(in), []string{"..", "deep", "memtest.bin"}) {
			t.Errorf("the linked folder shows %q", names(in))
		}
		if self := r.list(t, "links/self/"); names(self)[0] != ".." {
			t.Errorf("a link to its own folder has no parent: %q", names(self))
		}
	})
}

func TestAListingTakesEveryNameThatUTF8Has(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		want := []string{".."}
		for _, ending := range []string{".d", ""} {
			part := []string{}
			for _, name := range oddNames {
				part = append(part, name+ending)
			}
			slices.Sort(part)
			want = append(want, part...)
		}
		if got := names(r.list(t, "odd/")); !slices.Equal(got, want) {
			t.Errorf("odd shows\n%q, want\n%q", got, want)
		}
		for _, name := range oddNames {
			if got := names(r.list(t, "odd/"+url.PathEscape(name)+".d/")); !slices.Equal(got, []string{"..", "in"}) {
				t.Errorf("odd/%s.d shows %q", name, got)
			}
		}
	})
}

func TestAFolderThatIsNotThereIsNotFound(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for _, path := range []string{
			"none/", "hello.txt", "hello.txt/", "pipe/", "closed/", "links/out.d/", "links/near.d/", "links/etc/", "links/dangling/", "links/loop/", "%ff/",
			strings.Repeat("x", 300) + "/",
		} {
			got := r.ask(t, "GET", "/api/browse/"+path)
			if got.status != 404 || got.body != `{"error":"directory not found"}`+"\n" || got.header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("%s: %d %s %q", path, got.status, got.header.Get("Content-Type"), got.body)
			}
		}
		if got := r.ask(t, "POST", "/api/browse/", "Content-Length: 0"); got.status != 405 || got.body != `{"error":"method not allowed"}`+"\n" {
			t.Errorf("POST: %d %q", got.status, got.body)
		}
		if got := r.ask(t, "HEAD", "/api/browse/tools/"); got.status != 200 || got.body != "" {
			t.Errorf("HEAD: %d %q", got.status, got.body)
		}
		if got := r.ask(t, "GET", "/api/browse"); got.status != 301 || got.header.Get("Location") != "/api/browse/" {
			t.Errorf("without the slash: %d %v", got.status, got.header)
		}
	})
}

// Thirty askers at once cost one reading of the folder: each would hold up a
// worker for a while.
func TestAFolderOfTenThousandFilesIsListedOnceForAll(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		dir := r.Path("public/many")
		must(t, os.Mkdir(dir, 0o755))
		for i := range 10000 {
			must(t, os.WriteFile(fmt.Sprintf("%s/file %05d.iso", dir, i), nil, 0o644))
		}
		first := r.list(t, "many/")
		if len(first) != 10001 || first[0].Name != ".." || first[10000].Name != "file 09999.iso" {
			t.Fatalf("%d rows", len(first))
		}
		must(t, os.WriteFile(dir+"/new", nil, 0o644))
		answers := make([]answer, 30)
		var askers sync.WaitGroup
		for i := range answers {
			askers.Go(func() { answers[i] = r.ask(t, "GET", "/api/browse/many/") })
		}
		askers.Wait()
		read := 0
		for _, a := range answers {
			if strings.Count(a.body, `"name"`) != 10002 {
				t.Errorf("%d rows with status %d", strings.Count(a.body, `"name"`), a.status)
			}
			if a.header.Get("X-Cache") != "HIT" {
				read++
			}
		}
		if read < 1 || read > 2 { // two when the time of the kept one ended meanwhile
			t.Errorf("the folder was read %d times", read)
		}
	})
}

func TestAListingShowsANewFileAtOnce(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		dir := r.Path("public/new")
		must(t, os.Mkdir(dir, 0o755))
		for i := range 20 {
			must(t, os.WriteFile(fmt.Sprintf("%s/%02d", dir, i), nil, 0o644))
			if got := r.list(t, "new/"); len(got) != i+2 {
				t.Fatalf("after %d files: %q", i+1, names(got))
			}
			time.Sleep(25 * time.Millisecond) // the clock of the file system ticks more slowly than we ask: some kernels' every 10 ms
		}
	})
}
