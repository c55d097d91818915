// Package dhcphosts owns dhcp-hosts.conf, the only truth about which MAC has
// which host name: it reads and edits the file without losing a byte of what
// people put into it, reads a line as dnsmasq 2.90 does, and tells dnsmasq to
// read it again. When and how the bytes reach the disk is the ledger's.
package dhcphosts
