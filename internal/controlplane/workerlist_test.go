package controlplane

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

// listedSite has workers of every kind; worker-2 and worker-10 tell natural
// order from the text's.
func listedSite(t *testing.T, rows ...string) *site {
	t.Helper()
	s := newSite(t)
	s.file("config/agents.yml", "agents:\n  st1: {base_url: \"http://127.0.0.1:1\", role: {disk: true}, enabled: false}\n")
	disk := func(host, os string) string {
		return fmt.Sprintf("{agent: st1, iqn: \"iqn.2026-07.com.c:%s.%s\", filename: %s.%s.img, backing: /d/x, os: %s, source: {type: empty, size: 1G}}", host, os, host, os, os)
	}
	s.file("state/workers.yml", "workers:\n"+
		"  worker-10: {hostname: worker-10, arch: x86_64, state: ready, disks: ["+disk("worker-10", "ubuntu")+"]}\n"+
		"  worker-2: {hostname: worker-2, arch: x86_64, state: ready, disks: ["+disk("worker-2", "debian")+"]}\n"+
		"  lab-7: {hostname: bench, arch: x86_64, state: registered, disks: []}\n"+
		strings.Join(rows, "")+
		"  cdrom: {hostname: cdrom, arch: x86_64, state: installing, disks: [], cd: {agent: st2, iqn: \"iqn.2026-07.com.c:cdrom.windows.iso\", iso: win.iso, backing: /d/win.iso}}\n")
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:02,worker-2\n52:54:00:00:aa:10,worker-10\n")
	return s.start()
}

func ids(t *testing.T, a answer) string {
	t.Helper()
	var out []string
	for _, w := range decode[[]api.Worker](t, a) {
		out = append(out, w.WorkerID)
	}
	return strings.Join(out, " ")
}

func TestWorkersAreFilteredInNaturalOrder(t *testing.T) {
	s := listedSite(t, "  broken: {hostname: [a, b], arch: x86_64, state: registered, disks: []}\n")
	for query, want := range map[string]string{
		"":                            "broken cdrom lab-7 worker-2 worker-10",
		"q=WORKER":                    "worker-2 worker-10",
		"q=bench":                     "lab-7",
		"q=00:02":                     "worker-2",
		"q=5254.0000.AA10":            "worker-10",
		"q=nobody":                    "",
		"state=registered":            "lab-7",
		"state=failed":                "broken",
		"state=installing":            "cdrom",
		"os=Ubuntu":                   "worker-10",
		"agent=ST1":                   "worker-2 worker-10",
		"agent=st2":                   "cdrom",
		"agent=st9":                   "",
		"bound=true":                  "worker-2 worker-10",
		"bound=0":                     "broken cdrom lab-7",
		"bound=true&os=debian&q=work": "worker-2",
		"cursor=lab-7":                "worker-2 worker-10",
		"cursor=worker-3":             "worker-10",
		"q=":                          "broken cdrom lab-7 worker-2 worker-10",
	} {
		if got := ids(t, s.want(200, "GET", "/workers?"+query, "")); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"state=asleep":  `state "asleep" is not one of registered, ready, installing, failed`,
		"os=beos":       `os "beos" is not one of windows, ubuntu, debian, centos, esxi`,
		"agent=../x":    `agent id "../x" is not made of a-z, 0-9, '.', '_' and '-', starting with a letter or digit, at most 63`,
		"bound=perhaps": `bound="perhaps" is neither true nor false`,
		"limit=0":       `limit="0" is not a number from 1 to 10000`,
		"limit=10001":   `limit="10001" is not a number from 1 to 10000`,
		"cursor=%20":    `cursor " " is not one that X-Next-Cursor gave`,
	} {
		if a := s.want(400, "GET", "/workers?"+query, ""); decode[api.Error](t, a).Detail != want {
			t.Errorf("%s: %s", query, a)
		}
	}
}

func TestPagesFollowEachOtherWhateverIsDeletedInBetween(t *testing.T) {
	s := listedSite(t)
	a := s.want(200, "GET", "/workers?limit=2", "")
	next := a.header.Get("X-Next-Cursor")
	if ids(t, a) != "cdrom lab-7" || next == "" {
		t.Fatalf("%s, next %q", a, next)
	}
	s.want(200, "DELETE", "/workers/lab-7", "")
	a = s.want(200, "GET", "/workers?limit=3&cursor="+next, "")
	if ids(t, a) != "worker-2 worker-10" || a.header.Get("X-Next-Cursor") != "" {
		t.Errorf("%s, next %q", a, a.header.Get("X-Next-Cursor"))
	}
	a = s.want(200, "GET", "/workers?limit=1&os=debian", "")
	if ids(t, a) != "worker-2" || a.header.Get("X-Next-Cursor") != "" {
		t.Errorf("the only row has a next page: %s, %q", a, a.header.Get("X-Next-Cursor"))
	}
}

func TestAnUnchangedListIsNotSentAgain(t *testing.T) {
	s := listedSite(t)
	tag := s.want(200, "GET", "/workers", "").header.Get("ETag")
	same := func() bool {
		a := s.call("GET", "/workers", "", "If-None-Match", tag)
		if a.status != 304 && a.status != 200 || (a.status == 304) != (len(a.body) == 0) {
			t.Errorf("%s", a)
		}
		return a.status == 304
	}
	if !same() {
		t.Errorf("nothing changed and the list was sent again")
	}
	for _, c := range []struct {
		what   string
		change func()
	}{
		{"a change", func() { s.want(200, "PUT", "/workers/lab-7/mac", `{"mac":"52:54:00:00:00:77"}`) }},
		{"a boot", func() { s.boot("mac=52:54:00:00:00:02") }},
		{"a deletion", func() { s.want(200, "DELETE", "/workers/lab-7", "") }},
		{"a hand edit", func() { s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:03,worker-2\n") }},
	} {
		tag = s.want(200, "GET", "/workers", "").header.Get("ETag")
		c.change()
		eventually(t, "the list is sent again after "+c.what, func() bool { return !same() })
	}
	var booted bool
	for _, w := range s.workers() {
		booted = booted || w.WorkerID == "worker-2" && w.LastBootAt != nil
	}
	if !booted {
		t.Errorf("the list does not show the last boot")
	}
	s.restart()
	if same() {
		t.Errorf("an edition of an earlier start passes for one of this")
	}
}

func TestALongListIsCompressedAndTheSame(t *testing.T) {
	s := newSite(t)
	s.ledgerOf(2000)
	s.start()
	get := func(path string) ([]byte, int) {
		req, err := http.NewRequest("GET", s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", "gzip")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		sent, err := io.ReadAll(resp.Body)
		if err != nil || resp.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("%v %v", resp.Header, err)
		}
		z, err := gzip.NewReader(strings.NewReader(string(sent)))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return plain, len(sent)
	}
	for _, path := range []string{"/workers", "/workers?bound=true"} {
		plain, sent := get(path)
		var rows []json.RawMessage
		if err := json.Unmarshal(plain, &rows); err != nil || len(rows) != 2000 {
			t.Errorf("%s: %d rows, %v", path, len(rows), err)
		}
		if a := s.call("GET", path, "", "Accept-Encoding", "identity"); string(a.body) != string(plain) {
			t.Errorf("%s differs uncompressed", path)
		}
		t.Logf("%s: %d bytes, sent as %d", path, len(plain), sent)
	}
}
