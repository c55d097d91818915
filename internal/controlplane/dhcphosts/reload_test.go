package dhcphosts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asDnsmasq, in the environment, makes this test binary wait for SIGHUP.
const asDnsmasq = "DHCPHOSTS_TEST_DNSMASQ"

func TestMain(m *testing.M) {
	if os.Getenv(asDnsmasq) == "" {
		os.Exit(m.Run())
	}
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	fmt.Println("ready")
	go func() { io.Copy(io.Discard, os.Stdin); os.Exit(1) }()
	<-hup
	fmt.Println("reloaded")
}

// start runs this test binary under another name.
func start(t *testing.T, name string) (pid int, out io.Reader) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, self, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), asDnsmasq+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err = cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	expect(t, out, "ready\n")
	return cmd.Process.Pid, out
}

func expect(t *testing.T, r io.Reader, want string) {
	t.Helper()
	b := make([]byte, len(want))
	if _, err := io.ReadFull(r, b); err != nil || string(b) != want {
		t.Fatalf("got %q, %v", b, err)
	}
}

func pidFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dnsmasq.pid")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheProcessOfThePidFileIsSignalled(t *testing.T) {
	pid, out := start(t, "dnsmasq")
	if err := PIDFile(pidFile(t, fmt.Sprintln(pid)))(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, out, "reloaded\n")
}

func TestAStalePidFileSignalsNobody(t *testing.T) {
	other, _ := start(t, "apache2")
	for content, want := range map[string]string{
		fmt.Sprint(other):                 fmt.Sprintf(`process %d is "apache2" and not dnsmasq: the pid file is stale`, other),
		"4194304":                         "process 4194304 does not run: the pid file is stale",
		"":                                `"" is no process number`,
		"-1":                              `"-1" is no process number`,
		"0":                               `"0" is no process number`,
		"+7":                              `"+7" is no process number`,
		"1 2":                             `"1 2" is no process number`,
		"\x00\x00":                        `"\x00\x00" is no process number`,
		"dnsmasq":                         `"dnsmasq" is no process number`,
		"99999999999":                     `"99999999999" is no process number`,
		"7" + strings.Repeat("\n", 1<<20): `"7\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n" is no process number`,
		fmt.Sprint(os.Getpid()):           fmt.Sprintf(`process %d is %q and not dnsmasq: the pid file is stale`, os.Getpid(), self(t)),
	} {
		path := pidFile(t, content)
		err := PIDFile(path)(context.Background())
		if err == nil || err.Error() != "reload dnsmasq by pid file "+path+": "+want {
			t.Errorf("%q: %v", content, err)
		}
	}
	if err := PIDFile("/nonexistent/pid")(context.Background()); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("err = %v", err)
	}
	if err := syscall.Kill(other, 0); err != nil {
		t.Errorf("the other process is gone: %v", err)
	}
}

// self is what the kernel calls this process.
func self(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(b), "\n")
}

