package apidoc

import (
	"encoding/json"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"
)

// operation is one method of one path.
type operation struct {
	path, method string
	node, shared *yaml.Node // shared: the path's own parameters
}

// params are the path's and the operation's parameters.
func (p *page) params(o operation) (out []*yaml.Node) {
	for _, n := range append(items(o.shared), items(at(o.node, "parameters"))...) {
		out = append(out, resolved(p.root, n))
	}
	return out
}

// curl is a line that a person can paste.
func (p *page) curl(o operation, params []*yaml.Node) string {
	line := "curl"
	if text(o.node, "operationId") == "events" {
		line += " -N" // as they come
	}
	if o.method != "GET" {
		line += " -X " + o.method
	}
	if at(o.node, "security") == nil {
		line += ` -H "Authorization: Bearer $TOKEN"`
	}
	line += ` "$CP` + exampleURL(o, params) + `"`
	if body := exampleBody(o); body != "" {
		line += " \\\n  -d '" + body + "'"
	}
	return line
}

// exampleURL is the path with every example filled in.
func exampleURL(o operation, params []*yaml.Node) string {
	path := o.path
	var query []string
	for _, n := range params {
		name, example := text(n, "name"), text(n, "example")
		switch text(n, "in") {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", example)
		case "query":
			if example != "" {
				query = append(query, name+"="+strings.ReplaceAll(url.QueryEscape(example), "%3A", ":"))
			}
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	return path
}

// exampleBody is the example as JSON, in the document's order.
func exampleBody(o operation) string {
	n := at(o.node, "requestBody", "content", "application/json", "example")
	if n == nil {
		return ""
	}
	var b strings.Builder
	writeJSON(&b, n)
	return b.String()
}

func writeJSON(b *strings.Builder, n *yaml.Node) {
	switch n = whole(n); n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i, m := range members(n) {
			if i > 0 {
				b.WriteByte(',')
			}
			quote(b, m.name)
			b.WriteByte(':')
			writeJSON(b, m.value)
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, c := range items(n) {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, c)
		}
		b.WriteByte(']')
	default:
		if n.Tag == "!!str" {
			quote(b, n.Value)
			return
		}
		b.WriteString(n.Value) // numbers, booleans and null are spelled alike
	}
}

func quote(b *strings.Builder, s string) {
	q, _ := json.Marshal(s) // a string always encodes
	b.Write(q)
}
