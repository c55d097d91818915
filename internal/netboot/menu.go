package netboot

import (
	"slices"
	"strings"

	"ipxe-all-ready/internal/fault"
)

// OS is one of the systems a disk can hold.
type OS struct{ s string }

// The systems, in the order the menu shows them.
var systems = []string{"windows", "ubuntu", "debian", "centos", "esxi"}

// The other items of the main menu.
var tools = []string{"menu-diag", "menu-install", "config", "shell", "reboot", "exit"}

// ParseOS reads one of windows, ubuntu, debian, centos, esxi in any case.
func ParseOS(s string) (OS, error) {
	if v, ok := find(systems, s); ok {
		return OS{v}, nil
	}
	return OS{}, fault.New(fault.Invalid, "os %q is not one of %s", fault.Clip(s), strings.Join(systems, ", "))
}

// Systems lists every OS in the order the menu shows them.
func Systems() []OS {
	out := make([]OS, len(systems))
	for i, s := range systems {
		out[i] = OS{s}
	}
	return out
}

// IsZero reports whether o is no system.
func (o OS) IsZero() bool { return o.s == "" }

func (o OS) String() string { return o.s }

// MenuItem is the label of one entry of the main menu in menu.ipxe.
type MenuItem struct{ s string }

// ParseMenuItem reads an OS or one of menu-diag, menu-install, config, shell, reboot, exit in any case.
func ParseMenuItem(s string) (MenuItem, error) {
	for _, list := range [][]string{systems, tools} {
		if v, ok := find(list, s); ok {
			return MenuItem{v}, nil
		}
	}
	return MenuItem{}, fault.New(fault.Invalid, "menu item %q is not one of %s, %s",
		fault.Clip(s), strings.Join(systems, ", "), strings.Join(tools, ", "))
}

// MenuItems lists every item of the main menu in its order.
func MenuItems() []MenuItem {
	var out []MenuItem
	for _, list := range [][]string{systems, tools} {
		for _, s := range list {
			out = append(out, MenuItem{s})
		}
	}
	return out
}

// Item is the menu entry that boots o.
func (o OS) Item() MenuItem { return MenuItem(o) }

// Reboot is what a machine without a default does: it asks again.
var Reboot = MenuItem{"reboot"}

// IsZero reports whether m is no item.
func (m MenuItem) IsZero() bool { return m.s == "" }

func (m MenuItem) String() string { return m.s }

func find(list []string, s string) (string, bool) {
	v := lower(s)
	return v, slices.Contains(list, v)
}
