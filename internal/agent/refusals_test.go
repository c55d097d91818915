package agent

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/fault"
)

func TestEveryEndpointButHealthzWantsTheToken(t *testing.T) {
	n := newNode(t)
	for _, c := range [][2]string{
		{"GET", "/readyz"}, {"GET", "/capabilities"}, {"GET", "/lun"}, {"GET", "/masters"}, {"GET", "/logs"},
		{"GET", "/metrics"}, {"GET", "/version"}, {"GET", "/tasks/x"}, {"DELETE", "/tasks/x"},
		{"POST", "/lun/disk"}, {"POST", "/lun/cd"}, {"POST", "/lun/scan"}, {"DELETE", "/lun?iqn=x"},
	} {
		for _, sent := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + token, token} {
			req, err := http.NewRequestWithContext(t.Context(), c[0], n.url+c[1], nil)
			if err != nil {
				t.Fatal(err)
			}
			if sent != "" {
				req.Header.Set("Authorization", sent)
			}
			if status, text := do(t, req); status != 401 || !strings.Contains(text, `"detail":"unauthorized"`) {
				t.Errorf("%s %s with %q: %d %s", c[0], c[1], sent, status, text)
			}
		}
	}
	res, err := http.Get(n.url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("healthz: %d", res.StatusCode)
	}
}

func TestEveryRefusalOfADiskHasItsStatusAndSentence(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img", "kept.img")
	n.want(t, "POST", "/lun/disk", `{"iqn":"`+base+`:there","size":"1M"}`, 201,
		fmt.Sprintf(`{"iqn":"%s:there","backing":"%s/there.img"}`, base, n.dir))
	q := func(rest string) string { return `{"iqn":"` + base + `:a"` + rest + `}` }
	for _, c := range []struct {
		body   string
		status int
		code   string
		detail string
	}{
		{``, 400, "invalid", "the body is empty, JSON was expected"},
		{`{"size":"1M"}`, 400, "invalid", "iqn is missing"},
		{q(``), 400, "invalid", "exactly one of master, size and existing is wanted, not 0"},
		{q(`,"size":"1M","existing":true`), 400, "invalid", "exactly one of master, size and existing is wanted, not 2"},
		{q(`,"size":"1M","existing":true,"master":"u_tpl_1.img"`), 400, "invalid", "exactly one of master, size and existing is wanted, not 3"},
		{q(`,"size":"0"`), 400, "invalid", `size "0" is less than 1M`},
		{q(`,"size":"65T"`), 400, "invalid", `size "65T" is more than 64T`},
		{q(`,"size":"-1G"`), 400, "invalid", `size "-1G" is not a number with an optional K, M, G or T`},
		{q(`,"size":5`), 400, "invalid", "size must be a string, not a JSON number"},
		{q(`,"master":"plain.img"`), 400, "invalid", `master "plain.img" does not carry _tpl_ in its name`},
		{q(`,"master":"gone_tpl_1.img"`), 404, "not_found", "master gone_tpl_1.img not found in the image folder"},
		{q(`,"existing":true`), 404, "not_found", "file a.img not found in the image folder"},
		{q(`,"existing":true,"filename":"there.img"`), 409, "exists", "file there.img is already served as " + base + ":there"},
		{q(`,"size":"1M","filename":"kept.img"`), 409, "exists", "file kept.img already exists"},
		{q(`,"size":"1M","filename":"u_tpl_1.img"`), 400, "invalid", "u_tpl_1.img is a master by its name: masters are never exported writable, overwritten or made here"},
		{`{"iqn":"` + base + `:there","size":"1M"}`, 409, "exists", "iqn " + base + ":there already exists"},
		{`{"iqn":"iqn.2026-07.com.other:a","size":"1M"}`, 400, "invalid", "iqn base mismatch: iqn.2026-07.com.other:a does not start with " + base + ":"},
		{`{"iqn":"` + base + `x:a","size":"1M"}`, 400, "invalid", "iqn base mismatch: " + base + "x:a does not start with " + base + ":"},
		{`{"iqn":"` + base + `:a:b","size":"1M"}`, 400, "invalid", `disk file "a:b.img" is not one file name of A-Z, a-z, 0-9, '.', '_' and '-'`},
	} {
		n.wantDetail(t, "POST", "/lun/disk", c.body, c.status, c.code, c.detail)
	}
}

