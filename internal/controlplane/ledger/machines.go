package ledger

import "ipxe-all-ready/internal/netboot"

// A machine that boots is found in one index instead of two: its address leads
// to its worker, where it is the first address of the worker's name. Any other
// one is found by way of the name.

// seatChanged does it for the workers that changed since the last snapshot.
func (b *book) seatChanged() {
	for h := range b.changedNames {
		b.seat(h)
	}
}

func (b *book) seatAll() {
	b.machines = index[netboot.MAC, *Worker]{}.edit()
	for h := range b.macOf.all() {
		b.seat(h)
	}
}

// seat brings the first address of h up to who has that name now.
func (b *book) seat(h netboot.Hostname) {
	mac, ok := b.macOf.get(h)
	if !ok {
		return
	}
	bound, _ := b.hostOf.get(mac)
	w, known := b.byHost.get(h)
	if bound == h {
		b.machines.put(mac, w, known)
	}
}
