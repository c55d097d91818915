package ledger

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ipxe-all-ready/internal/controlplane/dhcphosts"
	"ipxe-all-ready/internal/netboot"
)

// manyBindings is from how many on the loss of half of them is no edit.
const manyBindings = 4

const meant = "put them back; if it is meant, delete the workers through the API, or restart ipxe-cp to take the file as it is"

// hostsFlaw says why what stands in the hosts file is no edit that a person
// meant: read in, it would have known machines registered anew, or two of them
// boot one disk. At the start there is nothing to compare with.
func (b *book) hostsFlaw(content []byte, fresh *dhcphosts.File) error {
	if n := b.hostOf.len(); n > 0 && len(bytes.TrimSpace(content)) == 0 {
		return flawAt(0, "the file is empty though it held %d bindings; a file that is meant to be empty holds a comment", n)
	}
	if !b.running {
		return nil
	}
	if at := bytes.IndexByte(content, 0); at >= 0 && bytes.IndexByte(b.hostsText, 0) < 0 {
		return flawAt(lineOf(content, at), "the line holds a NUL byte: the file is damaged; put back what was in it")
	}
	if at := notUTF8(content); at >= 0 && utf8.Valid(b.hostsText) {
		return flawAt(lineOf(content, at), "the line is not valid UTF-8: put back what was in it, or save the file as UTF-8")
	}
	if len(content) > 0 && content[len(content)-1] != '\n' && bytes.HasSuffix(b.hostsText, []byte("\n")) {
		return flawAt(lineOf(content, len(content)), "the last line ends without a newline; was the file cut short? End it with one if nothing is missing")
	}
	return b.lossFlaw(fresh)
}

// lossFlaw compares the bindings with those that stood.
func (b *book) lossFlaw(fresh *dhcphosts.File) error {
	known, standing := 0, 0
	var gone []netboot.Hostname
	b.hosts.Bindings(func(mac netboot.MAC, h netboot.Hostname) {
		known++
		_, bound := fresh.Binding(mac)
		_, named := fresh.MACOf(h) // a card that was replaced
		if bound || named {
			return
		}
		gone = append(gone, h)
		if _, ok := b.byHost.get(h); ok {
			standing++
		}
	})
	if len(gone) == 0 {
		return nil
	}
	if line := fresh.NewlyBad(b.hosts); line > 0 {
		return flawAt(line, "the line cannot be read, and the file has lost %s: %s", bindingsOf(gone), meant)
	}
	if known >= manyBindings && 2*standing >= known {
		return flawAt(0, "the file has lost %s of %d at once, while their workers are in the ledger: %s", bindingsOf(gone), known, meant)
	}
	return nil
}

// bindingsOf names a few: "9 bindings (pc-01, pc-02, pc-03, pc-04, …)".
func bindingsOf(hosts []netboot.Hostname) string {
	slices.SortFunc(hosts, func(a, b netboot.Hostname) int { return naturally(a.String(), b.String()) })
	var names []string
	for _, h := range hosts[:min(4, len(hosts))] {
		names = append(names, h.String())
	}
	if len(names) < len(hosts) {
		names = append(names, "…")
	}
	if len(hosts) == 1 {
		return "the binding of " + names[0]
	}
	return fmt.Sprintf("%d bindings (%s)", len(hosts), strings.Join(names, ", "))
}

func notUTF8(content []byte) int {
	for at := 0; at < len(content); {
		r, size := utf8.DecodeRune(content[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
	return -1
}
