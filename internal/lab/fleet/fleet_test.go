package fleet

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ipxe-all-ready/internal/api/agenttest"
	"ipxe-all-ready/internal/lab"
)

func TestMain(m *testing.M) {
	PlayRole()
	os.Exit(m.Run())
}

// program builds ipxe-cp.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ipxe-cp")
	build := exec.Command("go", "build", "-o", path, "./cmd/ipxe-cp")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	root, err := lab.Root()
	if err != nil {
		t.Fatal(err)
	}
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestFiveHundredMachinesSeeNoFault is the guard of the large runs: half of the
// machines are known, a node fails and goes away, ledgers are edited by hand.
func TestFiveHundredMachinesSeeNoFault(t *testing.T) {
	var out bytes.Buffer
	f, err := Run(t.Context(), Options{
		Program: program(t), Machines: 500, Known: 250, Within: 2 * time.Second, Hold: 10 * time.Second,
		Firmware: 3 * time.Second, Run: time.Second, Agents: 3, Consoles: 2, Edit: true, Out: &out,
		Trouble: Trouble{Delay: 20 * time.Millisecond, Fail: .1, Flap: 2 * time.Second},
	})
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(f.Names()); got != 500 {
		t.Errorf("%d machines have a name", got)
	}
	if last := f.Samples[len(f.Samples)-1]; last.Registered < 250 || last.Reloads > 15 {
		t.Errorf("%d registrations, %d reloads", last.Registered, last.Reloads)
	}
}

func TestWhatAMachineMustNeverSeeIsAFault(t *testing.T) {
	var turn atomic.Int32
	answers := []string{"#!ipxe\nset hostname a\nset menu-timeout 1\n", "#!ipxe\nset hostname b\nset menu-timeout 1\n", "#!ipxe\n", "no script"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n := int(turn.Add(1)) - 1; n < len(answers) {
			_, _ = w.Write([]byte(answers[n]))
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer s.Close()
	c := NewCrowd(1)
	c.URL, c.Firmware = s.URL, 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := c.machines[0]
	for range 3 {
		if _, ok := m.boot(ctx, c); !ok {
			t.Fatal("no answer")
		}
	}
	if _, err := c.ask(ctx, m, ""); !errors.Is(err, errNoScript) {
		t.Errorf("%v", err)
	}
	if _, err := c.ask(ctx, m, ""); kindOf(err) != "status 503" {
		t.Errorf("%v", err)
	}
	other := newMachine(7)
	other.check(c, script{hostname: "a"})
	c.URL = "http://127.0.0.1:1" // where nobody listens
	if _, err := c.ask(ctx, m, ""); kindOf(err) != "connection refused" {
		t.Errorf("%v is %s", err, kindOf(err))
	}
	want := "faults: 1 × a name given twice, 1 × an empty script, 1 × another name than before"
	if err := c.Tally.Err(); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	var out bytes.Buffer
	c.Tally.Print(&out)
	if !strings.Contains(out.String(), "FAULT 1 × a name given twice, the first: a: 52:54:00:00:00:00 and 52:54:00:00:00:07\n") {
		t.Errorf("%s", &out)
	}
}

func TestTheMachinesWaitAsTheScriptsDo(t *testing.T) {
	root, err := lab.Root()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := os.ReadFile(filepath.Join(root, "deploy", "tftp", "boot.ipxe.cfg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"set menu-default reboot", "set menu-timeout 10000", // defaultItem, defaultTimeout
		"set cp-pause:int32 2000",                     // firstPause
		"iseq ${cp-pause} 30000 || inc cp-pause 4000", // longestPause, pauseStep
		"chain --timeout 20000 --autofree ${cp-url}/boot-vars?mac=${netX/mac}&hostname=${hostname}", // askTimeout
	} {
		if !strings.Contains(string(cfg), line) {
			t.Errorf("boot.ipxe.cfg has no %q: the fleet does something else", line)
		}
	}
	s, ok := read("#!ipxe\nset hostname w\nset menu-default ubuntu\nset menu-timeout 5000\nset root-ubuntu iscsi:a:::1:b\n")
	if !ok || s.hostname != "w" || s.root != "iscsi:a:::1:b" || s.timeout != 5*time.Second {
		t.Errorf("%+v", s)
	}
}

func TestAStorageNodeOfTheFleetKeepsTheAgentsContract(t *testing.T) {
	agenttest.Run(t, func(t *testing.T) agenttest.Node {
		n, err := StartStorage("st-1", Trouble{Delay: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Stop)
		return agenttest.Node{
			URL: n.URL, Token: n.Token, Base: n.Base, Put: n.Put, Files: n.Files, Use: n.Use,
			Hold: func() func() { n.Hold(); return n.Release },
		}
	})
}

func TestANodeThatIsAwayCutsOrLetsItsCallersWait(t *testing.T) {
	n, err := StartStorage("st-1", Trouble{})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Stop()
	ask := func(patience time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "GET", n.URL+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	n.away.Store(1)
	if err := ask(20 * time.Second); kindOf(err) != "connection cut" {
		t.Errorf("%v", err)
	}
	n.away.Store(2)
	if err := ask(200 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	n.away.Store(0)
	if err := ask(20 * time.Second); err != nil {
		t.Error(err)
	}
}

func TestAServerThatDoesNotKnowItIsOneStartsNoFurther(t *testing.T) {
	t.Setenv(roleEnv, "dhcp")
	if d, err := StartDHCP(filepath.Join(t.TempDir(), "dhcp"), "hosts"); err == nil {
		d.Stop()
		t.Error("it started another")
	}
}