func TestAPidFileThatIsNoFileSignalsNobodyAndHoldsNothingUp(t *testing.T) {
	dir := t.TempDir()
	pipe, loop, huge := filepath.Join(dir, "pipe"), filepath.Join(dir, "loop"), filepath.Join(dir, "huge")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o644), os.Symlink(loop, loop), os.WriteFile(huge, nil, 0o644), os.Truncate(huge, 1<<40)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "not a regular file", dir: "not a regular file", loop: "too many levels of symbolic links",
		huge: "is no process number", "/dev/zero": "not a regular file"} {
		if err := PIDFile(path)(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAPidFileBehindASymbolicLinkIsRead(t *testing.T) {
	pid, out := start(t, "dnsmasq")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(pidFile(t, fmt.Sprint(pid)), link); err != nil {
		t.Fatal(err)
	}
	if err := PIDFile(link)(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect(t, out, "reloaded\n")
}

// TestAProcessThatOnlyBearsTheNameLives is of programs that SIGHUP would end.
func TestAProcessThatOnlyBearsTheNameLives(t *testing.T) {
	script := filepath.Join(t.TempDir(), "dnsmasq")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho ready\nread line\necho alive\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	expect(t, out, "ready\n")
	err := PIDFile(pidFile(t, fmt.Sprint(cmd.Process.Pid)))(context.Background())
	if err == nil || !strings.HasSuffix(err.Error(), "calls itself dnsmasq and does not catch SIGHUP, which would end it") {
		t.Errorf("err = %v", err)
	}
	_, _ = io.WriteString(in, "\n")
	expect(t, out, "alive\n")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestADnsmasqThatEndedAndWasNotReapedIsNoDnsmasq(t *testing.T) {
	pid, _ := start(t, "dnsmasq")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	file := pidFile(t, fmt.Sprint(pid))
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(b), ") Z ") {
			break
		}
	}
	if err := PIDFile(file)(context.Background()); err == nil || !strings.HasSuffix(err.Error(), "has ended: the pid file is stale") {
		t.Errorf("err = %v", err)
	}
}

func TestNamesThatAreAlmostDnsmasqAreNot(t *testing.T) {
	for _, name := range []string{"dnsmasq2", "dnsmasq ", "xdnsmasq", "DNSMASQ", "dnsmasq\\nSigCgt:"} {
		if err := hearsHangUp(7, []byte("Name:\t"+name+"\nState:\tS (sleeping)\nSigCgt:\t0000000000000001\n")); err == nil {
			t.Errorf("%q is taken for dnsmasq", name)
		}
	}
	for _, caught := range []string{"", "0000000000000000", "x", "fffffffffffffffe"} {
		if err := hearsHangUp(7, []byte("Name:\tdnsmasq\nState:\tS (sleeping)\nSigCgt:\t"+caught+"\n")); err == nil {
			t.Errorf("%q catches SIGHUP", caught)
		}
	}
}

func FuzzNoPidFileAndNoStatusIsMisread(f *testing.F) {
	f.Add([]byte("4711\n"), []byte("Name:\tdnsmasq\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t1\nSigCgt:\t0000000180016aef\n"))
	f.Add([]byte("-1"), []byte("Name:\tdnsmasq\\n\nState:\tZ (zombie)\n"))
	f.Add([]byte("0"), []byte(""))
	f.Fuzz(func(t *testing.T, file, status []byte) {
		if pid, err := parsePID(file); err == nil && (pid <= 0 || strings.Trim(string(bytes.TrimSpace(file)), "0123456789") != "") {
			t.Errorf("%q is %d", file, pid)
		}
		if hearsHangUp(7, status) == nil && !(bytes.Contains(status, []byte("Name:")) && bytes.Contains(status, []byte("SigCgt:"))) {
			t.Errorf("%q hears", status)
		}
	})
}

func TestADockerThatTalksNonsenseIsRefusedAndBounded(t *testing.T) {
	for name, answer := range map[string]string{
		"no HTTP":        "SSH-2.0-x\r\n",
		"nothing":        "",
		"half":           "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"Processes\":[[\"dnsmasq\"]]",
		"no JSON":        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n<>",
		"other types":    "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"Processes\":17}",
		"null":           "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull",
		"empty rows":     "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"Processes\":[[],[]]}",
		"a redirect":     "HTTP/1.1 302 Found\r\nLocation: /containers/x/top\r\nContent-Length: 0\r\n\r\n",
		"a long refusal": "HTTP/1.1 500 Oops\r\nContent-Length: 200014\r\n\r\n{\"message\":\"" + strings.Repeat("x", 200_000) + "\"}",
		"endless":        "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + strings.Repeat(" ", 3_000_000),
	} {
		socket := filepath.Join(t.TempDir(), "docker.sock")
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					buf := make([]byte, 4096)
					_, _ = c.Read(buf)
					_, _ = io.WriteString(c, answer)
				}()
			}
		}()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		if err := Container(socket, "dhcp")(ctx); err == nil || ctx.Err() != nil || len(err.Error()) > 3000 {
			t.Errorf("%s: %.300v", name, err)
		}
		cancel()
		l.Close()
	}
}

// engine is a Docker engine that knows one container.
func engine(t *testing.T, handler http.Handler) (socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "docker.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: handler}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return socket
}

func TestTheContainerIsSignalledWhenDnsmasqRunsInIt(t *testing.T) {
	var calls []string
	command, kill := "/usr/sbin/dnsmasq -k", http.StatusNoContent
	socket := engine(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.Method+" "+r.URL.RequestURI())
		switch {
		case !strings.HasPrefix(r.URL.Path, "/containers/dhcp/"):
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"message":"No such container: nope"}`)
		case strings.HasSuffix(r.URL.Path, "/top"):
			fmt.Fprintf(w, `{"Titles":["PID","CMD"],"Processes":[["7","tini"],["8",%q]]}`, command)
		default:
			w.WriteHeader(kill)
		}
	}))
	reload := Container(socket, "dhcp")
	if err := reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(calls, ", "); got != "GET /containers/dhcp/top, POST /containers/dhcp/kill?signal=HUP" {
		t.Errorf("calls: %s", got)
	}
	wants := func(r Reloader, want string) {
		t.Helper()
		if err := r(context.Background()); err == nil || err.Error() != want {
			t.Errorf("err = %v, want %s", err, want)
		}
	}
	wants(Container(socket, "nope"), `reload dnsmasq in container "nope": docker refuses: No such container: nope`)
	kill = http.StatusConflict
	wants(reload, `reload dnsmasq in container "dhcp": docker refuses: 409 Conflict`)
	command = "postgres"
	wants(reload, `reload dnsmasq in container "dhcp": no dnsmasq runs in it`)
}

func TestADockerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	release := make(chan struct{})
	socket := engine(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer close(release)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := Container(socket, "dhcp")(ctx); err == nil || !strings.Contains(err.Error(), "deadline exceeded") {
		t.Errorf("err = %v", err)
	}
}
