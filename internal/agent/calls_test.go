package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
)

func TestCapabilitiesTellWhatTheNodeCanDo(t *testing.T) {
	n := newNode(t)
	got := get[api.Capabilities](t, n, "/capabilities")
	if got.Backend != "stgt" || !got.CD || got.Persistent || got.BaseIQN != base || got.EmptyDisk != "sparse file" ||
		got.Version == "" || got.FreeBytes <= 0 || got.TotalBytes < got.FreeBytes || got.FSType == "" {
		t.Errorf("capabilities %+v", got)
	}
	if got.Clone != "reflink (FICLONE)" && !strings.HasPrefix(got.Clone, "full copy (") {
		t.Errorf("clone %q", got.Clone)
	}
	if got := get[api.Capabilities](t, newLIO(t), "/capabilities"); got.Backend != "lio" || got.CD || !got.Persistent {
		t.Errorf("capabilities %+v", got)
	}
}

func TestTargetsAreListedAsTheContractHasThem(t *testing.T) {
	n := newNode(t)
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:PC-1.Ubuntu","size":"1M"}`); status != 201 {
		t.Fatal(status, text)
	}
	if _, err := n.backend.Login(base+":pc-1.ubuntu", base+":pc-1"); err != nil {
		t.Fatal(err)
	}
	n.want(t, "GET", "/lun", "", 200, fmt.Sprintf(`[{"tid":1,"iqn":"%s:pc-1.ubuntu","luns":[`+
		`{"lun":0,"backing":null,"type":"controller"},{"lun":1,"backing":"%s/pc-1.ubuntu.img","type":"disk","size":1048576}],`+
		`"sessions":[{"initiator":"%s:pc-1","address":"192.0.2.7"}]}]`, base, n.dir, base))
}

func TestNoTargetsAreAnEmptyList(t *testing.T) {
	n := newNode(t)
	n.want(t, "GET", "/lun", "", 200, `[]`)
	n.want(t, "GET", "/masters", "", 200, `{"masters":[]}`)
	n.want(t, "POST", "/lun/scan", "", 200, `{"created":[],"skipped":[]}`)
}

func TestMastersAreListed(t *testing.T) {
	o := options(t)
	path := filepath.Join(o.DiskDir, "u_tpl_1.img")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	n := start(t, o, fake.New())
	got := get[api.Masters](t, n, "/masters").Masters
	if len(got) != 1 || got[0].Name != "u_tpl_1.img" || got[0].Size != 1<<20 || got[0].MTime.IsZero() {
		t.Errorf("masters %+v", got)
	}
}

func TestEveryChangeIsInTheLog(t *testing.T) {
	n := newNode(t)
	until(t, "the first scan is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor == 1 })
	n.put(t, "w.iso")
	n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`)
	n.call(t, "POST", "/lun/cd", `{"iso":"w.iso"}`)
	n.call(t, "POST", "/lun/scan", "")
	n.call(t, "DELETE", "/lun?iqn="+base+":nope", "")
	page := get[api.Operations](t, n, "/logs?since=1&limit=3")
	if page.NextCursor != 4 || len(page.Entries) != 3 {
		t.Fatalf("page %+v", page)
	}
	page.Entries = append(page.Entries, get[api.Operations](t, n, "/logs?since=4").Entries...)
	want := []string{
		`"op":"disk","req":{"iqn":"` + base + `:a","size":"1M"},"result":{"iqn":"` + base + `:a","backing":"` + n.dir + `/a.img"},"client":"127.0.0.1"}`,
		`"op":"cd","req":{"iso":"w.iso"},"result":{"iqn":"` + base + `:w.iso","backing":"` + n.dir + `/w.iso"},"client":"127.0.0.1"}`,
		`"op":"scan","req":{},"result":{"created":[],"skipped":["` + base + `:a","` + base + `:w.iso"]},"client":"127.0.0.1"}`,
		`"op":"delete","req":{"iqn":"` + base + `:nope","delete_file":false,"force":false},"result":null,"client":"127.0.0.1","error":"iqn not found: ` + base + `:nope"}`,
	}
	for i, w := range want {
		if i >= len(page.Entries) || !bytes.HasSuffix(page.Entries[i], []byte(w)) {
			t.Fatalf("entries %s\nwant %s", page.Entries, w)
		}
	}
	n.wantDetail(t, "GET", "/logs?since=-1", "", 400, "invalid", `since="-1" is not a number from 0 to 4611686018427387904`)
	n.wantDetail(t, "GET", "/logs?limit=0", "", 400, "invalid", `limit="0" is not a number from 1 to 10000`)
}

func TestALostServerIsRebuiltAndLogged(t *testing.T) {
	n := newNode(t)
	n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`)
	until(t, "the first scan is logged", func() bool { return len(get[api.Operations](t, n, "/logs").Entries) >= 2 })
	n.backend.Crash()
	until(t, "the target stands again", func() bool { return len(get[[]any](t, n, "/lun")) == 1 })
	until(t, "the rebuild is logged", func() bool {
		entries := get[api.Operations](t, n, "/logs").Entries
		last := entries[len(entries)-1]
		return bytes.HasSuffix(last, []byte(`"op":"auto_scan","req":{},"result":{"created":[{"iqn":"`+base+`:a","cd":false}],"skipped":[]},"client":""}`))
	})
}

func TestTheTokenIsNowhereInTheLog(t *testing.T) {
	o := options(t)
	n := start(t, o, fake.New())
	n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`)
	text, err := os.ReadFile(o.LogFile)
	if err != nil || bytes.Contains(text, []byte(token)) || !json.Valid(bytes.Split(text, []byte("\n"))[0]) {
		t.Errorf("log %s, %v", text, err)
	}
}

// waiting is a server whose List answers only when the caller is gone.
type waiting struct {
	*fake.Backend
	asked, gone chan struct{}
}

func (w waiting) List(ctx context.Context) ([]target.Target, error) {
	close(w.asked)
	<-ctx.Done()
	close(w.gone)
	return nil, ctx.Err()
}

// Ping keeps the watcher from scanning.
func (w waiting) Ping(context.Context) (string, error) {
	return "", fault.New(fault.Unavailable, "not yet")
}

func TestACallerWhoHangsUpCancelsWhatIsUnderWay(t *testing.T) {
	w := waiting{fake.New(), make(chan struct{}), make(chan struct{})}
	a, err := assemble(options(t), quiet(), w, metrics.New())
	if err != nil {
		t.Fatal(err)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	go func() {
		<-w.asked
		hangUp()
	}()
	req, err := http.NewRequestWithContext(ctx, "POST", run(t, a)+"/lun/disk", strings.NewReader(`{"iqn":"`+base+`:a","size":"1M"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("a caller who is gone was answered")
	}
	<-w.gone
	n := &node{url: strings.TrimSuffix(req.URL.String(), "/lun/disk")}
	until(t, "the log tells", func() bool {
		entries := get[api.Operations](t, n, "/logs").Entries
		return len(entries) == 1 && bytes.HasSuffix(entries[0], []byte(`"error":"given up: the caller hung up"}`))
	})
}
