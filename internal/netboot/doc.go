// Package netboot owns the words of a booting machine: MAC, Hostname, worker
// and agent ids, OS, MenuItem and BootVars. Each is made by a Parse function
// or is its zero value, which is never valid; none does I/O.
package netboot
