package agent

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/export"
	"ipxe-all-ready/internal/agent/metrics"
	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target/fake"
	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// childEnv lets this test binary be an agent that is killed in mid-clone.
const childEnv = "IPXE_TEST_CLONE_IN"

func TestMain(m *testing.M) {
	root := os.Getenv(childEnv)
	if root == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, cloneForEver(root))
	os.Exit(1)
}

func optionsIn(root string) (Options, error) {
	b, err := iscsi.ParseBase(base)
	return Options{
		Listen: "127.0.0.1:0", Base: b, DiskDir: filepath.Join(root, "images"),
		LogFile: filepath.Join(root, "agent.jsonl"), Folders: filepath.Join(root, "folders.json"),
	}, err
}

// cloneForEver says "half" when a clone to a name of its own is half made, and
// goes no further.
func cloneForEver(root string) error {
	o, e1 := optionsIn(root)
	q, e2 := iscsi.ParseIQN(base + ":killed")
	m, e3 := image.ParseMaster("u_tpl_1.img")
	n, e4 := image.ParseDisk("half.img")
	if err := errors.Join(e1, e2, e3, e4); err != nil {
		return err
	}
	a, err := assemble(o, quiet(), fake.New(), metrics.New())
	if err != nil {
		return err
	}
	_, err = a.export.CreateDisk(context.Background(), export.Disk{IQN: q, Name: n, Master: m}, func(s store.Step) {
		if s.Done > 0 && s.Done < s.Total {
			fmt.Println("half")
			_, _ = io.Copy(io.Discard, os.Stdin) // which stays open
		}
	})
	return fmt.Errorf("the clone ended: %w", err)
}

// withMaster is a node on tmpfs, where a clone is a full copy.
func withMaster(t *testing.T) (root string, o Options) {
	t.Helper()
	root, err := os.MkdirTemp("/dev/shm", "killed")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	o, err = optionsIn(root)
	must(t, err)
	o.Token, o.Watch = options(t).Token, 10*time.Millisecond
	must(t, os.Mkdir(o.DiskDir, 0o700))
	must(t, os.WriteFile(filepath.Join(o.DiskDir, "u_tpl_1.img"), bytes.Repeat([]byte("data"), 1<<20), 0o600))
	return root, o
}

func TestAnAgentThatIsKilledInMidCloneLeavesNeitherFileNorTarget(t *testing.T) {
	root, o := withMaster(t)
	killInMidClone(t, root)
	left, err := filepath.Glob(filepath.Join(o.DiskDir, ".ipxe-tmp-*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("the kill left %q, %v; want the half copy", left, err)
	}

	n := start(t, o, fake.New())
	until(t, "the next agent has looked at the folder", func() bool { return get[api.Operations](t, n, "/logs").NextCursor >= 1 })
	if got := filesOf(t, o.DiskDir); got != "u_tpl_1.img" {
		t.Errorf("the folder holds %q", got)
	}
	n.want(t, "GET", "/lun", "", 200, `[]`)
	// Neither its name nor its IQN is taken.
	n.want(t, "POST", "/lun/disk", `{"iqn":"`+base+`:killed","filename":"half.img","master":"u_tpl_1.img"}`, 201,
		fmt.Sprintf(`{"iqn":"%s:killed","backing":"%s/half.img","clone":"copy","bytes":4194304}`, base, n.dir))
	if got := filesOf(t, o.DiskDir); got != "half.img u_tpl_1.img" {
		t.Errorf("the folder holds %q", got)
	}
}

// filesOf are the names in the folder but the agent's own, temporaries included.
func filesOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".ipxe-agent") {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

func killInMidClone(t *testing.T, root string) {
	t.Helper()
	_, kill := cloneInAnother(t, root)
	kill()
}

// cloneInAnother runs an agent in a process of its own to the middle of a clone.
// Its kill is a kill -9 that has happened when it returns.
func cloneInAnother(t *testing.T, root string) (pid int, kill func()) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+root)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	kill = sync.OnceFunc(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it says that the process was killed
		_ = in.Close()
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "half\n" {
		t.Fatalf("the agent said %q, %v", line, err)
	}
	return cmd.Process.Pid, kill
}
