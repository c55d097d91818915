package controlplane

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// fleet is what a site should hold, written from the contract alone: no rule
// of the control plane is shared.
type fleet struct {
	workers map[string]*machine // by id
	bound   map[string]string   // MAC → host name
	agents  map[string]bool     // of the inventory → enabled
	nodes   map[string]*shelf   // every node there is, in the inventory or not
	retired map[string]bool
	auto    bool
}

type machine struct {
	id, host    string
	disks       []disk // in the order they were made
	os, menu    string
	menuTimeout *int
}

type disk struct{ os, agent string }

// shelf is a node's image folder and targets, by <hostname>.<os>.
type shelf struct{ files, targets map[string]bool }

func newFleet(agents []string) *fleet {
	f := &fleet{workers: map[string]*machine{}, bound: map[string]string{}, agents: map[string]bool{}, nodes: map[string]*shelf{}, retired: map[string]bool{}, auto: true}
	for _, a := range agents {
		f.agents[a] = true
		f.nodes[a] = &shelf{map[string]bool{}, map[string]bool{}}
	}
	return f
}

func (f *fleet) named(host string) *machine {
	for _, m := range f.workers {
		if m.host == host {
			return m
		}
	}
	return nil
}

func (f *fleet) macOf(host string) string {
	for mac, h := range f.bound {
		if h == host {
			return mac
		}
	}
	return ""
}

// taken reports whether a name is some worker's id or host name.
func (f *fleet) taken(name string) bool { return f.workers[name] != nil || f.named(name) != nil }

// register is the status of POST /workers.
func (f *fleet) register(id, host, mac string) int {
	if f.taken(id) || f.taken(host) {
		return 409
	}
	if h, ok := f.bound[mac]; ok && h != host {
		return 409
	}
	if m := f.macOf(host); m != "" && m != mac {
		return 409
	}
	f.workers[id] = &machine{id: id, host: host}
	f.bound[mac] = host
	return 201
}

var numbered = regexp.MustCompile(`^worker-([0-9]{1,9})$`)

// nextName is one above all that is in use, but for the retired ones.
func (f *fleet) nextName() string {
	highest := 0
	see := func(name string) {
		if m := numbered.FindStringSubmatch(name); m != nil {
			n, _ := strconv.Atoi(m[1])
			highest = max(highest, n)
		}
	}
	for id, m := range f.workers {
		see(id)
		see(m.host)
	}
	for _, host := range f.bound {
		see(host)
	}
	for n := highest + 1; ; n++ {
		if name := fmt.Sprintf("worker-%02d", n); !f.retired[name] && !f.taken(name) {
			return name
		}
	}
}

// boot is the machine with this MAC, after it may have been registered.
func (f *fleet) boot(mac string) *machine {
	host, known := f.bound[mac]
	if m := f.named(host); known && m != nil {
		return m
	}
	if !f.auto {
		return nil
	}
	if !known {
		host = f.nextName()
	}
	if f.taken(host) {
		return nil
	}
	f.workers[host] = &machine{id: host, host: host}
	f.bound[mac] = host
	return f.workers[host]
}

// rebind is the status of PUT /workers/{id}/mac.
func (f *fleet) rebind(id, mac string) int {
	m := f.workers[id]
	if m == nil {
		return 404
	}
	if h, ok := f.bound[mac]; ok && h != m.host {
		return 409
	}
	delete(f.bound, f.macOf(m.host))
	f.bound[mac] = m.host
	return 200
}

// add is the status of the creation of a disk.
func (f *fleet) add(id, os, agent string, existing bool) int {
	m := f.workers[id]
	enabled, listed := f.agents[agent]
	switch {
	case m == nil:
		return 404
	case m.has(os):
		return 409
	case !listed:
		return 404
	case !enabled:
		return 400
	}
	name, n := m.host+"."+os, f.nodes[agent]
	if existing && !n.files[name] {
		return 404
	}
	if !existing && n.files[name] {
		return 409
	}
	n.files[name], n.targets[name] = true, true
	m.disks = append(m.disks, disk{os, agent})
	return 201
}

