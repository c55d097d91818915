// Package debroot makes machines of Debian's packages that boot systemd in
// namespaces of their own, on a root that is thrown away: what a package
// installs, a unit starts and a sandbox allows is tried in them.
package debroot
