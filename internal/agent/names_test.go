package agent

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
)

func TestWhatIsNoRegularFileIsNoImageInAnyField(t *testing.T) {
	o := options(t)
	at := func(name string) string { return filepath.Join(o.DiskDir, name) }
	outside := filepath.Join(filepath.Dir(o.DiskDir), "secret")
	must(t, os.WriteFile(outside, make([]byte, 1<<20), 0o600))
	must(t, os.WriteFile(at("real.img"), make([]byte, 1<<20), 0o600))
	for _, ext := range []string{"_tpl_.img", ".img", ".iso"} {
		must(t, os.Symlink(outside, at("out"+ext)))
		must(t, os.Symlink("../secret", at("up"+ext)))
		must(t, os.Symlink("real.img", at("in"+ext)))
		must(t, os.Symlink("nowhere", at("gone"+ext)))
		must(t, os.Symlink("loop"+ext, at("loop"+ext)))
		must(t, os.Mkdir(at("dir"+ext), 0o700))
		must(t, syscall.Mkfifo(at("pipe"+ext), 0o600))
	}
	n := start(t, o, fake.New())
	until(t, "the first scan is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor == 1 })
	n.want(t, "POST", "/lun/scan", ``, 200, `{"created":[],"skipped":["`+base+`:real"],"failed":[`+strings.Join(irregular(), ",")+`]}`)
	for _, kind := range []string{"out", "up", "in", "gone", "loop", "dir", "pipe"} {
		iqn := `{"iqn":"` + base + ":" + kind + `"`
		n.wantDetail(t, "POST", "/lun/disk", iqn+`,"master":"`+kind+`_tpl_.img","filename":"x.img"}`, 404, "not_found",
			"master "+kind+"_tpl_.img not found in the image folder")
		n.wantDetail(t, "POST", "/lun/disk", iqn+`,"existing":true}`, 404, "not_found", kind+".img in the image folder is no regular file")
		n.wantDetail(t, "POST", "/lun/disk", iqn+`,"size":"1M"}`, 409, "exists", "file "+kind+".img already exists")
		n.wantDetail(t, "POST", "/lun/cd", `{"iso":"`+kind+`.iso"}`, 404, "not_found", "iso "+kind+".iso not found in the image folder")
	}
	if text, err := os.ReadFile(outside); err != nil || len(text) != 1<<20 {
		t.Errorf("the file outside has %d bytes, %v", len(text), err)
	}
	n.want(t, "GET", "/masters", ``, 200, `{"masters":[]}`)
}

// irregular are a scan's rows for what is no regular file, by name.
func irregular() (rows []string) {
	for _, kind := range []string{"dir", "gone", "in", "loop", "out", "pipe", "up"} {
		what := map[string]string{"dir": "a folder", "pipe": "a named pipe"}[kind]
		for _, ext := range []string{".img", ".iso", "_tpl_.img"} {
			rows = append(rows, fmt.Sprintf(`{"name":"%[1]s%[2]s","error":"%[1]s%[2]s is %[3]s, not a regular file"}`, kind, ext, cmp.Or(what, "a symbolic link")))
		}
	}
	return rows
}

func TestNamesThatDifferInCaseAloneAreNotMixedUp(t *testing.T) {
	o := options(t)
	must(t, os.WriteFile(filepath.Join(o.DiskDir, "PC.img"), make([]byte, 1<<20), 0o600))
	must(t, os.WriteFile(filepath.Join(o.DiskDir, "U_tpl_1.img"), make([]byte, 1<<20), 0o600))
	n := start(t, o, fake.New())
	stands := fmt.Sprintf(`[{"tid":1,"iqn":"%s:pc","luns":[{"lun":0,"backing":null,"type":"controller"},`+
		`{"lun":1,"backing":"%s/PC.img","type":"disk","size":1048576}],"sessions":[]}]`, base, n.dir)
	until(t, "PC.img is exported", func() bool { _, text := n.call(t, "GET", "/lun", ""); return text == stands })
	for _, iqn := range []string{"pc", "PC", "Pc"} {
		q := `{"iqn":"` + strings.ToUpper(base) + ":" + iqn + `"`
		n.wantDetail(t, "POST", "/lun/disk", q+`,"size":"1M"}`, 409, "exists", "iqn "+base+":pc already exists")
		n.wantDetail(t, "POST", "/lun/disk", q+`,"size":"1M","filename":"pc.img"}`, 409, "exists", "iqn "+base+":pc already exists")
		n.wantDetail(t, "POST", "/lun/disk", q+`,"master":"u_tpl_1.img"}`, 409, "exists", "iqn "+base+":pc already exists")
	}
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:x","master":"u_tpl_1.img"}`, 404, "not_found", "master u_tpl_1.img not found in the image folder")
	n.wantDetail(t, "POST", "/lun/disk", `{"iqn":"`+base+`:x","master":"U_TPL_1.img"}`, 400, "invalid", `master "U_TPL_1.img" does not carry _tpl_ in its name`)

	// A file that comes by hand to a name that stands is told, not served.
	must(t, os.WriteFile(filepath.Join(n.dir, "pc.img"), make([]byte, 1<<20), 0o600))
	n.want(t, "POST", "/lun/scan", ``, 200, `{"created":[],"skipped":["U_tpl_1.img","`+base+`:pc"],`+
		`"failed":[{"name":"pc.img","error":"PC.img and pc.img both come to iqn `+base+`:pc, which is the first one's"}]}`)
	n.want(t, "DELETE", "/lun?delete_file=true&iqn="+base+":PC", ``, 200, `{"deleted":"`+base+`:pc","delete_file":true}`)
	for name, there := range map[string]bool{"PC.img": false, "pc.img": true} {
		if _, err := os.Stat(filepath.Join(n.dir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOverlongAndEncodedNamesEndAtTheDoor(t *testing.T) {
	n := newNode(t)
	long := strings.Repeat("x", 1<<20)
	for _, name := range []string{long, "../" + long, `\u002e\u002e\u002fa`, `a\u000ab`, `a\u2215b`, `%2e%2e%2fa`, `\ud83d\ude00`, `a\u202eb`, `C:\\a`, `\\\\host\\a`} {
		for _, body := range []string{
			`{"iqn":"` + base + `:a","master":"` + name + `_tpl_.img"}`,
			`{"iqn":"` + base + `:a","size":"1M","filename":"` + name + `.img"}`,
			`{"iqn":"` + base + `:a","existing":true,"filename":"` + name + `.img"}`,
			`{"iqn":"` + base + `:` + name + `","size":"1M"}`,
			`{"iqn":"` + base + `:a","size":"` + name + `"}`,
		} {
			if status, text := n.call(t, "POST", "/lun/disk", body); status != 400 || len(text) > 1000 {
				t.Errorf("%.80s: %d, %d bytes: %.200s", body, status, len(text), text)
			}
		}
		for _, body := range []string{`{"iso":"` + name + `.iso"}`, `{"iso":"w.iso","iqn":"` + base + `:` + name + `"}`} {
			if status, text := n.call(t, "POST", "/lun/cd", body); status != 400 || len(text) > 1000 {
				t.Errorf("%.80s: %d, %d bytes: %.200s", body, status, len(text), text)
			}
		}
	}
	for _, path := range []string{"/tasks/..%2f..%2fetc%2fpasswd", "/tasks/%2e%2e", "/tasks/a%0ab", "/tasks/" + strings.Repeat("x", 5000)} {
		for _, method := range []string{"GET", "DELETE"} {
			if status, text := n.call(t, method, path, ""); status != 404 || len(text) > 1000 {
				t.Errorf("%s %.60s: %d %.200s", method, path, status, text)
			}
		}
	}
	if names := filesOf(t, n.dir); names != "" {
		t.Errorf("the folder holds %s", names)
	}
}

func TestEveryFormOfAHostileIQNIsRefusedInTheQueryToo(t *testing.T) {
	n := newNode(t)
	n.put(t, "a.img")
	n.call(t, "POST", "/lun/scan", "")
	for _, iqn := range []string{
		"%2e%2e%2fa", "%252e%252e%252fa", "a%0a", "%0aa", "a%0d%0ab", "a%00", "%00", "a%2f..%2fa", "a%5cb", "%ff", "%c0%ae%c0%ae", "a%20", "%20a", "+a", "a%2ca",
		"a%09", "%e2%80%aea", "%ef%bd%81", "a;b", "a%26b", "a%3ab%2fc", strings.Repeat("a", 300), strings.Repeat("%41", 5000),
	} {
		for _, rest := range []string{"", "&delete_file=true", "&delete_file=true&force=true"} {
			if status, text := n.call(t, "DELETE", "/lun?iqn="+base+":"+iqn+rest, ""); status != 400 || len(text) > 1000 {
				t.Errorf("%.60s%s: %d %.200s", iqn, rest, status, text)
			}
		}
	}
	for _, query := range []string{"", "?iqn=", "?IQN=" + base + ":a", "?iqn=" + base + ":a&delete_file=yes%0a", "?iqn=" + base + ":a&force=2"} {
		if status, text := n.call(t, "DELETE", "/lun"+query, ""); status != 400 {
			t.Errorf("%s: %d %s", query, status, text)
		}
	}
	n.want(t, "POST", "/lun/scan", "", 200, `{"created":[],"skipped":["`+base+`:a"]}`)
}

func TestBytesThatAreNoTextAreNoName(t *testing.T) {
	n := newNode(t)
	for _, name := range []string{"\xff", "\xc0\xae\xc0\xae/a", "a\x00", "a\nb", "\x1b[2J"} {
		for path, body := range map[string]string{
			"/lun/disk": `{"iqn":"` + base + `:a","size":"1M","filename":"` + name + `.img","x":1}`,
			"/lun/cd":   `{"iso":"` + name + `.iso"}`,
		} {
			if status, text := n.call(t, "POST", path, body); status != 400 {
				t.Errorf("%s %q: %d %s", path, body, status, text)
			}
		}
	}
}

func TestCDsThatDifferInCaseAloneAreNotMixedUp(t *testing.T) {
	n := newNode(t)
	n.put(t, "Win.iso", "win.iso")
	both := `"failed":[{"name":"win.iso","error":"Win.iso and win.iso both come to iqn ` + base + `:win.iso, which is the first one's"}]`
	n.call(t, "POST", "/lun/scan", "")
	n.want(t, "POST", "/lun/scan", "", 200, `{"created":[],"skipped":["`+base+`:win.iso"],`+both+`}`)
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"win.iso"}`, 409, "exists", "iqn "+base+":win.iso already exists")
	n.want(t, "POST", "/lun/cd", `{"iso":"Win.iso"}`, 201, `{"iqn":"`+base+`:win.iso","backing":"`+n.dir+`/Win.iso"}`)
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"WIN.iso"}`, 404, "not_found", "iso WIN.iso not found in the image folder")
	n.wantDetail(t, "POST", "/lun/cd", `{"iso":"win.ISO"}`, 400, "invalid", `iso "win.ISO" does not end in .iso`)
}
