// Package deb holds the Debian packages; its test installs, upgrades and removes
// them on a machine that runs systemd.
package deb
