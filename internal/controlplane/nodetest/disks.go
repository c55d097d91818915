package nodetest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// wanted is a disk that is asked for; without a master it is blank or existing.
type wanted struct {
	iqn      iscsi.IQN
	file     image.Name
	master   image.Name
	existing bool
}

// readDisk refuses what can never be made.
func (n *Node) readDisk(body io.Reader) (d wanted, err error) {
	var in api.CreateLUN
	if err := json.NewDecoder(body).Decode(&in); err != nil {
		return d, fault.New(fault.Invalid, "%v", err)
	}
	if d.iqn, err = n.ours(in.IQN); err != nil {
		return d, err
	}
	if in.Filename == "" {
		in.Filename = strings.TrimPrefix(d.iqn.String(), n.Base+":") + ".img"
	}
	if d.file, err = image.ParseDisk(in.Filename); err != nil {
		return d, err
	}
	sources := 0
	for _, given := range []bool{in.Master != "", in.Size != "", in.Existing} {
		if given {
			sources++
		}
	}
	switch d.existing = in.Existing; {
	case d.file.IsMaster():
		return d, fault.New(fault.Invalid, "%s is a master by its name", d.file)
	case sources != 1:
		return d, fault.New(fault.Invalid, "exactly one of master, size and existing is wanted, not %d", sources)
	case in.Master != "":
		d.master, err = image.ParseMaster(in.Master)
	case in.Size != "":
		_, err = image.ParseSize(in.Size)
	}
	return d, err
}

// ours reads an IQN that starts with the node's base.
func (n *Node) ours(s string) (iscsi.IQN, error) {
	q, err := iscsi.ParseIQN(s)
	if err == nil && !strings.HasPrefix(q.String(), n.Base+":") {
		err = fault.New(fault.Invalid, "iqn base mismatch: %s does not start with %s:", q, n.Base)
	}
	return q, err
}

// makeDisk needs the lock, as all below do.
func (n *Node) makeDisk(d wanted) (api.LUNCreated, error) {
	iqn, file := d.iqn.String(), d.file.String()
	stands, taken := n.targets[iqn]
	switch {
	case d.existing && !n.files[file]:
		return api.LUNCreated{}, fault.New(fault.NotFound, "file %s not found", file)
	case !d.existing && n.files[file]:
		return api.LUNCreated{}, fault.New(fault.Exists, "file %s exists", file)
	case taken && !(d.existing && stands == file):
		return api.LUNCreated{}, fault.New(fault.Exists, "iqn %s exists", iqn)
	case n.servedAs(file) != "" && n.servedAs(file) != iqn:
		return api.LUNCreated{}, fault.New(fault.Exists, "file %s is already served as %s", file, n.servedAs(file))
	case !d.master.IsZero() && !n.files[d.master.String()]:
		return api.LUNCreated{}, fault.New(fault.NotFound, "master %s not found", d.master)
	}
	if err := n.unclaimed(iqn, file); err != nil {
		return api.LUNCreated{}, err
	}
	n.files[file] = true
	made := n.stand(iqn, d.file)
	if !d.master.IsZero() {
		made.Clone, made.Bytes = "copy", size
	}
	return made, nil
}

func (n *Node) createCD(w http.ResponseWriter, r *http.Request) {
	made, err := n.makeCD(r.Body)
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusCreated, made)
}

func (n *Node) makeCD(body io.Reader) (made api.LUNCreated, err error) {
	var in api.CreateCD
	if err := json.NewDecoder(body).Decode(&in); err != nil {
		return made, fault.New(fault.Invalid, "%v", err)
	}
	if !n.servesCDs() {
		return made, fault.New(fault.Unsupported, "%s backend does not support cd", n.Backend)
	}
	iso, err := image.ParseCD(in.ISO)
	if err != nil {
		return made, err
	}
	if in.IQN == "" {
		in.IQN = n.Base + ":" + iso.Suffix()
	}
	q, err := n.ours(in.IQN)
	if err != nil {
		return made, err
	}
	if !n.files[in.ISO] {
		return made, fault.New(fault.NotFound, "iso %s not found", in.ISO)
	}
	if file, stands := n.targets[q.String()]; stands && file != in.ISO {
		return made, fault.New(fault.Exists, "iqn %s exists", q)
	}
	if err := n.unclaimed(q.String(), in.ISO); err != nil {
		return made, err
	}
	return n.stand(q.String(), iso), nil
}

func (n *Node) servesCDs() bool { return n.Backend != "lio" }

// servedAs is the target that serves a file, "" for none.
func (n *Node) servedAs(file string) string {
	for iqn, f := range n.targets {
		if f == file {
			return iqn
		}
	}
	return ""
}

// unclaimed refuses an IQN that another file of the folder was given.
func (n *Node) unclaimed(iqn, file string) error {
	if other := n.notes[iqn]; other != "" && other != file && n.files[other] {
		return fault.New(fault.Exists, "iqn %s belongs to %s", iqn, other)
	}
	return nil
}

// stand makes a target and keeps what the file's name does not tell of it.
func (n *Node) stand(iqn string, file image.Name) api.LUNCreated {
	n.targets[iqn] = file.String()
	if n.tids[iqn] == 0 {
		n.tids[iqn] = len(n.tids) + 1
	}
	if iqn != n.Base+":"+file.Suffix() {
		n.notes[iqn] = file.String()
	} else if !file.IsCD() {
		n.forget(file.String())
	}
	return api.LUNCreated{IQN: iqn, Backing: "/images/" + file.String()}
}

func (n *Node) forget(file string) {
	for iqn, f := range n.notes {
		if f == file {
			delete(n.notes, iqn)
		}
	}
}
