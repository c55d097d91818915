// Package e2e proves the product on real parts: the built daemons, dnsmasq,
// tgtd, and diskless machines whose screen and disk say what they did.
// The tests carry the build tag e2e, since they need root, QEMU and minutes.
package e2e
