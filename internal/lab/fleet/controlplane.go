package fleet

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"ipxe-all-ready/internal/lab"
)

// ControlPlane is a real ipxe-cp process on the loopback address.
type ControlPlane struct {
	URL  string
	Home string
	PID  int
	log  string
	cmd  *exec.Cmd
	done chan struct{}
}

var listening = regexp.MustCompile(`msg=listening address=(\S+)`)

// StartControlPlane runs the program on the files in home and waits until it
// answers. The environment is env and nothing else. Its log is home/ipxe-cp.log.
func StartControlPlane(program, home string, env ...string) (*ControlPlane, error) {
	p := &ControlPlane{Home: home, log: filepath.Join(home, "ipxe-cp.log"), done: make(chan struct{})}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd = exec.Command(program)
	p.cmd.Env = append([]string{"IPXE_CP_HOME=" + home, "IPXE_CP_LISTEN=127.0.0.1:0"}, env...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	// If we are killed, so is it; a terminal's interrupt is ours to pass on.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w; make build makes it", err)
	}
	p.PID = p.cmd.Process.Pid
	go func() { _ = p.cmd.Wait(); close(p.done) }()
	if err := lab.Poll(time.Minute, p.answers); err != nil {
		return nil, errors.Join(err, p.Kill())
	}
	return p, nil
}

// answers finds the address in the log and asks there.
func (p *ControlPlane) answers() error {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err
	}
	m := listening.FindSubmatch(text)
	if m == nil {
		return fmt.Errorf("ipxe-cp does not listen: %s", text)
	}
	p.URL = "http://" + string(m[1])
	resp, err := http.Get(p.URL + "/readyz")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ipxe-cp is not ready: %s: %s", resp.Status, text)
	}
	return nil
}

// Stop asks it to end and waits; an unclean end is an error.
func (p *ControlPlane) Stop() error {
	if err := p.end(syscall.SIGTERM); err != nil {
		return err
	}
	if !p.cmd.ProcessState.Success() {
		text, _ := os.ReadFile(p.log)
		return fmt.Errorf("ipxe-cp: %s: %s", p.cmd.ProcessState, text[max(0, len(text)-1000):])
	}
	return nil
}

// Kill ends it as a power failure would.
func (p *ControlPlane) Kill() error { return p.end(syscall.SIGKILL) }

func (p *ControlPlane) end(by syscall.Signal) error {
	if err := p.cmd.Process.Signal(by); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(30 * time.Second):
		return fmt.Errorf("ipxe-cp, process %d, does not end", p.PID)
	}
}
