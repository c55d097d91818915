package controlplane

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// roleEnv makes this test binary play a program of its own, so that it can be
// signalled and killed like one.
const roleEnv = "IPXE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "dnsmasq":
		countHangups()
	case "ipxe-cp":
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// countHangups says "hup" for every SIGHUP, until its standard input closes.
func countHangups() {
	hups := make(chan os.Signal, 1024)
	signal.Notify(hups, syscall.SIGHUP)
	fmt.Println("ready")
	go func() {
		for range hups {
			fmt.Println("hup")
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// serve is ipxe-cp that says where it listens.
func serve() error {
	o, err := FromEnv(os.LookupEnv)
	if err != nil {
		return err
	}
	cp, err := Start(context.Background(), o, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: o.LogLevel})))
	if err != nil {
		return err
	}
	fmt.Println(cp.Addr())
	return cp.Run(context.Background())
}

// program is this test binary in a role.
type program struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func play(t *testing.T, path, role string, env ...string) *program {
	t.Helper()
	cmd := exec.Command(path)
	cmd.Env = append(append(os.Environ(), roleEnv+"="+role), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &program{cmd: cmd, lines: bufio.NewScanner(out)}
}

func (p *program) line(t *testing.T) string {
	t.Helper()
	if !p.lines.Scan() {
		t.Fatalf("the program ended: %v", p.lines.Err())
	}
	return p.lines.Text()
}

// kill is a kill -9 that has happened when it returns.
func (p *program) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // it says that the process was killed
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// fakeDNSMasq is a process that is named dnsmasq and counts hang-ups. The pid
// file it returns names it; hangups ends it and says how many it got.
func fakeDNSMasq(t *testing.T) (pidFile string, hangups func() int) {
	t.Helper()
	dir := t.TempDir()
	named := filepath.Join(dir, "dnsmasq")
	if err := os.Symlink(self(t), named); err != nil {
		t.Fatal(err)
	}
	p := play(t, named, "dnsmasq")
	if got := p.line(t); got != "ready" {
		t.Fatalf("it said %q", got)
	}
	pidFile = filepath.Join(dir, "dnsmasq.pid")
	if err := os.WriteFile(pidFile, []byte(strconv.Itoa(p.cmd.Process.Pid)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return pidFile, func() (n int) {
		_ = p.cmd.Process.Kill()
		for p.lines.Scan() {
			if strings.TrimSpace(p.lines.Text()) == "hup" {
				n++
			}
		}
		return n
	}
}