func TestHostileNamesReachNothing(t *testing.T) {
	n := newNode(t)
	n.put(t, "u_tpl_1.img", "w.iso")
	outside := filepath.Join(filepath.Dir(n.dir), "outside_tpl_.img")
	if err := os.WriteFile(outside, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"link_tpl_.img", "link.img", "link.iso"} {
		if err := os.Symlink(outside, filepath.Join(n.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	n.call(t, "POST", "/lun/scan", "")
	before := get[any](t, n, "/lun")
	names := []string{
		"../outside_tpl_.img", "/etc/passwd", "a/b.img", `a\\b.img`, "..%2fx.img", "%2e%2e/x.img", "a b.img", "a,b.img", `a\nb.img`, `a\u0000.img`,
		"-rf.img", ".hidden.img", "..", ".", "$(id).img", "`id`.img", "a;b.img", "${net0}.img", "ä.img", ".img", "a.img/", "link_tpl_.img\\u002f", "a_tpl_.iso",
		strings.Repeat("x", 197) + ".img", "a.IMG", "*.img", "'.img",
	}
	for _, name := range names {
		for _, body := range []string{
			`{"iqn":"` + base + `:a","master":"` + name + `"}`,
			`{"iqn":"` + base + `:a","size":"1M","filename":"` + name + `"}`,
			`{"iqn":"` + base + `:a","existing":true,"filename":"` + name + `"}`,
		} {
			if status, text := n.call(t, "POST", "/lun/disk", body); status != 400 {
				t.Errorf("%s: %d %s", body, status, text)
			}
		}
		if status, text := n.call(t, "POST", "/lun/cd", `{"iso":"`+strings.ReplaceAll(name, ".img", ".iso")+`"}`); status != 400 && name != "a_tpl_.iso" {
			t.Errorf("iso %s: %d %s", name, status, text)
		}
	}
	for _, suffix := range []string{"a,b", "a_b", "a b", "a/b", "../a", `a\nb`, "ä", "$(id)", "a;b", "", "a..b", strings.Repeat("x", 200)} {
		for path, rest := range map[string]string{"/lun/disk": `,"size":"1M"`, "/lun/cd": `,"iso":"w.iso"`} {
			if status, text := n.call(t, "POST", path, `{"iqn":"`+base+`:`+suffix+`"`+rest+`}`); status != 400 {
				t.Errorf("%s %q: %d %s", path, suffix, status, text)
			}
		}
		if status, text := n.call(t, "DELETE", "/lun?delete_file=true&iqn="+url.QueryEscape(base+":"+suffix), ""); status != 400 {
			t.Errorf("DELETE %q: %d %s", suffix, status, text)
		}
	}
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","master":"link_tpl_.img"}`, 404, "not_found", "master link_tpl_.img not found in the image folder")
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:link","existing":true}`, 404, "not_found", "link.img in the image folder is no regular file")
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"link.iso"}`, 404, "not_found", "iso link.iso not found in the image folder")
	if after := get[any](t, n, "/lun"); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("targets changed from %v to %v", before, after)
	}
}

func TestEveryRefusalOfACDHasItsStatusAndSentence(t *testing.T) {
	n := newNode(t)
	n.put(t, "w.iso", "v.iso")
	n.want(t, "POST", "/lun/cd", `{"iso":"w.iso"}`, 201, fmt.Sprintf(`{"iqn":"%s:w.iso","backing":"%s/w.iso"}`, base, n.dir))
	n.wantDetail(t, "POST", "/lun/cd", `{}`, 400, "invalid", `iso "" is empty`)
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"u.iso"}`, 404, "not_found", "iso u.iso not found in the image folder")
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"w.img"}`, 400, "invalid", `iso "w.img" does not end in .iso`)
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"v.iso","iqn":"`+base+`:w.iso"}`, 409, "exists", "iqn "+base+":w.iso already exists")
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"v.iso","iqn":"iqn.2026-07.com.other:w.iso"}`, 400, "invalid",
		"iqn base mismatch: iqn.2026-07.com.other:w.iso does not start with "+base+":")
	lio := newLIO(t)
	lio.put(t, "w.iso")
	lio.wantDetail(t, "POST", "/lun/cd", `{"iso":"w.iso"}`, 400, "unsupported", "lio backend does not support cd")
}

func TestEveryRefusalOfADeletionHasItsStatusAndSentence(t *testing.T) {
	n := newNode(t)
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`); status != 201 {
		t.Fatal(status, text)
	}
	if _, err := n.backend.Login(base+":a", base+":pc"); err != nil {
		t.Fatal(err)
	}
	n.wantDetail(t, "DELETE", "/lun", "", 400, "invalid", "iqn is missing")
	n.wantDetail(t, "DELETE", "/lun?iqn=nope", "", 400, "invalid", `iqn "nope" does not start with iqn.YYYY-MM.<reversed domain>`)
	n.wantDetail(t, "DELETE", "/lun?iqn="+base+":b", "", 404, "not_found", "iqn not found: "+base+":b")
	n.wantDetail(t, "DELETE", "/lun?iqn=iqn.2026-07.com.other:a", "", 400, "invalid",
		"iqn base mismatch: iqn.2026-07.com.other:a does not start with "+base+":")
	n.wantDetail(t, "DELETE", "/lun?delete_file=perhaps&iqn="+base+":a", "", 400, "invalid", `delete_file="perhaps" is neither true nor false`)
	n.wantDetail(t, "DELETE", "/lun?delete_file=true&iqn="+base+":a", "", 409, "target_in_use", "target "+base+":a is in use by "+base+":pc")
	n.want(t, "DELETE", "/lun?delete_file=true&force=true&iqn="+base+":a", "", 200, `{"deleted":"`+base+`:a","delete_file":true}`)
}

