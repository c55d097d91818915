package dhcphosts

import (
	"slices"

	"ipxe-all-ready/internal/netboot"
)

// step is one edit of one line, as it takes to undo it.
type step struct {
	at     int32
	old    string
	added  bool
	unbind bool
}

// Bind gives mac the host name h; false when it was so already. The first line
// of h keeps its other tokens and gets the new address. A line of mac without a
// name gets the name. Whoever else had mac loses it, and a rival that is bound
// to its own name becomes the one who has it.
func (f *File) Bind(mac netboot.MAC, h netboot.Hostname) bool {
	at, known := f.winner(mac)
	if known && f.lines[at].host == h {
		rival := f.isRival(at, mac)
		if rival {
			f.prefer(mac, h)
		}
		return rival
	}
	if known && f.canName(at) {
		f.Unbind(h)
		f.set(at, withName(f.lines[at].text, h))
		return true
	}
	if known {
		f.takeFrom(at, mac)
	}
	if line, old, ok := f.owner(h); ok {
		f.hand(h, line, old, mac)
	} else {
		f.add(mac.String() + "," + h.String())
	}
	f.outrank(mac, h)
	return true
}

// canName reports whether line at has no name of any kind, so that one may be
// added, and nothing that dnsmasq would stumble over.
func (f *File) canName(at int32) bool {
	return f.lines[at].rank != rankLoose && !slices.ContainsFunc(tokens(f.lines[at].text), func(t token) bool {
		return t.kind == name || t.kind == foreign
	})
}

// takeFrom removes mac from a line that binds it to another name. A line whose
// name means something to dnsmasq alone is left: the line that follows counts.
func (f *File) takeFrom(at int32, mac netboot.MAC) {
	l := &f.lines[at]
	switch {
	case l.host.IsZero():
	case len(l.more) == 0:
		f.strip(at)
	default:
		f.set(at, without(l.text, func(t token) bool { return t.mac == mac }))
	}
}

// outrank makes the binding count where an older line of mac still stands
// behind the one that was edited.
func (f *File) outrank(mac netboot.MAC, h netboot.Hostname) {
	if got, _ := f.Binding(mac); got == h {
		return
	}
	f.add(mac.String() + "," + h.String())
}

// Unbind takes h away from every address; false when it had none. A line that
// says more than name and address (a tag, a fixed address, ignore) keeps the rest.
func (f *File) Unbind(h netboot.Hostname) bool {
	f.unbinding = true
	defer func() { f.unbinding = false }()
	found := false
	for _, at := range slices.Clone(f.byHost.of(h)) {
		if f.lines[at].mac.IsZero() {
			continue // names a machine by something else than its MAC
		}
		f.strip(at)
		found = true
	}
	return found
}

// strip takes the name from a line, and the line away where nothing is left to say.
func (f *File) strip(at int32) {
	text := f.lines[at].text
	if !meansSomethingNameless(text) {
		f.set(at, "")
		return
	}
	f.set(at, without(text, func(t token) bool { return t.kind == name }))
}

func (f *File) add(text string) {
	if last := f.lastLive(); last >= 0 && ending(f.lines[last].text) == "" {
		f.set(last, f.lines[last].text+f.eol)
	}
	f.lines = append(f.lines, parseLine(text+f.eol))
	at := int32(len(f.lines) - 1)
	f.steps = append(f.steps, step{at: at, added: true})
	f.touch(at)
	f.enter(at)
}

func (f *File) lastLive() int32 {
	for i := len(f.lines) - 1; i >= 0; i-- {
		if f.lines[i].text != "" {
			return int32(i)
		}
	}
	return -1
}

func (f *File) set(at int32, text string) {
	f.steps = append(f.steps, step{at: at, old: f.lines[at].text, unbind: f.unbinding})
	f.replace(at, text)
}

func (f *File) replace(at int32, text string) {
	f.touch(at)
	f.leave(at)
	f.count(at, -1)
	f.lines[at] = parseLine(text)
	f.count(at, 1)
	f.enter(at)
}

func (f *File) count(at int32, delta int) {
	if f.lines[at].text == "" {
		f.dead += delta
	}
}

// Mark is a place to which Rollback can return until the next Settle.
func (f *File) Mark() int { return len(f.steps) }

// Rollback undoes all edits since mark.
func (f *File) Rollback(mark int) {
	for len(f.steps) > mark {
		s := f.steps[len(f.steps)-1]
		f.steps = f.steps[:len(f.steps)-1]
		if !s.added {
			f.replace(s.at, s.old)
			continue
		}
		f.touch(s.at)
		f.leave(s.at)
		f.count(s.at, -1)
		f.lines = f.lines[:s.at] // what was added later is undone already
	}
}

// Keeping is the file with all that was bound since the last Settle and
// nothing of what was unbound: the first of two writes when a name goes. more
// says that a second write, of Bytes, has to follow. settled is the file as of
// the last Settle; where lines were added only, they go into the room behind it.
func (f *File) Keeping(settled []byte) (content []byte, more bool) {
	if from, only := f.onlyAdded(); only {
		for _, l := range f.lines[from:] {
			settled = append(settled, l.text...)
		}
		return settled, false
	}
	keep := map[int32]string{}
	for _, s := range f.steps {
		if _, kept := keep[s.at]; s.unbind && !kept && !s.added {
			keep[s.at] = s.old
		} else if !s.unbind {
			delete(keep, s.at)
		}
	}
	return f.assemble(keep), len(keep) > 0
}

// onlyAdded is where the lines begin that were added since the last Settle, if
// nothing else was done. New machines do nothing else, and putting a hundred
// thousand lines together for each would cost more than the rest of a commit.
func (f *File) onlyAdded() (from int, only bool) {
	if len(f.steps) == 0 || slices.ContainsFunc(f.steps, func(s step) bool { return !s.added }) {
		return 0, false
	}
	return int(f.steps[0].at), true
}

// Changed lists the addresses and host names whose lookups may differ since
// the last Settle.
func (f *File) Changed() (macs map[netboot.MAC]struct{}, hosts map[netboot.Hostname]struct{}) {
	macs, hosts = map[netboot.MAC]struct{}{}, map[netboot.Hostname]struct{}{}
	note := func(l line) {
		for _, m := range l.macs() {
			macs[m] = struct{}{}
		}
		if !l.host.IsZero() {
			hosts[l.host] = struct{}{}
		}
	}
	for _, s := range f.steps {
		note(parseLine(s.old))
		note(f.lines[s.at])
	}
	// A line that was hidden behind one that went away counts again.
	for m := range macs {
		for _, at := range f.byMAC.of(m) {
			if h := f.lines[at].host; !h.IsZero() {
				hosts[h] = struct{}{}
			}
		}
	}
	return macs, hosts
}

// Settle accepts all edits: they can no longer be undone.
func (f *File) Settle() {
	f.steps = f.steps[:0]
	if f.dead <= 64 || f.dead < len(f.lines)/2 {
		return
	}
	watch := f.watch
	fresh := Parse(f.Bytes())
	fresh.watch, fresh.eol = watch, f.eol
	*f = *fresh
}
