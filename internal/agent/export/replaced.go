package export

import (
	"context"

	"ipxe-all-ready/internal/agent/store"
	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// Kept tells why it cannot be kept which file each target serves; nil: it is.
func (s *Service) Kept() error {
	s.served.mu.Lock()
	defer s.served.mu.Unlock()
	return s.served.unkept
}

// learn asks for the server's life, where no watcher has told it yet.
func (s *Service) learn(ctx context.Context) {
	if s.served.knowsLife() {
		return
	}
	if life, err := s.o.Backend.Ping(ctx); err == nil {
		s.served.alive(life)
	}
}

// replaced refuses a target whose file's name leads to another file by now.
func (s *Service) replaced(q iscsi.IQN, i store.Image) error {
	g, known := s.served.of(q.String())
	if !known || g.File != i.File || g.ID == i.ID {
		return nil
	}
	return fault.New(fault.Conflict, "%s was replaced under its target %s, which still serves the file that was there before; "+
		"a scan serves the new one once nobody is logged in", i.File, q)
}

// remember keeps what a target serves that stands now. One that stood already
// keeps what is known of it; where nothing is, it is taken for what it says.
func (s *Service) remember(q iscsi.IQN, i store.Image, stood bool) {
	if _, known := s.served.of(q.String()); !stood || !known {
		s.served.change(map[string]given{q.String(): givenOf(i)})
	}
}

// renew takes down the targets of claims whose file was replaced, so that they
// are made anew of the new one. A machine that is logged in keeps the old one.
func (s *Service) renew(ctx context.Context, st standing, claims []claim, done *Scanned) (ready []claim, images []store.Image) {
	for _, c := range claims {
		i, err := s.o.Store.Stat(c.n)
		if err == nil {
			err = s.makeWay(ctx, st, c, i)
		}
		if err != nil {
			done.Failed = append(done.Failed, Failed{Name: c.n.String(), Error: fault.Sentence(err)})
			continue
		}
		ready, images = append(ready, c), append(images, i)
	}
	return ready, images
}

func (s *Service) makeWay(ctx context.Context, st standing, c claim, i store.Image) error {
	t := st.byName[c.q.String()]
	if !s.serves(t, c.n) {
		return nil
	}
	was := s.replaced(c.q, i)
	if was == nil {
		return nil
	}
	if err := s.o.Backend.Remove(context.WithoutCancel(ctx), c.q, false); err != nil {
		if fault.Is(err, fault.InUse) {
			return was
		}
		return err
	}
	delete(st.byName, c.q.String())
	return nil
}

// rememberAll is remember for a whole scan, with one write.
func (s *Service) rememberAll(st standing, claims []claim, images []store.Image, results []target.Result) {
	news := map[string]given{}
	for i, c := range claims {
		if results[i].Err != nil {
			continue
		}
		stood := !results[i].Created || s.serves(st.byName[c.q.String()], c.n)
		if _, known := s.served.of(c.q.String()); !stood || !known {
			news[c.q.String()] = givenOf(images[i])
		}
	}
	s.served.change(news)
}

// trueSizes puts in what is really served: a file that was replaced, or that
// grew, has another size than its target.
func (s *Service) trueSizes(targets []target.Target) {
	if s.o.Backend.Traits().Sizes {
		return
	}
	for i := range targets {
		g, known := s.served.of(targets[i].Name)
		if !known {
			continue
		}
		for j := range targets[i].LUNs {
			l := &targets[i].LUNs[j]
			if file, ok := s.o.Store.Holds(l.Backing); ok && file == g.File {
				l.Size = g.Size
			}
		}
	}
}
