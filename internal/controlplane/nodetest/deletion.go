package nodetest

import (
	"net/http"
	"strconv"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

func (n *Node) deleteLUN(w http.ResponseWriter, r *http.Request) {
	q, deleteFile, force, err := n.readDeletion(r)
	if err == nil {
		err = n.remove(q.String(), deleteFile, force)
	}
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, api.LUNDeleted{Deleted: q.String(), DeleteFile: deleteFile})
}

func (n *Node) readDeletion(r *http.Request) (q iscsi.IQN, deleteFile, force bool, err error) {
	for name, flag := range map[string]*bool{"delete_file": &deleteFile, "force": &force} {
		given := r.URL.Query().Get(name)
		if *flag, err = strconv.ParseBool(given); err != nil && given != "" {
			return q, false, false, fault.New(fault.Invalid, "%s=%q is neither true nor false", name, given)
		}
	}
	q, err = n.ours(r.URL.Query().Get("iqn"))
	return q, deleteFile, force, err
}

func (n *Node) remove(iqn string, deleteFile, force bool) error {
	file, stands := n.targets[iqn]
	if !stands {
		return fault.New(fault.NotFound, "iqn not found")
	}
	if deleteFile {
		for other, f := range n.targets {
			if f == file && other != iqn {
				return fault.New(fault.Conflict, "%s is served as %s too and cannot be deleted", file, other)
			}
		}
	}
	if who := n.inUse[iqn]; who != "" && !force {
		return fault.New(fault.InUse, "target %s is in use by %s", iqn, who)
	}
	delete(n.targets, iqn)
	delete(n.inUse, iqn)
	switch {
	case deleteFile:
		delete(n.files, file)
		n.forget(file)
	case strings.HasSuffix(file, ".iso"):
		delete(n.notes, iqn) // a kept disk keeps the IQN it was given
	}
	return nil
}
