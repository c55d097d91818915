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
	home := t.TempDir()
	good, other := certstest.In(home, "cp"), certstest.In(home, "other")
	a := certstest.New(t, "site")
	a.Issue(good, "cp")
	a.Issue(other, "other")
	broken := filepath.Join(home, "broken.pem")
	if err := os.WriteFile(broken, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := func(cert, key string) []string {
		return []string{"IPXE_CP_TLS_CERT=" + cert, "IPXE_CP_TLS_KEY=" + key, "IPXE_CP_BOOT_LISTEN=127.0.0.1:0"}
	}
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"a variable":                   {[]string{"IPXE_CP_AGENT_PARALLEL=many"}, "IPXE_CP_AGENT_PARALLEL"},
		"a certificate that is none":   {shown(broken, good.Key), "IPXE_CP_TLS_CERT"},
		"a certificate that is absent": {shown(filepath.Join(home, "x"), good.Key), "IPXE_CP_TLS_CERT"},
		"another certificate's key":    {shown(good.Cert, other.Key), "IPXE_CP_TLS_CERT"},
		"authorities of nodes":         {[]string{"IPXE_CP_AGENT_TLS_CA=" + broken}, "IPXE_CP_AGENT_TLS_CA"},
		"a certificate for nodes":      {[]string{"IPXE_CP_AGENT_TLS_CERT=" + broken, "IPXE_CP_AGENT_TLS_KEY=" + good.Key}, "IPXE_CP_AGENT_TLS_CERT"},
	} {
		t.Run(name, func(t *testing.T) {
			env := append([]string{"IPXE_CP_HOME=" + home, "IPXE_CP_LISTEN=127.0.0.1:0"}, c.env...)
			if status, said := ended(t, "daemon", env...); status != 78 || !strings.Contains(said, c.says) {
				t.Errorf("status %d: %s", status, said)
			}
		})
	}
}

func TestAPortThatTheUserMayNotHaveIsAWrongConfigurationAndATakenOneIsNot(t *testing.T) {
	home, role := t.TempDir(), "daemon"
	if os.Getuid() == 0 { // to root no port is refused
		role = "nobody"
		if err := errors.Join(os.Chown(home, nobody, nobody), os.Chown(filepath.Dir(home), nobody, nobody)); err != nil {
			t.Fatal(err)
		}
	}
	if status, said := ended(t, role, append([]string{"IPXE_CP_HOME=" + home}, "IPXE_CP_LISTEN=:80")...); status != 78 || !strings.Contains(said, "permission denied") {
		t.Errorf("status %d: %s", status, said)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if status, said := ended(t, "daemon", append([]string{"IPXE_CP_HOME=" + home}, "IPXE_CP_LISTEN="+taken.Addr().String())...); status != 1 || !strings.Contains(said, "address already in use") {
		t.Errorf("status %d: %s", status, said)
	}
}
