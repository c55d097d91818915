// Package choice makes the lists that forms choose from: systems, nodes, masters.
package choice

import (
	"slices"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/ui"
)

// Systems is what a disk may be for.
var Systems = []string{"ubuntu", "debian", "centos", "windows", "esxi"}

// MenuItems is what the boot menu knows beside systems.
var MenuItems = []string{"menu-diag", "menu-install", "config", "shell", "reboot", "exit"}

// Of is values as options that show themselves.
func Of(values ...string) []dialog.Option {
	out := make([]dialog.Option, 0, len(values))
	for _, v := range values {
		out = append(out, dialog.Option{Value: v, Label: v})
	}
	return out
}

// Without is the systems that are not among the worker's disks.
func Without(disks []api.Disk) []string {
	return slices.DeleteFunc(slices.Clone(Systems), func(os string) bool {
		return slices.ContainsFunc(disks, func(d api.Disk) bool { return d.OS == os })
	})
}

// DiskNodes is the nodes that may be given disks.
func DiskNodes(c *ui.Ctx) []api.Agent {
	return slices.DeleteFunc(slices.Clone(c.Store.Agents), func(a api.Agent) bool { return !a.Enabled || !a.Role.Disk })
}

// CDNodes is those that may be given CDs.
func CDNodes(c *ui.Ctx) []api.Agent {
	return slices.DeleteFunc(slices.Clone(c.Store.Agents), func(a api.Agent) bool { return !a.Enabled || !a.Role.CD })
}

// Nodes is nodes as options, the choice of the control plane first.
func Nodes(c *ui.Ctx, nodes []api.Agent) []dialog.Option {
	out := []dialog.Option{{Value: "", Label: c.T("choice.auto")}}
	for _, a := range nodes {
		out = append(out, dialog.Option{Value: a.ID, Label: a.ID + " · " + Free(c, a)})
	}
	return out
}

// Free is a node's free space, or what is wrong with it.
func Free(c *ui.Ctx, a api.Agent) string {
	switch {
	case a.Health != "" && a.Health != "ok":
		return c.T("health." + a.Health)
	case a.Capabilities == nil || a.Capabilities.TotalBytes == 0:
		return c.T("free.unknown")
	}
	return c.T("free", cell.Bytes(a.Capabilities.FreeBytes))
}

// Masters is the golden images on a node, or on any where node is empty.
func Masters(c *ui.Ctx, node string) []dialog.Option {
	sizes, where := map[string]int64{}, map[string][]string{}
	for _, a := range c.Store.Masters {
		if node != "" && a.Agent != node {
			continue
		}
		for _, m := range a.Masters {
			sizes[m.Name] = m.Size
			where[m.Name] = append(where[m.Name], a.Agent)
		}
	}
	var out []dialog.Option
	for name, size := range sizes {
		out = append(out, dialog.Option{Value: name, Label: name + " · " + cell.Bytes(size) + " · " + strings.Join(where[name], ",")})
	}
	slices.SortFunc(out, func(a, b dialog.Option) int {
		return strings.Compare(cell.NaturalKey(a.Value), cell.NaturalKey(b.Value))
	})
	return out
}

// HasMaster reports whether a node has a golden image; true where nobody knows.
func HasMaster(c *ui.Ctx, node, name string) bool {
	for _, a := range c.Store.Masters {
		if a.Agent == node && a.Error == "" {
			return slices.ContainsFunc(a.Masters, func(m api.Master) bool { return m.Name == name })
		}
	}
	return true
}

// Source is the fields that say what a disk is made from. node is the name of
// the field with the node, "" for none; existing offers to attach kept files.
func Source(c *ui.Ctx, node string, existing bool) []dialog.Field {
	types := []dialog.Option{{Value: "empty", Label: c.T("type.empty")}, {Value: "master", Label: c.T("type.master")}}
	if existing {
		types = append(types, dialog.Option{Value: "existing", Label: c.T("type.existing")})
	}
	return []dialog.Field{
		{Name: "type", Label: c.T("disk.from"), Kind: dialog.Choice, Options: types},
		{Name: "size", Label: c.T("disk.size"), Value: "40G", Hint: c.T("size.hint"),
			Hidden: func(v dialog.Values) bool { return v["type"] != "empty" }},
		{Name: "name", Label: c.T("disk.master"), Kind: dialog.Choice, Hint: c.T("master.hint"),
			Choices: func(v dialog.Values) []dialog.Option { return Masters(c, v[node]) },
			Hidden:  func(v dialog.Values) bool { return v["type"] != "master" }},
	}
}

// CheckSource is what is wrong with those fields, and with which.
func CheckSource(c *ui.Ctx, v dialog.Values) (field, wrong string) {
	if v["type"] == "empty" && v["size"] == "" {
		return "size", c.T("need", c.T("disk.size"))
	}
	if v["type"] == "master" && v["name"] == "" {
		return "name", c.T("need.master")
	}
	return "", ""
}

// Made is name and size as the API wants them: the one that the type asks for.
func Made(v dialog.Values) (name, size string) {
	switch v["type"] {
	case "master":
		return v["name"], ""
	case "empty":
		return "", v["size"]
	}
	return "", ""
}

// MasterSize is how large a golden image is on a node, 0 where nobody knows.
func MasterSize(c *ui.Ctx, node, name string) int64 {
	for _, a := range c.Store.Masters {
		for _, m := range a.Masters {
			if a.Agent == node && m.Name == name {
				return m.Size
			}
		}
	}
	return 0
}
