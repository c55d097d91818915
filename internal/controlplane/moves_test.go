package controlplane

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ipxe-all-ready/internal/api"
)

// move is one thing that can be asked of a site, or done to its files.
type move struct {
	name string
	make func(*trial, step) error
}

var moves = []move{
	{"register", (*trial).register},
	{"boot", (*trial).bootOne},
	{"boot", (*trial).bootOne},
	{"new mac", (*trial).newMAC},
	{"register", (*trial).register},
	{"disk", (*trial).newDisk},
	{"disk", (*trial).newDisk},
	{"disk", (*trial).newDisk},
	{"disk", (*trial).newDisk},
	{"disks", (*trial).newDisks},
	{"delete disk", (*trial).deleteDisk},
	{"delete worker", (*trial).deleteWorker},
	{"delete workers", (*trial).deleteWorkers},
	{"default", (*trial).setDefault},
	{"menu", (*trial).setMenu},
	{"agent", (*trial).putAgent},
	{"agent goes or comes", (*trial).agentGoes},
	{"auto-register", (*trial).setAuto},
	{"hand edit", (*trial).handEdit},
	{"restart", (*trial).startAnew},
}

func (tr *trial) register(s step) error {
	id, host := choose(someIDs, s.x), choose(someHosts, s.z)
	body := fmt.Sprintf(`{"worker_id":%q,"hostname":%q,"mac":%q}`, id, host, strings.ToUpper(s.mac()))
	id = strings.ToLower(id)
	if host == "" {
		host = id
	}
	return tr.expect(tr.want.register(id, host, s.mac()), "POST", "/workers", body)
}

func (tr *trial) bootOne(s step) error {
	v, err := get[api.BootVars](tr, "/boot-vars?format=json&mac="+strings.ReplaceAll(s.mac(), ":", "-"))
	if err != nil {
		return err
	}
	want := ""
	if m := tr.want.boot(s.mac()); m != nil {
		want = m.host
	}
	if v.Hostname != want {
		return fmt.Errorf("%s is told that it is %q; the model says %q", s.mac(), v.Hostname, want)
	}
	return nil
}

func (tr *trial) newMAC(s step) error {
	id := tr.id(s.x)
	return tr.expect(tr.want.rebind(id, s.mac()), "PUT", "/workers/"+id+"/mac", fmt.Sprintf(`{"mac":%q}`, s.mac()))
}

func (tr *trial) newDisk(s step) error {
	id, kind := tr.id(s.x), `"type":"empty","size":"1G"`
	if s.x%5 == 0 {
		kind = `"type":"existing"`
	}
	body := fmt.Sprintf(`{"os":%q,%s,"disk_agent":%q}`, s.os(), kind, s.node())
	return tr.expect(tr.want.add(id, s.os(), s.node(), s.x%5 == 0), "POST", "/workers/"+id+"/luns/disk", body)
}

// newDisks asks for a disk on each of two workers; one of them may be unknown.
func (tr *trial) newDisks(s step) error {
	ids := []string{tr.id(s.x), tr.id(s.x/7 + 1)}
	if ids[0] == ids[1] {
		ids[1] = "nobody"
	}
	var made, skipped, failed, targets []string
	for _, id := range ids {
		targets = append(targets, fmt.Sprintf(`{"worker_id":%q,"agent":%q}`, id, s.node()))
		m := tr.want.workers[id]
		switch {
		case m != nil && m.has(s.os()):
			skipped = append(skipped, id)
		case tr.want.add(id, s.os(), s.node(), false) == 201:
			made, m.os = append(made, id), s.os()
		default:
			failed = append(failed, id)
		}
	}
	body := fmt.Sprintf(`{"type":"empty","size":"1G","os":%q,"targets":[%s]}`, s.os(), strings.Join(targets, ","))
	var got api.DisksCreated
	if err := tr.post("/workers/luns/disk/batch", body, &got); err != nil {
		return err
	}
	var gotMade, gotSkipped, gotFailed []string
	for _, d := range got.Succeeded {
		gotMade = append(gotMade, d.WorkerID)
	}
	for _, d := range got.Skipped {
		gotSkipped = append(gotSkipped, d.WorkerID)
	}
	for _, d := range got.Failed {
		gotFailed = append(gotFailed, d.WorkerID)
	}
	if !slices.Equal(gotMade, made) || !slices.Equal(gotSkipped, skipped) || !slices.Equal(gotFailed, failed) {
		return fmt.Errorf("%s came to %+v; the model says %v, %v, %v", body, got, made, skipped, failed)
	}
	return nil
}

func (tr *trial) deleteDisk(s step) error {
	id, file := tr.id(s.x), s.z%2 == 0
	os := tr.attached(id, s)
	return tr.expect(tr.want.drop(id, os, file), "DELETE", fmt.Sprintf("/workers/%s/luns/disk/%s?delete_file=%t", id, os, file), "")
}

// attached is mostly a system that the worker has a disk for.
func (tr *trial) attached(id string, s step) string {
	if m := tr.want.workers[id]; m != nil && len(m.disks) > 0 && s.z%8 != 0 {
		return m.disks[s.y%len(m.disks)].os
	}
	return s.os()
}

