// Package site puts the product into a lab: a control plane with dnsmasq and
// nginx beside it, and two storage nodes with an agent each, all of them the built
// programs. The end-to-end tests prove it, the demo shows it.
package site
