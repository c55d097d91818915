package apidoc

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// member is one entry of a mapping, in the document's order.
type member struct {
	name  string
	value *yaml.Node
}

// members lists a mapping, with what is merged into it by "<<".
func members(n *yaml.Node) (out []member) {
	n = whole(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "<<" {
			out = append(out, members(n.Content[i+1])...)
			continue
		}
		out = append(out, member{n.Content[i].Value, whole(n.Content[i+1])})
	}
	return out
}

// whole follows an alias.
func whole(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// at walks down by names; nil where there is nothing.
func at(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		var next *yaml.Node
		for _, m := range members(n) {
			if m.name == name {
				next = m.value
			}
		}
		n = next
	}
	return whole(n)
}

// items lists a sequence.
func items(n *yaml.Node) (out []*yaml.Node) {
	n = whole(n)
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	for _, c := range n.Content {
		out = append(out, whole(c))
	}
	return out
}

// text is a scalar below n, "" where there is none.
func text(n *yaml.Node, names ...string) string {
	if n = at(n, names...); n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// texts are the scalars of a sequence.
func texts(n *yaml.Node) (out []string) {
	for _, c := range items(n) {
		out = append(out, c.Value)
	}
	return out
}

// refName is the last part of n's $ref.
func refName(n *yaml.Node) string {
	ref := text(n, "$ref")
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// resolved follows n's $ref from the document's root.
func resolved(root, n *yaml.Node) *yaml.Node {
	if path, ok := strings.CutPrefix(text(n, "$ref"), "#/"); ok {
		return resolved(root, at(root, strings.Split(path, "/")...))
	}
	return n
}
