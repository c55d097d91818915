package export

import (
	"fmt"
	"slices"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
)

// claim is one file that wants a target.
type claim struct {
	q iscsi.IQN
	n image.Name
}

// plan is what the folder asks for, compared with what stands.
type plan struct {
	claims  []claim  // in the order of their names, one an IQN
	skipped []string // files and IQNs that want nothing
	failed  []Failed
}

func (p *plan) fail(name string, err error) {
	p.failed = append(p.failed, Failed{Name: name, Error: fault.Sentence(err)})
}

// plan reads the folder and settles who gets which IQN. What a person chose
// goes before what a name tells, and who stands goes before both.
func (s *Service) plan(st standing) (plan, error) {
	images, err := s.o.Store.Images()
	if err != nil {
		return plan{}, err
	}
	var p plan
	chosen := s.chosen(&p)
	var claims []claim
	for _, i := range images {
		claims = append(claims, s.claimsOf(&p, st, i, chosen[i.Name])...)
	}
	s.settle(&p, st, claims, chosen)
	s.orphans(&p, st, images)
	return p, nil
}

// chosen are the noted IQNs by file. Notes that cannot be read are failed rows:
// the rest of the folder is exported all the same.
func (s *Service) chosen(p *plan) map[image.Name][]iscsi.IQN {
	notes, broken, err := s.o.Store.Notes()
	if err != nil {
		broken = append(broken, err)
	}
	for _, err := range broken {
		p.fail("notes", err)
	}
	chosen := map[image.Name][]iscsi.IQN{}
	for _, n := range notes {
		if !s.o.Base.Holds(n.IQN) {
			p.fail(n.Name.String(), s.ours(n.IQN))
			continue
		}
		chosen[n.Name] = append(chosen[n.Name], n.IQN)
	}
	return chosen
}

// claimsOf is what one file asks for.
func (s *Service) claimsOf(p *plan, st standing, i store.Image, chosen []iscsi.IQN) []claim {
	switch {
	case i.Fault != nil:
		p.fail(i.File, i.Fault)
		return nil
	case i.Name.IsMaster():
		p.skipped = append(p.skipped, i.File)
		return nil
	case i.Name.IsCD() && !s.o.Backend.Traits().CD:
		p.skipped = append(p.skipped, i.File)
		return nil
	}
	if err := whole(i); err != nil {
		p.fail(i.File, err)
		return nil
	}
	names := chosen
	if i.Name.IsCD() || len(chosen) == 0 {
		derived, err := s.derived(i.Name)
		if err != nil {
			p.fail(i.File, err)
		} else if !slices.Contains(names, derived) {
			names = append(slices.Clone(names), derived)
		}
	}
	// A disk is never served twice: whoever serves it now goes on.
	if t, ok := st.byFile[i.File]; ok && !i.Name.IsCD() && !slices.ContainsFunc(names, func(q iscsi.IQN) bool { return q.String() == t.Name }) {
		p.skipped = append(p.skipped, t.Name)
		return nil
	}
	var claims []claim
	for _, q := range names {
		claims = append(claims, claim{q: q, n: i.Name})
	}
	return claims
}

// settle gives each IQN to one file and names the others.
func (s *Service) settle(p *plan, st standing, claims []claim, chosen map[image.Name][]iscsi.IQN) {
	byIQN := map[iscsi.IQN][]claim{}
	for _, c := range claims {
		byIQN[c.q] = append(byIQN[c.q], c)
	}
	for _, c := range claims {
		winner := s.winner(st, byIQN[c.q], chosen)
		if c == winner {
			p.claims = append(p.claims, c)
			continue
		}
		p.failed = append(p.failed, Failed{Name: c.n.String(),
			Error: fmt.Sprintf("%s and %s both come to iqn %s, which is the first one's", winner.n, c.n, c.q)})
	}
}

func (s *Service) winner(st standing, rivals []claim, chosen map[image.Name][]iscsi.IQN) claim {
	for _, c := range rivals {
		if t, ok := st.byName[c.q.String()]; ok && s.serves(t, c.n) {
			return c
		}
	}
	for _, c := range rivals {
		if slices.Contains(chosen[c.n], c.q) {
			return c
		}
	}
	return rivals[0]
}

// orphans names targets of ours whose file is gone. They are left standing: a
// worker may still run from the deleted file.
func (s *Service) orphans(p *plan, st standing, images []store.Image) {
	there := map[string]bool{}
	for _, i := range images {
		there[i.File] = i.ID != store.FileID{}
	}
	for _, t := range st.targets {
		if file, ok := s.file(t); ok && !there[file] {
			p.failed = append(p.failed, Failed{Name: t.Name,
				Error: fmt.Sprintf("target %s serves %s, which is gone from the image folder", t.Name, file)})
		}
	}
}
