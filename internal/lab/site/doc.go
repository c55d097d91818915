// Package site puts the product into a lab: a control plane with dnsmasq
// beside it, and two storage nodes with an agent each, all of them the built
// programs. The end-to-end tests prove it, the demo shows it.
package site