func (tr *trial) deleteWorker(s step) error {
	if s.y%3 != 0 {
		return nil // or the fleet never grows
	}
	id, files := tr.id(s.x), s.z%2 == 0
	return tr.expect(tr.want.remove(id, files), "DELETE", fmt.Sprintf("/workers/%s?delete_disk=%t", id, files), "")
}

func (tr *trial) deleteWorkers(s step) error {
	if s.z%3 != 0 {
		return nil
	}
	ids := []string{tr.id(s.x), "nobody"}
	well := 0
	for _, id := range ids {
		if tr.want.remove(id, true) == 200 {
			well++
		}
	}
	body, err := json.Marshal(map[string]any{"worker_ids": ids, "delete_disk": true})
	if err != nil {
		return err
	}
	var got api.WorkersDeleted
	if err := tr.post("/workers/delete/batch", string(body), &got); err != nil {
		return err
	}
	if len(got.Succeeded) != well || len(got.Failed) != len(ids)-well {
		return fmt.Errorf("%s came to %+v; the model says %d", body, got, well)
	}
	return nil
}

func (tr *trial) setDefault(s step) error {
	id := tr.id(s.x)
	os := tr.attached(id, s)
	if s.z%5 == 0 {
		os = ""
	}
	return tr.expect(tr.want.choose(id, os), "PUT", "/workers/"+id+"/default-os", fmt.Sprintf(`{"os":%q}`, os))
}

func (tr *trial) setMenu(s step) error {
	id := tr.id(s.x)
	m := tr.want.workers[id]
	if m == nil {
		return tr.expect(404, "PUT", "/workers/"+id+"/default-os", `{"menu_default":"shell"}`)
	}
	menu := choose([]string{"ubuntu", "shell", "", "menu-diag"}, s.y)
	m.menu = menu
	body := fmt.Sprintf(`{"menu_default":%q,"menu_timeout":null}`, menu)
	m.menuTimeout = nil
	if ms := s.z % 3000; s.z%3 != 0 {
		m.menuTimeout, body = &ms, fmt.Sprintf(`{"menu_default":%q,"menu_timeout":%d}`, menu, ms)
	}
	return tr.expect(200, "PUT", "/workers/"+id+"/default-os", body)
}

func (tr *trial) agentBody(id string, enabled bool, more string) string {
	n := tr.nodes[id]
	return fmt.Sprintf(`{%s"base_url":%q,"token":%q,"iscsi_server":"192.168.80.3","role":{"disk":true,"cd":false},"tags":["stgt"],"enabled":%t}`, more, n.URL, n.Token, enabled)
}

func (tr *trial) putAgent(s step) error {
	id, enabled, status := s.node(), s.x%5 != 0, 404
	if _, listed := tr.want.agents[id]; listed {
		tr.want.agents[id], status = enabled, 200
	}
	return tr.expect(status, "PUT", "/agents/"+id, tr.agentBody(id, enabled, ""))
}

func (tr *trial) agentGoes(s step) error {
	id := s.node()
	if _, listed := tr.want.agents[id]; listed && s.x%4 == 0 {
		return tr.expect(tr.want.dismiss(id), "DELETE", "/agents/"+id, "")
	}
	status := 201
	if _, listed := tr.want.agents[id]; listed {
		status = 409
	} else {
		tr.want.agents[id] = true
	}
	return tr.expect(status, "POST", "/agents", tr.agentBody(id, true, fmt.Sprintf(`"id":%q,`, id)))
}

func (tr *trial) setAuto(s step) error {
	tr.want.auto = s.x%6 != 0
	return tr.expect(200, "PUT", "/settings/auto-register", fmt.Sprintf(`{"enabled":%t}`, tr.want.auto))
}

// handEdit is a person who gives a bound machine another MAC, or writes down a
// new one, with a comment.
func (tr *trial) handEdit(s step) error {
	path := filepath.Join(tr.home, "dnsmasq/dhcp-hosts.conf")
	b, err := os.ReadFile(path)
	if err != nil || s.x%3 != 0 {
		return nil // nobody is bound yet, or not now: it takes a second
	}
	fresh := fmt.Sprintf("52:54:00:00:01:%02x", s.y%250)
	if _, used := tr.want.bound[fresh]; used {
		return nil
	}
	text, host := string(b), tr.want.bound[s.mac()]
	if host == "" {
		host = fmt.Sprintf("hand-%d", s.z%5)
		if tr.want.macOf(host) != "" || tr.want.taken(host) {
			return nil
		}
		text += "# by hand\n" + fresh + "," + host + "\n"
	} else {
		text = strings.Replace(text, s.mac()+","+host+"\n", fresh+","+host+"\n", 1)
		delete(tr.want.bound, s.mac())
	}
	tr.want.bound[fresh] = host
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	return tr.seen()
}

func (tr *trial) startAnew(s step) error {
	if s.x%4 == 0 {
		tr.restart()
	}
	return nil
}

// post wants a 200 and reads it.
func (tr *trial) post(path, body string, into any) error {
	resp, err := http.Post(tr.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return fmt.Errorf("POST %s %s: %s", path, body, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
