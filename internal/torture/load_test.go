//go:build integration

package torture

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is many callers at once, until the daemon is dead. Each owns a few
// workers, so that it knows what they must be.
type load struct {
	*site
	macs atomic.Uint32 // given so far: none is used twice

	// A half write leaves a torn file until the next start. What a person does to
	// that one is his: the journal is not replayed over it.
	noEdits bool
}

const callers = 6

func (l *load) run() {
	var wg sync.WaitGroup
	for n := range callers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), uint64(time.Now().UnixNano())))
			for !l.dead() {
				l.act(n, r)
			}
		})
	}
	wg.Go(func() {
		for !l.dead() && !l.noEdits {
			time.Sleep(60 * time.Millisecond) // a commit waits for an edit to settle
			l.edit()
		}
	})
	wg.Wait()
}

func (l *load) mac() string {
	n := l.macs.Add(1)
	return fmt.Sprintf("52:54:01:%02x:%02x:%02x", n>>16&0xff, n>>8&0xff, n&0xff)
}

func (l *load) act(caller int, r *rand.Rand) {
	id := fmt.Sprintf("w-%d-%d", caller, r.IntN(3))
	other := fmt.Sprintf("w-%d-%d", caller, r.IntN(3))
	thing := "worker/" + id
	if l.h.last(thing) == absent {
		l.do("POST", "/workers", fmt.Sprintf(`{"worker_id":%q,"mac":%q}`, id, l.mac()), thing)
		return
	}
	switch r.IntN(9) {
	case 0:
		l.do("PUT", "/workers/"+id+"/mac", fmt.Sprintf(`{"mac":%q}`, l.mac()), thing)
	case 1:
		l.do("PUT", "/workers/"+id+"/default-os", fmt.Sprintf(`{"menu_timeout":%d}`, r.IntN(1000)), thing)
	case 2:
		l.do("POST", "/workers/"+id+"/luns/disk", `{"os":"ubuntu","type":"empty","size":"1G"}`, thing)
	case 3:
		l.do("DELETE", "/workers/"+id+"/luns/disk/ubuntu?delete_file=true", "", thing)
	case 4:
		l.do("DELETE", "/workers/"+id+"?delete_disk=true&ignore_missing_target=true", "", thing)
	case 5:
		l.boot(l.mac())
	case 6:
		things := slices.Compact(slices.Sorted(slices.Values([]string{thing, "worker/" + other})))
		l.do("POST", "/workers/delete/batch", fmt.Sprintf(`{"worker_ids":[%q,%q],"delete_disk":true,"ignore_missing_target":true}`, id, other), things...)
	case 7:
		things := slices.Compact(slices.Sorted(slices.Values([]string{thing, "worker/" + other})))
		l.do("POST", "/workers/luns/disk/batch", fmt.Sprintf(`{"type":"empty","size":"1G","os":"debian","targets":[{"worker_id":%q,"agent":"node-1"},{"worker_id":%q,"agent":"node-1"}]}`, id, other), things...)
	case 8:
		if caller == 0 {
			l.do("PUT", "/settings/auto-register", `{"enabled":true}`, "setting/auto-register")
		}
	}
}

// edit is a person at dhcp-hosts.conf.
func (l *load) edit() {
	f, err := os.OpenFile(filepath.Join(l.home, "dnsmasq/dhcp-hosts.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if n := l.macs.Add(1); n%3 == 0 {
		_, _ = fmt.Fprintf(f, "%s,by-hand-%d\n", l.mac(), n)
		return
	}
	_, _ = fmt.Fprintf(f, "# a note\n")
}

// storage holds the ledger's disks against what the node has: a row without
// its target, or the other way round, must be named by reconcile or go away.
func (s *site) storage() error {
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = s.storageNow(); err == nil {
			return nil
		}
	}
	return err
}

func (s *site) storageNow() error {
	var rows []struct{ Disks []struct{ IQN string } }
	if _, _, err := s.call("GET", "/workers", "", &rows); err != nil {
		return err
	}
	_, findings, err := s.call("GET", "/reconcile", "", nil)
	if err != nil {
		return err
	}
	targets := s.node.Targets()
	var errs []error
	for _, w := range rows {
		for _, d := range w.Disks {
			if at := slices.Index(targets, d.IQN); at >= 0 {
				targets = slices.Delete(targets, at, at+1)
			} else if !named(findings, d.IQN) {
				errs = append(errs, fmt.Errorf("no target stands for %s, and reconcile does not say so", d.IQN))
			}
		}
	}
	for _, iqn := range targets {
		if !named(findings, iqn) {
			errs = append(errs, fmt.Errorf("no row has the target %s, and reconcile does not say so: %s", iqn, findings))
		}
	}
	return errors.Join(errs...)
}

// named tells whether a finding is about a target: by its name or its worker.
func named(findings, iqn string) bool {
	name, _ := json.Marshal(iqn)
	host, _, _ := strings.Cut(iqn[strings.LastIndex(iqn, ":")+1:], ".")
	return strings.Contains(findings, strings.Trim(string(name), `"`)) || strings.Contains(findings, ":"+host+":")
}
