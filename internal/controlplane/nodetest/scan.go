package nodetest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/image"
)

// scan exports every file that has no target, masters excepted.
func (n *Node) scan(w http.ResponseWriter, _ *http.Request) {
	out := api.Scan{Created: []api.Scanned{}, Skipped: []string{}}
	for _, f := range slices.Sorted(maps.Keys(n.files)) {
		n.scanFile(&out, f)
	}
	slices.Sort(out.Skipped)
	answer(w, http.StatusOK, out)
}

func (n *Node) scanFile(out *api.Scan, f string) {
	file, err := image.ParseDisk(f)
	if err != nil {
		file, err = image.ParseCD(f)
	}
	switch {
	case err != nil:
		out.Failed = append(out.Failed, api.ScanFailed{Name: f, Error: err.Error()})
		return
	case file.IsMaster(), file.IsCD() && !n.servesCDs():
		out.Skipped = append(out.Skipped, f)
		return
	case !file.IsCD() && n.servedAs(f) != "":
		out.Skipped = append(out.Skipped, n.servedAs(f))
		return
	}
	for _, iqn := range n.names(file) {
		switch other, stands := n.targets[iqn]; {
		case stands && other == f:
			out.Skipped = append(out.Skipped, iqn)
		case stands:
			out.Failed = append(out.Failed, api.ScanFailed{Name: f, Error: fmt.Sprintf("%s and %s both come to iqn %s, which is the first one's", other, f, iqn)})
		default:
			n.stand(iqn, file)
			out.Created = append(out.Created, api.Scanned{IQN: iqn, CD: file.IsCD()})
		}
	}
}

// names are the IQNs that a file wants: those it was given, and the one its
// name tells, which a disk with another does without.
func (n *Node) names(file image.Name) (names []string) {
	for _, iqn := range slices.Sorted(maps.Keys(n.notes)) {
		if n.notes[iqn] == file.String() {
			names = append(names, iqn)
		}
	}
	if file.IsCD() || len(names) == 0 {
		names = append(names, n.Base+":"+file.Suffix())
	}
	return names
}
