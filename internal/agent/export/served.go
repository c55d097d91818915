package export

import (
	"encoding/json"
	"os"
	"strings"
	"sync"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// served remembers which file each target was given when it was made. A server
// holds the file open and shows its name alone, so that nobody else can tell
// when another file took that name. It is kept in a file, as the server may
// outlive the agent, and counts for one life of the server alone.
//
//	{"schema":1,"life":"31@1753351200.000000000","targets":{"iqn.2026-07.com.controller:pc":{"file":"pc.img",…}}}
type served struct {
	path string // empty: in memory alone
	boot string // of this host: inodes and device numbers of another one say nothing

	mu     sync.Mutex
	told   bool // the server's life
	doc    servedOnDisk
	unkept error // why it could not be written
	newer  error // a newer agent wrote the file, which is never written then
}

type servedOnDisk struct {
	Schema  int              `json:"schema"`
	Life    string           `json:"life"`
	Targets map[string]given `json:"targets"` // by IQN
}

// given is a file as it was when its target was made.
type given struct {
	File string       `json:"file"`
	ID   store.FileID `json:"id"`
	Size int64        `json:"size"` // bytes
}

func givenOf(i store.Image) given { return given{File: i.File, ID: i.ID, Size: i.Size} }

// mostServed is what the file may hold, in bytes: a target takes some 200.
const mostServed = 256 << 20

// openServed reads what an agent before us kept. A file that cannot be read is
// as good as none: what stands is then taken for what it says. One that a newer
// agent wrote is left to it.
func openServed(path string) *served {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	v := &served{path: path, boot: strings.TrimSpace(string(boot))}
	text, err := atomicfile.ReadFile(path, mostServed)
	if path == "" || err != nil || json.Unmarshal(text, &v.doc) != nil || v.doc.Schema != 1 {
		if v.doc.Schema > 1 {
			v.newer = fault.New(fault.Unavailable, "%s is left alone, schema %d is newer than this agent, which knows 1: after a restart of this agent nobody knows which file each target serves", path, v.doc.Schema)
			v.unkept = v.newer
		}
		v.doc = servedOnDisk{}
	}
	return v
}

// alive is told the server's present life. What is known of another is void.
func (v *served) alive(life string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.told = true
	if life += " " + v.boot; v.doc.Life != life {
		v.doc = servedOnDisk{Life: life}
	}
}

// of is what q's target was given; not known before a life was told.
func (v *served) of(q string) (given, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	g, ok := v.doc.Targets[q]
	return g, ok && v.told
}

func (v *served) knowsLife() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.told
}

// change writes the file once for many targets.
func (v *served) change(put map[string]given, drop ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.told {
		return
	}
	changed := false
	for q, g := range put {
		if v.doc.Targets[q] == g {
			continue
		}
		if v.doc.Targets == nil {
			v.doc.Targets = map[string]given{}
		}
		v.doc.Targets[q], changed = g, true
	}
	for _, q := range drop {
		if _, ok := v.doc.Targets[q]; ok {
			delete(v.doc.Targets, q)
			changed = true
		}
	}
	if changed || v.unkept != nil {
		v.unkept = v.keep()
	}
}

func (v *served) keep() error {
	if v.path == "" || v.newer != nil {
		return v.newer
	}
	v.doc.Schema = 1
	text, err := json.Marshal(v.doc)
	if err == nil {
		err = atomicfile.Write(v.path, 0o640, append(text, '\n'))
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be written: after a restart of this agent nobody knows which file each target serves", v.path)
	}
	return nil
}
