//go:build integration

package torture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long what takes a blink may take on a host that is busy with
// other things.
const patience = time.Minute

// built is where the programs are, for whoever clears up.
var built string

var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "torture-bin")
	built = dir
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // one of them runs as nobody
		return "", err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-o", dir+"/", "./cmd/ipxe-cp", "./cmd/ipxe-agent")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as they are shipped
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return dir, nil
})

// daemon is one of the two programs, as it is shipped.
type daemon struct {
	url    string
	cmd    *exec.Cmd
	warden *warden // nil: nobody watches
	log    *lines
	ended  chan struct{}
}

// lines are what a daemon said, for whoever has to find out why.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// plan says how a daemon is started.
type plan struct {
	program string
	root    string // its files, for the warden
	env     []string
	judge   judge
	watch   bool
	keep    bool // the steps
	uid     uint32
}

var listening = regexp.MustCompile(`msg=listening address=(\S+)`)

// start runs a daemon until it answers; an error tells that it ended instead.
func start(t testing.TB, p plan) (*daemon, error) {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, p.program))
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, p.env...)
	cmd.Dir = "/"
	if p.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: p.uid, Gid: p.uid}}
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{cmd: cmd, log: &lines{}, ended: make(chan struct{})}
	if p.watch {
		x := imprison(t, p.root, p.judge, p.keep, cmd)
		d.warden = x.warden
	} else if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		defer close(d.ended)
		in := bufio.NewScanner(errs)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			d.log.mu.Lock()
			d.log.text.WriteString(in.Text() + "\n")
			d.log.mu.Unlock()
			if m := listening.FindStringSubmatch(in.Text()); m != nil {
				select {
				case address <- m[1]:
				default:
				}
			}
		}
		_ = cmd.Wait()
	}()
	t.Cleanup(d.kill)
	select {
	case at := <-address:
		d.url = "http://" + at
		return d, nil
	case <-d.ended:
		return d, fmt.Errorf("%s ended: %s", p.program, d.log)
	case <-time.After(patience):
		d.kill()
		return d, fmt.Errorf("%s does not listen: %s", p.program, d.log)
	}
}

// kill is kill -9; it has happened when it returns.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill()
	<-d.ended
}

// stop is an orderly end.
func (d *daemon) stop() {
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.ended:
	case <-time.After(patience):
		d.kill()
	}
}

func (d *daemon) dead() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

// calls never use a connection twice: after a kill it would be half dead.
var calls = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

const token = "a-token-for-torture-0123456789ab"

// call is one request; an error means that no whole answer came.
func (d *daemon) call(method, path, body string, into any) (status int, text string, err error) {
	req, err := http.NewRequest(method, d.url+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := calls.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", err
	}
	if into != nil && res.StatusCode/100 == 2 {
		if err := json.Unmarshal(answer, into); err != nil {
			return res.StatusCode, string(answer), fmt.Errorf("%s %s: %w: %s", method, path, err, answer)
		}
	}
	return res.StatusCode, string(answer), nil
}

// quick is a folder in memory: a flush costs nothing there, and the model tells
// what it would have meant.
func quick(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "torture")
	if err != nil {
		dir, err = os.MkdirTemp("", "torture")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
