//go:build integration

package torture

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// verify holds a control plane that was started after a crash against what was
// promised until a step. It returns what it shows.
func (s *site) verify(at int) (map[string]string, error) {
	if status, text, err := s.call("GET", "/readyz", "", nil); err != nil || status != 200 {
		return nil, fmt.Errorf("readyz: %d %s %v", status, text, err)
	}
	states, err := s.states()
	if err != nil {
		return nil, err
	}
	errs := []error{s.promises(states, at)}
	bound, err := s.bindings()
	errs = append(errs, err, s.agree(states, bound), s.nobodyTwice(), s.trail(at), s.tidy())
	return states, errors.Join(errs...)
}

func (s *site) promises(states map[string]string, at int) error {
	var errs []error
	for _, thing := range s.h.order {
		state, shown := states[thing]
		if !shown {
			state = absent
		}
		if allowed := s.h.allowed(thing, at); !slices.Contains(allowed, state) && !slices.Contains(allowed, unknown) {
			errs = append(errs, fmt.Errorf("%s is %s, promised was %q", thing, state, allowed))
		}
	}
	for thing, state := range states {
		if _, asked := s.h.things[thing]; asked || !strings.HasPrefix(thing, "worker/") {
			continue
		}
		var row struct{ Mac, Hostname string }
		_ = json.Unmarshal([]byte(state), &row)
		if _, asked := s.h.things["mac/"+row.Mac]; !asked {
			errs = append(errs, fmt.Errorf("nobody asked for %s: %s", thing, state))
		}
	}
	return errors.Join(errs...)
}

// bindings reads dhcp-hosts.conf as dnsmasq would, and takes no half line.
func (s *site) bindings() (bound map[string]string, err error) {
	text, err := os.ReadFile(filepath.Join(s.home, "dnsmasq/dhcp-hosts.conf"))
	if err != nil {
		return nil, err
	}
	bound, names := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		body, whole := strings.CutSuffix(line, "\n")
		if strings.HasPrefix(body, "#") {
			continue
		}
		mac, host, parts := strings.Cut(body, ",")
		if _, err := net.ParseMAC(mac); err != nil || !whole || !parts || host == "" || strings.ContainsAny(host, " ,\x00") {
			return nil, fmt.Errorf("dhcp-hosts.conf holds %q", line)
		}
		if bound[mac] != "" || names[host] {
			return nil, fmt.Errorf("dhcp-hosts.conf: %q stands twice", line)
		}
		bound[mac], names[host] = host, true
	}
	return bound, nil
}

// agree holds bindings and rows against each other: where they differ,
// reconcile must name it.
func (s *site) agree(states, bound map[string]string) error {
	differ := map[string]bool{} // what a finding must speak of
	hosts := map[string]bool{}
	for thing, state := range states {
		if !strings.HasPrefix(thing, "worker/") {
			continue
		}
		var row struct{ Mac, Hostname string }
		if err := json.Unmarshal([]byte(state), &row); err != nil {
			return err
		}
		hosts[row.Hostname] = true
		if row.Mac == "" {
			differ[row.Hostname] = true
		} else if bound[row.Mac] != row.Hostname {
			return fmt.Errorf("%s is shown with %s, which the file binds to %q", thing, row.Mac, bound[row.Mac])
		}
	}
	for _, host := range bound {
		if !hosts[host] {
			differ[host] = true
		}
	}
	if len(differ) == 0 {
		return nil
	}
	_, text, err := s.call("GET", "/reconcile", "", nil)
	for host := range differ {
		if err == nil && !strings.Contains(text, host) {
			err = fmt.Errorf("reconcile does not name %s: %s", host, text)
		}
	}
	return err
}

// nobodyTwice looks for two workers of one name, address or disk.
func (s *site) nobodyTwice() error {
	var rows []struct {
		WorkerID string `json:"worker_id"`
		Hostname string
		Mac      string
		Error    string
		Disks    []struct{ Agent, IQN string }
	}
	if _, _, err := s.call("GET", "/workers", "", &rows); err != nil {
		return err
	}
	seen := map[string]string{}
	for _, w := range rows {
		if w.Error != "" {
			return fmt.Errorf("worker %s: %s", w.WorkerID, w.Error)
		}
		keys := []string{"name " + w.Hostname}
		if w.Mac != "" {
			keys = append(keys, "address "+w.Mac)
		}
		for _, d := range w.Disks {
			keys = append(keys, "disk "+d.Agent+" "+d.IQN)
		}
		for _, k := range keys {
			if seen[k] != "" {
				return fmt.Errorf("%s and %s share %s", seen[k], w.WorkerID, k)
			}
			seen[k] = w.WorkerID
		}
	}
	return nil
}

// trail reads the whole audit: ids rise by one, every start has its end, and
// there is no less than what was acknowledged.
func (s *site) trail(at int) error {
	open, since, begun := map[int64]bool{}, int64(0), 0
	for {
		var page struct {
			NextCursor int64 `json:"next_cursor"`
			Entries    []struct {
				ID, Ref    int64
				Op, Status string
			}
		}
		path := fmt.Sprintf("/operations?since=%d&limit=10000", since)
		if status, text, err := s.call("GET", path, "", &page); err != nil || status != 200 {
			return fmt.Errorf("%s: %d %s %v", path, status, text, err)
		}
		if len(page.Entries) == 0 {
			break
		}
		for _, e := range page.Entries {
			if since++; e.ID != since {
				return fmt.Errorf("the trail goes from %d to %d", since-1, e.ID)
			}
			switch e.Status {
			case "started":
				open[e.ID] = true
				begun++
			case "succeeded", "failed", "interrupted":
				delete(open, e.Ref)
			case "ok":
				begun++
			default:
				return fmt.Errorf("entry %d has status %q", e.ID, e.Status)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%d starts have no end in the trail", len(open))
	}
	if want := s.h.acknowledged(at); begun < want {
		return fmt.Errorf("the trail tells of %d changes, and %d were acknowledged", begun, want)
	}
	return nil
}

// tidy looks for what an unfinished write left.
func (s *site) tidy() error {
	return filepath.WalkDir(s.home, func(path string, e os.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".tmp") || strings.HasSuffix(path, "journal")) {
			return fmt.Errorf("%s is left", path)
		}
		return err
	})
}

// revive starts the control plane on what a crash left and verifies it.
func (s *site) revive(at int) (map[string]string, error) {
	d, err := start(s.t, s.plan())
	if err != nil {
		return nil, err
	}
	s.daemon = d
	states, err := s.verify(at)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, d.log)
	}
	return states, err
}
