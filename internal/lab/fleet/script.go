package fleet

import (
	"strconv"
	"strings"
	"time"
)

// script is what a machine takes from an answer of /boot-vars.
type script struct {
	hostname string
	item     string        // of the menu, what is booted when nobody is there
	timeout  time.Duration // of the menu
	root     string        // root path of the item, "" for none
}

// Defaults of deploy/tftp/boot.ipxe.cfg, for a machine that is told nothing.
const (
	defaultItem    = "reboot"
	defaultTimeout = 10 * time.Second
)

// read takes an answer as iPXE does, and reports false for one that is no script:
//
//	#!ipxe
//	# boot vars for worker-01
//	set hostname worker-01
//	set menu-default reboot
//	set menu-timeout 1000
func read(answer string) (script, bool) {
	s := script{item: defaultItem, timeout: defaultTimeout}
	if !strings.HasPrefix(answer, "#!ipxe\n") {
		return s, false
	}
	roots := map[string]string{}
	for line := range strings.Lines(answer) {
		rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "set ")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(rest, " ")
		switch name {
		case "hostname":
			s.hostname = value
		case "menu-default":
			s.item = value
		case "menu-timeout":
			ms, err := strconv.Atoi(value)
			if err != nil {
				return s, false // choose would end with an error
			}
			s.timeout = time.Duration(ms) * time.Millisecond
		default:
			if os, ok := strings.CutPrefix(name, "root-"); ok {
				roots[os] = value
			}
		}
	}
	s.root = roots[s.item]
	return s, true
}
