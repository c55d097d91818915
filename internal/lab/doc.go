// Package lab builds a small data centre on one host: an isolated network of
// namespaces, the real dnsmasq and tgtd, and QEMU machines without a disk that
// boot by iPXE. The end-to-end tests and the demo run in it.
//
// It owns what it starts and takes all of it away again, whatever happens: by
// Close, on a signal, and, after a kill that left no time, by the next New.
// It knows nothing of the control plane and the agent; to it they are programs.
package lab
