//go:build integration

package nginx_test

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// ways are spellings of paths that lead out of a folder when anybody on the way
// decodes twice, cleans too late or follows a link.
var ways = []string{
	"../secret.txt", "../../etc/passwd", "%2e%2e/secret.txt", "%2E%2E/secret.txt", ".%2e/secret.txt", "..%2fsecret.txt", "%2e%2e%2fsecret.txt",
	"tools/../../secret.txt", "tools/..%2f..%2fsecret.txt", "tools%2f..%2f..%2fsecret.txt", "%252e%252e/secret.txt", "%252e%252e%252fsecret.txt",
	"..%252fsecret.txt", "%25%32%65%25%32%65/secret.txt", "%c0%ae%c0%ae/secret.txt", "%c0%ae%c0%ae%c0%afsecret.txt", "%e0%80%ae%e0%80%ae/secret.txt",
	"..%c0%afsecret.txt", "..\\secret.txt", "..%5csecret.txt", "%uff0e%uff0e/secret.txt", "..;/secret.txt", "....//secret.txt", "./../secret.txt", "..",
	"../public2/outside.txt", "%2e%2e/public2/outside.txt", "//etc/passwd", "%2fetc%2fpasswd", "/../secret.txt", "%2f..%2fsecret.txt",
	"links/out.txt", "links/out.d/secret.txt", "links/near.d/outside.txt", "links/etc/passwd", "links/dangling", "links/loop", "links/through",
	"links/self/links/out.txt", "links/in.d/../../secret.txt", "links/out.d/public/../secret.txt", "links/out.d", "links/etc/",
}

func TestNothingOutsideThePublicFolderIsServed(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for _, way := range ways {
			for _, door := range []string{"/file/", "/api/browse/", "/tftp/"} {
				got := r.ask(t, "GET", door+way)
				if got.status < 400 && !strings.Contains(got.body, "<title>console") || strings.Contains(got.body, "secret") || strings.Contains(got.body, "root:") {
					t.Errorf("GET %s%s: %d %q", door, way, got.status, got.body)
				}
				if door != "/api/browse/" || got.status != 404 {
					got.plainOrAPI(t, door+way)
				}
			}
		}
		if got := r.ask(t, "GET", "http://web/file/../../../etc/passwd"); got.status != 400 {
			t.Errorf("an absolute address out of the root: %d %q", got.status, got.body)
		}
	})
}

// plainOrAPI holds that an error is never HTML.
func (a answer) plainOrAPI(t *testing.T, what string) {
	t.Helper()
	if strings.Contains(a.body, "<html") {
		t.Errorf("%s: %d %q", what, a.status, a.body)
	}
}

func TestALinkThatStaysInsideIsFollowed(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		for path, want := range map[string]string{
			"links/in.txt": "hello, world\n", "links/abs.txt": "hello, world\n", "links/in.d/memtest.bin": "memtest",
			"links/self/in.d/deep/er.iso": "iso",
		} {
			if got := r.ask(t, "GET", "/file/"+path); got.status != 200 || got.body != want {
				t.Errorf("%s: %d %q, want %q", path, got.status, got.body, want)
			}
		}
	})
}

// A folder is a folder when it is looked at and a link to elsewhere when it is
// opened: somebody who may write into the public folder can try that for ever.
func TestALinkThatIsPutInPlaceMeanwhileLeadsNowhere(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		swap, kept, bad := r.Path("public/swap"), r.Path("public/swap.kept"), r.Path("public/swap.bad")
		must(t, os.Mkdir(swap, 0o755))
		must(t, os.WriteFile(swap+"/secret.txt", []byte("mine"), 0o644))
		must(t, os.Symlink(r.Dir, bad))
		stop := make(chan struct{})
		var swapping sync.WaitGroup
		swapping.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = os.Rename(swap, kept)
				_ = os.Rename(bad, swap)
				_ = os.Rename(swap, bad)
				_ = os.Rename(kept, swap)
			}
		})
		defer func() { close(stop); swapping.Wait() }()
		seen := map[int]int{}
		for range 1500 {
			got := r.ask(t, "GET", "/file/swap/secret.txt")
			seen[got.status]++
			if got.body == "secret" || got.status == 200 && got.body != "mine" {
				t.Fatalf("the link was followed: %d %q", got.status, got.body)
			}
			if list := r.ask(t, "GET", "/api/browse/swap/"); strings.Contains(list.body, "public2") {
				t.Fatalf("the link was followed: %q", list.body)
			}
		}
		t.Logf("answers by status: %v", seen)
		if seen[200] == 0 || seen[200] == 1500 {
			t.Error("nothing was raced")
		}
	})
}
