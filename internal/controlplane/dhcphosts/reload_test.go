package dhcphosts

import (
	"context"
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
		fmt.Sprint(other): fmt.Sprintf(`process %d is "apache2" and not dnsmasq: the pid file is stale`, other),
		"4194304":         "process 4194304 does not run: the pid file is stale",
		"":                `"" is no process number`,
		"-1":              `"-1" is no process number`,
		"0":               `"0" is no process number`,
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
