package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/onewriter"
)

func TestAStandbyTakesOverFromAControlPlaneThatIsKilledAndKnowsAllThatWasAcknowledged(t *testing.T) {
	home := t.TempDir()
	first := play(t, self(t), "ipxe-cp", "IPXE_CP_HOME="+home, "IPXE_CP_LISTEN=127.0.0.1:0")
	one := first.line(t)
	// An address of the host where no other program's port is.
	two := fmt.Sprintf("127.%d.%d.%d:4839", 1+rand.IntN(254), rand.IntN(255), 1+rand.IntN(254))
	second := play(t, self(t), "ipxe-cp", "IPXE_CP_HOME="+home, "IPXE_CP_LISTEN="+two, "IPXE_CP_STANDBY=true")
	body := strings.NewReader(`{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	res, err := http.Post("http://"+one+"/workers", "application/json", body)
	if err != nil || res.StatusCode != http.StatusCreated {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
	time.Sleep(3 * standbyLook) // it had its chances
	if c, err := net.Dial("tcp", two); err == nil {
		_ = c.Close()
		t.Error("the standby has a port open")
	}

	killed := time.Now()
	first.kill(t)
	if got := second.line(t); got != two {
		t.Fatalf("the standby says %q", got)
	}
	res, err = http.Get("http://" + two + "/boot-vars?mac=52:54:00:00:00:01&format=json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got [512]byte
	n, _ := res.Body.Read(got[:])
	t.Logf("a machine was answered %v after the kill", time.Since(killed).Round(time.Millisecond))
	if !strings.Contains(string(got[:n]), `"hostname":"pc-01"`) {
		t.Errorf("it answers %s", got[:n])
	}
}

func TestWhoHoldsTheLedgersIsTold(t *testing.T) {
	s := newSite(t).start()
	o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(o, s.logger())
	host, _ := os.Hostname()
	want := `^another control plane, process \d+ on ` + regexp.QuoteMeta(host) + ` since \d{4}-\d\d-\d\dT[0-9:.]{12}Z, holds .*/state/ipxe-cp\.lock; two must not write the same ledgers`
	if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
		t.Errorf("%v", err)
	}
}

func TestAStandbyThatIsStoppedEndsWithoutAFault(t *testing.T) {
	s := newSite(t, "IPXE_CP_STANDBY", "true").start()
	o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if cp, err := Start(ctx, o, s.logger()); cp != nil || err != nil {
		t.Errorf("%v %v", cp, err)
	}
}

// TestAStandbyWhoseCertificateIsRefusedEndsAtOnceAndNotWhenItIsNeeded: it would
// be gone for good then.
func TestAStandbyWhoseCertificateIsRefusedEndsAtOnceAndNotWhenItIsNeeded(t *testing.T) {
	s := newSite(t, "IPXE_CP_STANDBY", "true").start()
	s.file("none.pem", "no certificate")
	s.env["IPXE_CP_AGENT_TLS_CA"] = filepath.Join(s.home, "none.pem")
	o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if cp, err := Start(ctx, o, s.logger()); cp != nil || err == nil || !strings.Contains(err.Error(), "IPXE_CP_AGENT_TLS_CA") {
		t.Errorf("%v %v", cp, err)
	}
}

// TestOfTwoControlPlanesThatBothHoldALockTheFirstWritesNoMoreAndEnds: a person
// removed the lock file, or a file server gave the lock to another host.
func TestOfTwoControlPlanesThatBothHoldALockTheFirstWritesNoMoreAndEnds(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, lock string){
		"removed": func(t *testing.T, lock string) {
			if err := errors.Join(os.Remove(lock), os.WriteFile(lock, nil, 0o644)); err != nil {
				t.Fatal(err)
			}
		},
		"another's": func(t *testing.T, lock string) {
			if err := os.WriteFile(lock, []byte("77 on other since 2026-07-01T10:00:00.000Z\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.file("state/workers.yml", "workers: {pc-00: {hostname: pc-00}}\n")
			s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:00,pc-00\n")
			o, err := FromEnv(func(name string) (string, bool) { v, ok := s.env[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			cp, err := New(o, s.logger())
			if err != nil {
				t.Fatal(err)
			}
			before := s.written(t)
			lose(t, filepath.Join(s.home, "state/ipxe-cp.lock"))
			done := make(chan error, 1)
			go func() { done <- cp.Run(context.Background()) }()
			if res, err := http.Get("http://" + cp.Addr().String() + "/boot-vars?mac=52:54:00:00:00:00"); err == nil { // its time is not kept
				_ = res.Body.Close()
			}
			body := strings.NewReader(`{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
			res, err := http.Post("http://"+cp.Addr().String()+"/workers", "application/json", body)
			if err == nil {
				_ = res.Body.Close()
				if res.StatusCode != http.StatusServiceUnavailable {
					t.Errorf("a change is answered %s", res.Status)
				}
			}
			http.DefaultClient.CloseIdleConnections()
			if err := <-done; !errors.Is(err, onewriter.ErrLost) {
				t.Errorf("it ended with %v", err)
			}
			if got := s.written(t); got != before {
				t.Errorf("it wrote %s", got)
			}
		})
	}
}

// written is all that stands in the site's files, the lock's aside.
func (s *site) written(t *testing.T) (text string) {
	t.Helper()
	err := filepath.WalkDir(s.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "ipxe-cp.lock" {
			return err
		}
		content, err := os.ReadFile(path)
		text += path + ":\n" + string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