func TestAServerThatIsDownOrRefusesIsToldInItsWords(t *testing.T) {
	n := newNode(t)
	n.put(t, "w.iso", "kept.img")
	n.call(t, "POST", "/lun/scan", "")
	n.backend.Refuse(base+":a", fault.New(fault.Internal, "tgtadm: invalid request").WithCode("tgtadm_failed"))
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`, 500, "tgtadm_failed", "tgtadm: invalid request")

	down := "tgtd is not running on control port 0"
	n.backend.Fail(fault.New(fault.Unavailable, "%s", down))
	for _, c := range [][3]string{
		{"GET", "/lun", ""}, {"POST", "/lun/scan", ""}, {"DELETE", "/lun?iqn=" + base + ":kept", ""},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:a","size":"1M"}`}, {"POST", "/lun/cd", `{"iso":"w.iso"}`},
	} {
		n.wantDetail(t, c[0], c[1], c[2], 503, "unavailable", down)
	}
	n.want(t, "GET", "/readyz", "", 503, `{"status":"not_ready","reasons":["`+down+`"]}`)
	if status, _ := n.call(t, "GET", "/capabilities", ""); status != 200 {
		t.Errorf("capabilities of a node without a server: %d", status)
	}
}

func TestAMissingFolderIsToldAndWaitedFor(t *testing.T) {
	o := options(t)
	if err := os.Remove(o.DiskDir); err != nil {
		t.Fatal(err)
	}
	n := start(t, o, fake.New())
	missing := "image folder " + n.dir + " is missing"
	n.want(t, "GET", "/readyz", "", 503, `{"status":"not_ready","reasons":["`+missing+`"]}`)
	n.wantDetail(t, "GET", "/capabilities", "", 503, "unavailable", missing)
	n.wantDetail(t, "GET", "/masters", "", 503, "unavailable", missing)
	n.wantDetail(t, "POST", "/lun/scan", "", 503, "unavailable", missing)
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`, 503, "unavailable", missing)
	mounted := &node{dir: t.TempDir()}
	mounted.put(t, "a.img")
	if err := os.Rename(mounted.dir, n.dir); err != nil {
		t.Fatal(err)
	}
	until(t, "the folder is exported", func() bool { return len(get[[]any](t, n, "/lun")) == 1 })
	n.want(t, "GET", "/readyz", "", 200, `{"status":"ready"}`)
}

func TestAFullDiskIs507(t *testing.T) {
	o := options(t)
	o.MinFree = store.Reserve{Bytes: 1 << 62}
	n := start(t, o, fake.New())
	status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`)
	if status != 507 || !strings.Contains(text, `"code":"no_space"`) || !strings.Contains(text, "kept in reserve: no space for a.img") {
		t.Errorf("%d %s", status, text)
	}
}
