// Package torture holds the trial of both daemons: it runs the programs as they
// are shipped, stops them at every step of every write, fails those steps, cuts
// the power of a modelled and of a real disk, and looks whether anything that
// was acknowledged is missing afterwards. It has no users; `make torture` runs
// the long form and the integration tests a short one.
//
// The daemons know nothing of it: a filter in the kernel (seccomp's user
// notification) hands every system call that changes a file to the warden here,
// which notes it, lets it pass, fails it or kills the caller instead.
package torture
