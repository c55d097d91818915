package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ipxe-all-ready/internal/certs/certstest"
)

// roleEnv makes this test binary the daemon, as who starts it or as nobody.
const roleEnv = "IPXE_TEST_ROLE"

const nobody = 65534

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "daemon":
		main()
	case "nobody":
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			panic(err)
		}
		main()
	default:
		os.Exit(m.Run())
	}
}

// ended starts the daemon and is the status with which its start ended, and what
// it said. As nobody it is in a network of its own, with the kernel's defaults.
func ended(t *testing.T, role string, env ...string) (status int, said string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), roleEnv+"="+role), env...)
	if role == "nobody" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("%v: %s", err, out)
	}
	return exit.ExitCode(), string(out)
}

func TestAStartThatSettingsPreventEndsWithTheStatusOfAWrongConfiguration(t *testing.T) {
	dir := t.TempDir()
	good, other := certstest.In(dir, "agent"), certstest.In(dir, "other")
	a := certstest.New(t, "site")
	a.Issue(good, "agent")
	a.Issue(other, "other")
	broken := filepath.Join(dir, "broken.pem")
	if err := os.WriteFile(broken, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := func(cert, key string) []string {
		return []string{"IPXE_AGENT_TLS_CERT=" + cert, "IPXE_AGENT_TLS_KEY=" + key}
	}
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"a variable":                   {[]string{"IPXE_CLONE_WORKERS=many"}, "IPXE_CLONE_WORKERS"},
		"a certificate that is none":   {shown(broken, good.Key), "IPXE_AGENT_TLS_CERT"},
		"a certificate that is absent": {shown(filepath.Join(dir, "x"), good.Key), "IPXE_AGENT_TLS_CERT"},
		"another certificate's key":    {shown(good.Cert, other.Key), "IPXE_AGENT_TLS_CERT"},
		"authorities of callers":       {append(shown(good.Cert, good.Key), "IPXE_AGENT_TLS_CLIENT_CA="+broken), "IPXE_AGENT_TLS_CLIENT_CA"},
	} {
		t.Run(name, func(t *testing.T) {
			if status, said := ended(t, "daemon", append(settings(dir), c.env...)...); status != 78 || !strings.Contains(said, c.says) {
				t.Errorf("status %d: %s", status, said)
			}
		})
	}
}

func settings(dir string) []string {
	return []string{"IPXE_AGENT_LISTEN=127.0.0.1:0", "IPXE_AGENT_TOKEN=a-token-of-some-length", "IPXE_DISK_DIR=" + filepath.Join(dir, "images"),
		"IPXE_LOG_FILE=" + filepath.Join(dir, "agent.jsonl"), "IPXE_IQN_BASE=iqn.2026-07.com.controller", "IPXE_BACKEND=lio", "IPXE_LIO_ROOT=" + filepath.Join(dir, "target")}
}

func TestAPortThatTheUserMayNotHaveIsAWrongConfigurationAndATakenOneIsNot(t *testing.T) {
	dir, role := t.TempDir(), "daemon"
	if os.Getuid() == 0 { // to root no port is refused
		role = "nobody"
		if err := errors.Join(os.Chown(dir, nobody, nobody), os.Chown(filepath.Dir(dir), nobody, nobody)); err != nil {
			t.Fatal(err)
		}
	}
	if status, said := ended(t, role, append(settings(dir), "IPXE_AGENT_LISTEN=:80")...); status != 78 || !strings.Contains(said, "permission denied") {
		t.Errorf("status %d: %s", status, said)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if status, said := ended(t, "daemon", append(settings(dir), "IPXE_AGENT_LISTEN="+taken.Addr().String())...); status != 1 || !strings.Contains(said, "address already in use") {
		t.Errorf("status %d: %s", status, said)
	}
}