func (m *machine) has(os string) bool {
	return slices.ContainsFunc(m.disks, func(d disk) bool { return d.os == os })
}

// drop is the status of the deletion of a disk.
func (f *fleet) drop(id, os string, deleteFile bool) int {
	m := f.workers[id]
	if m == nil || !m.has(os) {
		return 404
	}
	for i, d := range m.disks {
		if d.os != os {
			continue
		}
		name := m.host + "." + os
		delete(f.nodes[d.agent].targets, name)
		if deleteFile {
			delete(f.nodes[d.agent].files, name)
		} else {
			f.retired[m.host] = true
		}
		m.disks = slices.Delete(m.disks, i, i+1)
		break
	}
	if m.os == os {
		m.os = ""
	}
	if m.menu == os {
		m.menu = ""
	}
	return 200
}

// remove is the status of DELETE /workers/{id}.
func (f *fleet) remove(id string, deleteFiles bool) int {
	m := f.workers[id]
	if m == nil {
		return 404
	}
	for len(m.disks) > 0 {
		f.drop(id, m.disks[0].os, deleteFiles)
	}
	delete(f.workers, id)
	delete(f.bound, f.macOf(m.host))
	return 200
}

// choose is the status of PUT /workers/{id}/default-os of a system.
func (f *fleet) choose(id, os string) int {
	m := f.workers[id]
	switch {
	case m == nil:
		return 404
	case os != "" && len(m.disks) == 0:
		return 409
	case os != "" && !m.has(os):
		return 400
	}
	m.os = os
	return 200
}

// dismiss is the status of DELETE /agents/{id}.
func (f *fleet) dismiss(agent string) int {
	if _, listed := f.agents[agent]; !listed {
		return 404
	}
	for _, m := range f.workers {
		if slices.ContainsFunc(m.disks, func(d disk) bool { return d.agent == agent }) {
			return 409
		}
	}
	delete(f.agents, agent)
	return 200
}

// rows is the fleet as text, to be compared with what the site tells.
func (f *fleet) rows() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(f.workers)) {
		m := f.workers[id]
		state := "registered"
		if len(m.disks) > 0 {
			state = "ready"
		}
		fmt.Fprintf(&b, "worker %s %s %q %s default=%s menu=%s timeout=%s", id, m.host, f.macOf(m.host), state, m.os, m.menu, number(m.menuTimeout))
		for _, d := range m.disks {
			fmt.Fprintf(&b, " %s@%s", d.os, d.agent)
		}
		b.WriteString("\n")
	}
	for _, mac := range slices.Sorted(maps.Keys(f.bound)) {
		fmt.Fprintf(&b, "bound %s %s\n", mac, f.bound[mac])
	}
	for _, id := range slices.Sorted(maps.Keys(f.agents)) {
		fmt.Fprintf(&b, "agent %s enabled=%t\n", id, f.agents[id])
	}
	for _, id := range slices.Sorted(maps.Keys(f.nodes)) {
		fmt.Fprintf(&b, "node %s files %v targets %v\n", id, slices.Sorted(maps.Keys(f.nodes[id].files)), slices.Sorted(maps.Keys(f.nodes[id].targets)))
	}
	fmt.Fprintf(&b, "retired %v auto %t\n", slices.Sorted(maps.Keys(f.retired)), f.auto)
	return b.String()
}

func number(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

// script is what /boot-vars should tell a machine, as text.
func (m *machine) script(server map[string]string) string {
	menu, timeout := "reboot", 1000
	if m.os != "" || m.menu != "" {
		menu, timeout = m.menu, 5000
		if m.os != "" {
			menu = m.os
		}
		if m.menuTimeout != nil {
			timeout = *m.menuTimeout
		}
	}
	base, at, sep := "", "", ""
	for i, d := range m.disks {
		if d.os == m.os || m.os == "" && i == 0 {
			base, at, sep = "iqn.2026-07.com.controller", server[d.agent], ":::1:"
		}
	}
	return fmt.Sprintf("%s %s %d %s %s %s", m.host, menu, timeout, base, at, sep)
}
