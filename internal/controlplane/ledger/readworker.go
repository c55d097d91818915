package ledger

import (
	"fmt"
	"path"

	"gopkg.in/yaml.v3"

	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// readWorkers reads all rows. With a flaw the list still holds every row, the
// unreadable ones as Broken.
func readWorkers(rows []field) (list []*Worker, first error) {
	list = eachWorker(rows, func(err error) {
		if first == nil {
			first = err
		}
	})
	return list, first
}

// eachWorker calls flawed with what is wrong with each row.
func eachWorker(rows []field, flawed func(error)) (list []*Worker) {
	ids := make(map[string]bool, len(rows))
	for _, r := range rows {
		ids[r.key.Value] = true
	}
	hosts := make(map[netboot.Hostname]*Worker, len(rows))
	seen := make(map[netboot.WorkerID]bool, len(rows))
	for _, r := range rows {
		w, err := readWorker(r)
		if err == nil {
			err = clash(w, r.key.Line, seen, ids, hosts)
		}
		if err != nil {
			flawed(err)
		}
		if w == nil {
			continue
		}
		if err != nil {
			w = &Worker{ID: w.ID, Broken: err.Error()}
		}
		if seen[w.ID] {
			continue
		}
		seen[w.ID] = true
		if !w.Hostname.IsZero() {
			hosts[w.Hostname] = w
		}
		list = append(list, w)
	}
	return list
}

// clash refuses two workers of one name: they would write to one disk.
func clash(w *Worker, line int, seen map[netboot.WorkerID]bool, ids map[string]bool, hosts map[netboot.Hostname]*Worker) error {
	if seen[w.ID] {
		return flawAt(line, "worker %s stands twice", w.ID)
	}
	if other := hosts[w.Hostname]; other != nil {
		return flawAt(line, "worker %s has the host name %s of worker %s", w.ID, w.Hostname, other.ID)
	}
	if h := w.Hostname.String(); h != w.ID.String() && ids[h] {
		return flawAt(line, "worker %s has the id of another worker, %s, as its host name", w.ID, h)
	}
	return nil
}

// readWorker reads one row. The worker is nil only when its id cannot be read.
func readWorker(r field) (*Worker, error) {
	id, err := netboot.ParseWorkerID(r.key.Value)
	if err != nil {
		return nil, flawed(r.key.Line, "workers", err)
	}
	w := &Worker{ID: id}
	m := newMapping("worker "+id.String(), r.value)
	w.Hostname = needed(m, "hostname", netboot.ParseHostname)
	w.Arch = m.text("arch")
	w.Error = m.text("error")
	w.CreatedAt = m.time("created_at")
	w.DefaultOS = parsed(m, "default_os", netboot.ParseOS)
	if boot := m.sub("boot"); boot != nil {
		w.Boot.MenuDefault = parsed(boot, "menu_default", netboot.ParseMenuItem)
		w.Boot.MenuTimeout = boot.count("menu_timeout")
		m.join(boot)
	}
	readDisks(m, w)
	if cd := m.sub("cd"); cd != nil {
		w.CD = &CD{
			Agent: needed(cd, "agent", netboot.ParseAgentID), IQN: needed(cd, "iqn", iscsi.ParseIQN),
			ISO: needed(cd, "iso", image.ParseCD), Backing: cd.text("backing"),
		}
		m.join(cd)
	}
	readState(m, w)
	return w, m.err()
}

// readDisks also reads the older form, a single disk under "disk".
func readDisks(m *mapping, w *Worker) {
	nodes := m.list("disks")
	if len(nodes) == 0 && m.has("disk") {
		nodes = []*yaml.Node{m.fields["disk"]}
	}
	for i, n := range nodes {
		dm := newMapping(fmt.Sprintf("%s: disk %d", m.what, i+1), n)
		d := readDisk(dm)
		if _, twice := w.Disk(d.OS); twice && !d.OS.IsZero() {
			dm.fail(n.Line, "a second disk of "+d.OS.String())
		}
		m.join(dm)
		w.Disks = append(w.Disks, d)
	}
}

// readDisk reads a disk. Older ledgers name neither system nor file: the
// system is the end of the IQN then, the file the end of the path.
func readDisk(m *mapping) Disk {
	d := Disk{
		Agent: needed(m, "agent", netboot.ParseAgentID), IQN: needed(m, "iqn", iscsi.ParseIQN),
		Filename: parsed(m, "filename", image.ParseDisk), Backing: m.text("backing"),
		OS: parsed(m, "os", netboot.ParseOS),
	}
	if d.Filename.IsZero() {
		d.Filename, _ = image.ParseDisk(path.Base(d.Backing))
	}
	if d.OS.IsZero() && len(m.flaws) == 0 {
		os, err := netboot.ParseOS(afterDot(d.IQN.Suffix()))
		if err != nil {
			m.fail(m.line, "os is missing")
		}
		d.OS = os
	}
	if src := m.sub("source"); src != nil {
		d.Source = Source{Type: src.text("type"), Name: src.text("name"), Size: src.text("size")}
		m.join(src)
	}
	return d
}

func afterDot(suffix string) string {
	ext := path.Ext(suffix)
	if ext == "" {
		return ""
	}
	return ext[1:]
}

// readState takes a missing state from what is attached.
func readState(m *mapping, w *Worker) {
	switch w.State = State(m.text("state")); w.State {
	case Registered, Ready, Installing, Failed:
	case "":
		w.Settle()
	default:
		m.fail(m.fields["state"].Line, fmt.Sprintf("state %q is not one of registered, ready, installing, failed", w.State))
	}
}

// errCut says of a row at the end of a file that was cut short what is wrong.
var errCut error = &flaw{text: "the file was cut short in or after this row"}
