// Package fleet powers on thousands of machines at once: each does what
// deploy/tftp makes iPXE do, with the script's own pauses and retries, over TCP
// and from an address of its own, against one real ipxe-cp process. Beside it
// stand a DHCP server that learns names as dnsmasq does, storage nodes that are
// slow, refuse, hang and go away, consoles that poll, and a person who edits the
// ledgers. What a machine would have seen is counted.
package fleet
