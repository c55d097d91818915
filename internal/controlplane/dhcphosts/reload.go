package dhcphosts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// Reloader makes dnsmasq read its hosts file again. It obeys ctx. A nil
// Reloader stands for reloading being off.
type Reloader func(ctx context.Context) error

// PIDFile sends SIGHUP to the process whose number stands in file, if that is
// a dnsmasq.
func PIDFile(file string) Reloader {
	return func(context.Context) error {
		if err := send(file, unix.SIGHUP); err != nil {
			return fmt.Errorf("reload dnsmasq by pid file %s: %w", file, err)
		}
		return nil
	}
}

// TryPIDFile reports why PIDFile would fail, and signals nobody.
func TryPIDFile(file string) error { return send(file, 0) }

// send signals s; the zero signal asks whether it might.
func send(file string, s unix.Signal) error {
	pid, err := readPID(file)
	if err != nil {
		return err
	}
	// The descriptor is taken before the name is looked at: whatever happens to
	// the number meanwhile, the signal reaches that very process or nobody.
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("process %d does not run: the pid file is stale", pid)
	}
	if err != nil {
		return fmt.Errorf("open process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return fmt.Errorf("look at process %d: %w", pid, err)
	}
	if err := hearsHangUp(pid, status); err != nil {
		return err
	}
	if err := unix.PidfdSendSignal(fd, s, nil, 0); err != nil {
		return fmt.Errorf("signal process %d: %w", pid, err)
	}
	return nil
}

// longestPID is more than a pid file with its newline has, in bytes.
const longestPID = 64

func readPID(file string) (pid int, err error) {
	f, err := atomicfile.Open(file, os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, longestPID+1))
	if err != nil {
		return 0, err
	}
	return parsePID(content)
}

// parsePID reads a positive decimal number with white space around it.
func parsePID(content []byte) (pid int, err error) {
	text := string(bytes.TrimSpace(content))
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 || len(content) > longestPID {
		return 0, fmt.Errorf("%.20q is no process number", content)
	}
	return int(n), nil
}

// hearsHangUp reads /proc/<pid>/status. A name alone can be anybody's, a script's
// too: what does not catch SIGHUP is ended by it, and a zombie hears nothing.
//
//	Name:	dnsmasq
//	State:	S (sleeping)
//	…
//	SigCgt:	0000000180016aef
func hearsHangUp(pid int, status []byte) error {
	name, _ := statusField(status, "Name")
	if name != "dnsmasq" {
		return fmt.Errorf("process %d is %q and not dnsmasq: the pid file is stale", pid, name)
	}
	if state, _ := statusField(status, "State"); strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X") {
		return fmt.Errorf("process %d, dnsmasq, has ended: the pid file is stale", pid)
	}
	caught, _ := statusField(status, "SigCgt")
	mask, err := strconv.ParseUint(caught, 16, 64)
	if err != nil || mask&(1<<(unix.SIGHUP-1)) == 0 {
		return fmt.Errorf("process %d calls itself dnsmasq and does not catch SIGHUP, which would end it", pid)
	}
	return nil
}

// statusField is the value of one line of /proc/<pid>/status. The kernel
// escapes a newline in a process's name, so that no name makes a line.
func statusField(status []byte, key string) (value string, ok bool) {
	for line := range strings.Lines(string(status)) {
		if k, v, found := strings.Cut(line, ":"); found && k == key {
			return strings.TrimSuffix(strings.TrimPrefix(v, "\t"), "\n"), true
		}
	}
	return "", false
}

// DockerSocket is where a Docker engine listens.
const DockerSocket = "/var/run/docker.sock"

// Container has the Docker engine behind socket send SIGHUP to the container
// name, if a dnsmasq runs in it.
func Container(socket, name string) Reloader {
	c := newContainer(socket, name)
	return func(ctx context.Context) error {
		if err := c.hangUp(ctx); err != nil {
			return fmt.Errorf("reload dnsmasq in container %q: %w", name, err)
		}
		return nil
	}
}

// TryContainer reports why Container would fail, and signals nobody.
func TryContainer(ctx context.Context, socket, name string) error {
	return newContainer(socket, name).look(ctx)
}

func newContainer(socket, name string) container {
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	return container{client, "http://docker/containers/" + url.PathEscape(name)}
}

type container struct {
	client *http.Client
	url    string
}

func (c container) hangUp(ctx context.Context) error {
	if err := c.look(ctx); err != nil {
		return err
	}
	_, err := c.ask(ctx, http.MethodPost, "/kill?signal=HUP")
	return err
}

// look finds out whether a dnsmasq runs in it.
func (c container) look(ctx context.Context) error {
	body, err := c.ask(ctx, http.MethodGet, "/top")
	if err != nil {
		return err
	}
	// {"Titles":["UID","PID",…,"CMD"],"Processes":[["root","4711",…,"dnsmasq -k"]]}
	var top struct{ Processes [][]string }
	if err := json.Unmarshal(body, &top); err != nil {
		return fmt.Errorf("read its processes: %w", err)
	}
	if !slices.ContainsFunc(top.Processes, runsDnsmasq) {
		return errors.New("no dnsmasq runs in it")
	}
	return nil
}

// runsDnsmasq looks at the words of a row's command, the last column.
func runsDnsmasq(row []string) bool {
	return len(row) > 0 && slices.ContainsFunc(strings.Fields(row[len(row)-1]), func(word string) bool {
		return path.Base(word) == "dnsmasq"
	})
}

func (c container) ask(ctx context.Context, method, what string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+what, nil)
	if err != nil {
		return nil, err
	}
	res, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		return body, nil
	}
	var refusal struct{ Message string }
	if json.Unmarshal(body, &refusal) != nil || refusal.Message == "" {
		refusal.Message = res.Status
	}
	return nil, fmt.Errorf("docker refuses: %s", fault.ClipWords(refusal.Message))
}
