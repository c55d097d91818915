package agent

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
)

// unmount leaves an empty folder in the place of n's images, as umount does.
func (n *node) unmount(t *testing.T) (mount func()) {
	t.Helper()
	if err := errors.Join(os.Rename(n.dir, n.dir+".away"), os.Mkdir(n.dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(os.Remove(n.dir), os.Rename(n.dir+".away", n.dir)); err != nil {
			t.Fatal(err)
		}
	}
}

// wantWaiting holds n to what an agent does whose folder is not mounted.
func (n *node) wantWaiting(t *testing.T) {
	t.Helper()
	sentence := "image folder " + n.dir + " held images and now lacks its mark .ipxe-agent.id: is its file system mounted? " +
		"If it is to begin anew, put an empty file of that name there"
	n.want(t, "GET", "/readyz", "", 503, `{"status":"not_ready","reasons":["`+sentence+`"]}`)
	for _, c := range [][3]string{
		{"GET", "/capabilities"}, {"GET", "/masters"}, {"POST", "/lun/scan"},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:b","size":"1M"}`},
		{"POST", "/lun/disk", `{"iqn":"` + base + `:a","existing":true}`},
		{"POST", "/lun/cd", `{"iso":"w.iso"}`},
		{"DELETE", "/lun?delete_file=true&iqn=" + base + ":a"},
		{"DELETE", "/lun?force=true&iqn=" + base + ":a"},
	} {
		n.wantDetail(t, c[0], c[1], c[2], 503, "unavailable", sentence)
	}
	entries, err := os.ReadDir(n.dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("the mount point holds %v, %v", entries, err)
	}
}

func TestAFolderThatIsUnmountedWhileMachinesRunStopsChangesAndNothingElse(t *testing.T) {
	n := newNode(t)
	n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:a","size":"1M"}`)
	if _, err := n.backend.Login(base+":a", base+":pc"); err != nil {
		t.Fatal(err)
	}
	mount := n.unmount(t)
	n.wantWaiting(t)
	if after := get[[]api.Target](t, n, "/lun"); len(after) != 1 || len(after[0].Sessions) != 1 {
		t.Errorf("targets %+v", after)
	}
	mount()
	n.want(t, "GET", "/readyz", "", 200, `{"status":"ready"}`)
	n.want(t, "POST", "/lun/scan", "", 200, `{"created":[],"skipped":["`+base+`:a"]}`)
}

func TestAnAgentThatStartsBeforeItsFolderIsMountedWaits(t *testing.T) {
	o := options(t)
	b := fake.New()
	t.Run("first run", func(t *testing.T) {
		(&node{dir: o.DiskDir}).put(t, "a.img")
		n := start(t, o, b)
		until(t, "the folder is exported", func() bool { return len(get[[]any](t, n, "/lun")) == 1 })
	})
	mount := (&node{dir: o.DiskDir}).unmount(t)
	n := start(t, o, b) // targets outlived the agent
	n.wantWaiting(t)
	if got := len(get[[]api.Target](t, n, "/lun")); got != 1 {
		t.Errorf("%d targets stand", got)
	}
	n.backend.Crash() // not even then is an empty folder the truth
	n.wantWaiting(t)
	mount()
	until(t, "the folder is exported", func() bool { return len(get[[]any](t, n, "/lun")) == 1 })
	n.want(t, "GET", "/readyz", "", 200, `{"status":"ready"}`)
}

func TestAnEmptyFolderThatNeverHeldImagesIsReady(t *testing.T) {
	o := options(t)
	n := start(t, o, fake.New())
	until(t, "the first scan is logged", func() bool { return get[api.Operations](t, n, "/logs").NextCursor == 1 })
	n.want(t, "GET", "/readyz", "", 200, `{"status":"ready"}`)
	if _, err := os.Stat(filepath.Join(filepath.Dir(o.LogFile), "ipxe-agent.folders.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the record is there: %v", err)
	}
}
