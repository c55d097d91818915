package lio

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"syscall"
)

func (k *kernel) ReadLink(name string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.nodes[name]
	if n == nil {
		return "", refuse("readlink", name, syscall.ENOENT)
	}
	return "../../../../../../target/" + n.value, nil
}

func (k *kernel) Identity(name string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := k.nodes[name]; n != nil {
		return fmt.Sprint(n.id), nil
	}
	return "", refuse("stat", name, syscall.ENOENT)
}

func (k *kernel) Read(name string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.nodes[name]
	if n == nil {
		return "", refuse("open", name, syscall.ENOENT)
	}
	dir := path.Dir(name)
	switch {
	case path.Base(name) == "dynamic_sessions":
		return k.dynamic(dir), nil
	case path.Base(path.Dir(dir)) == "acls" && path.Base(name) == "info":
		return k.aclInfo(path.Dir(path.Dir(dir)), path.Base(dir)), nil
	}
	return n.value + "\n", nil
}

func (k *kernel) dynamic(group string) string {
	text := ""
	for _, l := range k.sessions {
		if l.group == group && k.nodes[path.Join(group, "acls", l.initiator)] == nil {
			text += l.initiator + "\n\x00"
		}
	}
	return text
}

func (k *kernel) aclInfo(group, initiator string) string {
	if slices.Contains(k.sessions, login{group, initiator}) {
		return "InitiatorName: " + initiator + "\nInitiatorAlias: \nCID: 0  Connection State: TARG_CONN_STATE_LOGGED_IN\n   Address 192.0.2.7 TCP  StatSN: 0x1\n"
	}
	return "No active iSCSI Session for Initiator Endpoint: " + initiator + "\n"
}

func (k *kernel) List(name string) ([]fs.DirEntry, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.nodes[name] == nil {
		return nil, refuse("open", name, syscall.ENOENT)
	}
	var entries []fs.DirEntry
	for _, child := range k.children(name) {
		entries = append(entries, entry{child, k.nodes[path.Join(name, child)].mode})
	}
	return entries, nil
}

// entry is one name of a listing.
type entry struct {
	name string
	mode fs.FileMode
}

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.mode.IsDir() }
func (e entry) Type() fs.FileMode          { return e.mode.Type() }
func (e entry) Info() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }
