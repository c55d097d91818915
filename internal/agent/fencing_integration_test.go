//go:build integration

package agent

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target/targettest"
	"ipxe-all-ready/internal/api"
)

// asks lets another program than ours log in and read: libiscsi's.
func asks(t *testing.T, o Options, initiator, suffix string) (string, error) {
	t.Helper()
	out, err := exec.Command("iscsi-inq", "-i", base+":"+initiator, "iscsi://"+o.Portal+"/"+base+":"+suffix+"/1").CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err
}

func TestAClosedDiskRefusesAStrangerAndTellsWhileItsMachineGoesOn(t *testing.T) {
	o := managed(t)
	o.OwnInitiator, o.Fence = true, 50*time.Millisecond
	n, stop := begin(t, o)
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:pc.debian","size":"64M"}`); status != 201 {
		t.Fatal(status, text)
	}
	session, err := targettest.Login(o.Portal, base+":pc.debian", base+":pc")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	refused := func(initiator string, count int) {
		t.Helper()
		if out, err := asks(t, o, initiator, "pc.debian"); err == nil {
			t.Fatalf("%s got in: %s", initiator, out)
		}
		until(t, "the refusal is reported", func() bool {
			f := get[api.Fencing](t, n, "/fencing")
			if f.Blind != "" {
				t.Fatal(f.Blind)
			}
			for _, r := range f.Refusals {
				if r.IQN == base+":pc.debian" && r.Initiator == base+":"+initiator && r.Address == "127.0.0.1" && r.Count == count {
					return true
				}
			}
			return false
		})
	}
	refused("evil", 1)
	refused("evil", 2)
	refused("other", 1)
	if out, err := asks(t, o, "pc", "pc.debian"); err != nil {
		t.Errorf("its own machine was refused: %s", out)
	}
	if err := session.Ping(); err != nil {
		t.Errorf("the first session ended: %v", err)
	}
	f := get[api.Fencing](t, n, "/fencing")
	if f.ACL != "initiator" || len(f.Refusals) != 2 {
		t.Errorf("%+v", f)
	}
	// They are counted and logged after they are reported.
	until(t, "both are logged", func() bool {
		_, text := n.call(t, "GET", "/logs", "")
		return strings.Count(text, `"op":"refused_initiator"`) >= 2
	})
	n.wantMetrics(t, `ipxe_agent_refused_initiators_total 2`)
	if _, text := n.call(t, "GET", "/logs", ""); strings.Count(text, `"op":"refused_initiator"`) != 2 {
		t.Errorf("log %s", text)
	}

	// Who is admitted follows from the disk's name, so that a rebuild knows it.
	stop()
	for _, pid := range tgtds(t, o) {
		must(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	n, _ = begin(t, o)
	until(t, "the disk stands again", func() bool { _, err := asks(t, o, "pc", "pc.debian"); return err == nil })
	refused("evil", 1)
}

// A disk is closed, and opened again, by restarting the agent with the other
// setting. Neither disturbs who is logged in: a stranger stays until it ends its
// session, and does not get in again.
func TestTheSettingChangesUnderLiveSessions(t *testing.T) {
	o := managed(t)
	n, stop := begin(t, o)
	if status, text := n.call(t, "POST", "/lun/disk", `{"iqn":"`+base+`:pc.debian","size":"64M"}`); status != 201 {
		t.Fatal(status, text)
	}
	own, err := targettest.Login(o.Portal, base+":pc.debian", base+":pc")
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	stranger, err := targettest.Login(o.Portal, base+":pc.debian", base+":evil")
	if err != nil {
		t.Fatal(err)
	}
	stop()
	o.OwnInitiator = true
	_, stop = begin(t, o)
	until(t, "the disk is closed", func() bool { _, err := asks(t, o, "other", "pc.debian"); return err != nil })
	for who, s := range map[string]*targettest.Initiator{"own": own, "stranger": stranger} {
		if err := s.Ping(); err != nil {
			t.Errorf("closing ended the session of %s: %v", who, err)
		}
	}
	stranger.Close()
	if out, err := asks(t, o, "evil", "pc.debian"); err == nil {
		t.Errorf("the stranger got in again: %s", out)
	}
	stop()
	o.OwnInitiator = false
	begin(t, o)
	until(t, "the disk is open", func() bool { _, err := asks(t, o, "evil", "pc.debian"); return err == nil })
	if err := own.Ping(); err != nil {
		t.Errorf("opening ended the session: %v", err)
	}
}
