//go:build integration

package torture

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// misfortune is what happens to the folder of a site that runs, for real.
type misfortune struct {
	name       string
	uid        uint32
	running    bool // only while it runs: an empty folder is a new site to a start
	hurt, heal func(t *testing.T, home string) error
}

func mount(args ...string) error {
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("mount %q: %w: %s", args, err, out)
	}
	return nil
}

func unmount(t *testing.T, dir string) error {
	if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("umount %s: %w: %s", dir, err, out)
	}
	return nil
}

const nobody = 65534

func misfortunes() []misfortune {
	folders := []string{"", "state", "config", "dnsmasq"}
	modes := func(home string, uid int, mode os.FileMode) (err error) {
		for _, f := range folders {
			dir := filepath.Join(home, f)
			err = errors.Join(err, os.Chown(dir, uid, uid), os.Chmod(dir, mode))
		}
		return errors.Join(err, os.Chmod(filepath.Join(home, "dnsmasq/dhcp-hosts.conf"), mode&^0o111))
	}
	return []misfortune{
		{name: "the disk is full",
			hurt: func(t *testing.T, home string) error {
				f, err := os.Create(filepath.Join(home, "filler"))
				if err != nil {
					return err
				}
				defer f.Close()
				for {
					if _, err := f.Write(make([]byte, 512)); err != nil {
						return nil // to the brim
					}
				}
			},
			heal: func(t *testing.T, home string) error { return os.Remove(filepath.Join(home, "filler")) }},
		{name: "the file system turns read-only",
			hurt: func(t *testing.T, home string) error {
				return errors.Join(mount("--bind", home, home), mount("-o", "remount,bind,ro", home))
			},
			heal: func(t *testing.T, home string) error { return unmount(t, home) }},
		{name: "the permission is taken", uid: nobody,
			hurt: func(t *testing.T, home string) error { return modes(home, 0, 0o555) },
			heal: func(t *testing.T, home string) error { return modes(home, nobody, 0o755) }},
		{name: "the folder is moved away", running: true,
			hurt: func(t *testing.T, home string) error { return os.Rename(home+"/state", home+"/moved") },
			heal: func(t *testing.T, home string) error {
				return errors.Join(os.RemoveAll(home+"/state"), os.Rename(home+"/moved", home+"/state"))
			}},
		{name: "an empty folder is seen in its place", running: true,
			hurt: func(t *testing.T, home string) error {
				return mount("-t", "tmpfs", "-o", "size=1M", "tmpfs", home+"/state")
			},
			heal: func(t *testing.T, home string) error { return unmount(t, home+"/state") }},
	}
}

func TestNoMisfortuneOfTheFolderLosesWhatWasAcknowledged(t *testing.T) {
	for _, m := range misfortunes() {
		for _, restart := range []bool{false, true} {
			name := m.name
			if restart && m.running {
				continue
			}
			if restart {
				name += ", and the daemon is killed and started in it"
			}
			t.Run(name, func(t *testing.T) {
				for range max(1, intensity(1)/100) {
					err := suffer(t, m, restart)
					tried(t, "control plane: "+name, err != nil)
					if err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

func suffer(t *testing.T, m misfortune, restart bool) (err error) {
	home := filepath.Join(quick(t), "home")
	if err := errors.Join(os.Chmod(filepath.Dir(home), 0o755), os.Mkdir(home, 0o755)); err != nil {
		return err
	}
	if err := mount("-t", "tmpfs", "-o", "size=640k", "tmpfs", home); err != nil {
		return err
	}
	s := newSite(t, home)
	defer func() { err = errors.Join(err, s.leave(t)) }()
	p := s.plan()
	p.uid = m.uid
	if err := os.Chown(home, int(m.uid), int(m.uid)); err != nil {
		return err
	}
	if s.daemon, err = start(t, p); err != nil {
		return err
	}
	s.calm = true
	acts := s.script()
	for _, act := range acts[:8] {
		act()
	}
	s.calm = false
	if err := m.hurt(t, home); err != nil {
		return err
	}
	if restart {
		s.kill()
		d, err := start(t, p)
		if err == nil {
			s.daemon = d
		}
	}
	if !s.dead() {
		if status, text, err := s.call("GET", "/boot-vars?mac=52:54:00:00:00:01", "", nil); !restart && (err != nil || !strings.Contains(text, "set hostname worker-01\n")) {
			s.wrong("a known machine boots %d %s %v", status, text, err)
		}
		for _, act := range acts[8:14] {
			act()
		}
	}
	if err := m.heal(t, home); err != nil {
		return err
	}
	if restart { // what it made of an empty folder is not the site's
		s.kill()
		if s.daemon, err = start(t, p); err != nil {
			return err
		}
	}
	if err := s.ready(); err != nil {
		return err
	}
	s.calm = true
	s.do("POST", "/workers", `{"worker_id":"pc-9","mac":"52:54:00:00:09:09"}`, "worker/pc-9")
	s.boot("52:54:00:00:09:11")
	s.kill()
	_, err = s.revive(0)
	return errors.Join(s.trouble(), err, s.storage())
}

// ready waits until the control plane says so.
func (s *site) ready() error {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		status, text, err := s.call("GET", "/readyz", "", nil)
		if err == nil && status == 200 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("it does not get ready: %d %s %v\n%s", status, text, err, s.log)
		}
	}
}

// leave ends the daemon and takes the mounts away.
func (s *site) leave(t *testing.T) error {
	if s.daemon != nil {
		s.kill()
	}
	_ = exec.Command("umount", s.home+"/state").Run() // where something failed in between
	for range 3 {
		if err := unmount(t, s.home); err != nil {
			return err
		}
		if !mounted(s.home) {
			return nil
		}
	}
	return fmt.Errorf("%s is still mounted", s.home)
}

func mounted(dir string) bool {
	text, err := os.ReadFile("/proc/self/mounts")
	return err == nil && strings.Contains(string(text), " "+dir+" ")
}
