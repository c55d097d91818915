package apidoc

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// schemas lists every object of the document.
func (p *page) schemas() {
	p.put("## %s\n\n", p.objects)
	for _, s := range members(at(p.root, "components", "schemas")) {
		p.put("### %s\n\n", s.name)
		if at(s.value, "properties") == nil {
			p.put("%s\n\n", p.typeOf(s.value, false))
			continue
		}
		p.fields(s.value)
	}
}

// fields lists the members of an object, those of its inner objects by their path.
func (p *page) fields(schema *yaml.Node) {
	p.put("| %s | %s | %s |\n|---|---|---|\n", p.field, p.typ, p.what)
	p.rows("", schema)
	p.put("\n")
}

func (p *page) rows(prefix string, schema *yaml.Node) {
	required := texts(at(schema, "required"))
	for _, f := range members(at(schema, "properties")) {
		p.put("| `%s%s` | %s | %s |\n", prefix, f.name, p.typeOf(f.value, slices.Contains(required, f.name)), cell(p.said(f.value, "description")))
		inner, dot := f.value, "."
		if text(inner, "type") == "array" {
			inner, dot = at(inner, "items"), "[]."
		}
		if refName(inner) == "" && at(inner, "properties") != nil {
			p.rows(prefix+f.name+dot, inner)
		}
	}
}

// typeOf is a schema in a few words; an object of its own is a link.
func (p *page) typeOf(s *yaml.Node, required bool) string {
	t := p.plainType(s)
	if required {
		t += ", " + p.required
	}
	return t
}

func (p *page) plainType(s *yaml.Node) string {
	switch {
	case refName(s) != "":
		return "[" + refName(s) + "](#" + strings.ToLower(refName(s)) + ")"
	case at(s, "enum") != nil:
		return "`" + strings.Join(texts(at(s, "enum")), "` `") + "`"
	case at(s, "const") != nil:
		return "`" + text(s, "const") + "`"
	case at(s, "oneOf") != nil:
		var parts []string
		for _, c := range items(at(s, "oneOf")) {
			parts = append(parts, p.plainType(c))
		}
		return strings.Join(parts, " / ")
	case at(s, "type") != nil && at(s, "type").Kind == yaml.SequenceNode:
		return strings.Join(texts(at(s, "type")), " / ")
	case text(s, "type") == "array":
		return p.list + " " + p.plainType(at(s, "items"))
	case text(s, "format") != "":
		return text(s, "format")
	}
	return text(s, "type")
}

func (p *page) errorCodes() {
	p.put("## %s\n\n| %s | %s |\n|---|---|\n", p.codes, p.code, p.what)
	for _, c := range members(at(p.root, "x-error-codes")) {
		p.put("| `%s` | %s |\n", c.name, cell(text(c.value, p.lang)))
	}
}
