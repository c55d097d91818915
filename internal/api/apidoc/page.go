package apidoc

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// Pages makes the pages by file name.
func Pages(openapi []byte) (map[string][]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(openapi, &doc); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	root := doc.Content[0]
	return map[string][]byte{
		"api.md":    (&page{words: english, root: root}).make(),
		"api.zh.md": (&page{words: chinese, root: root}).make(),
	}, nil
}

// page is one page being written.
type page struct {
	words
	strings.Builder
	root *yaml.Node
}

func (p *page) put(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// said is a text of n in the page's language.
func (p *page) said(n *yaml.Node, name string) string {
	if p.suffix != "" {
		name = "x-" + name + p.suffix
	}
	return text(n, name)
}

func (p *page) make() []byte {
	p.put("# %s\n\n%s\n\n<!-- %s -->\n\n", p.title, p.other, p.made)
	info := at(p.root, "info")
	p.put("%s\n\n%s\n\n", p.said(info, "summary"), p.said(info, "description"))
	p.put("%s\n\n```sh\nCP=%s\nTOKEN=…\n```\n\n", p.intro, text(items(at(p.root, "servers"))[0], "url"))
	for _, tag := range items(at(p.root, "tags")) {
		p.put("## %s\n\n", text(tag, "x-title"+p.suffix))
		for _, path := range members(at(p.root, "paths")) {
			for _, m := range members(path.value) {
				if m.name != "parameters" && len(texts(at(m.value, "tags"))) > 0 && texts(at(m.value, "tags"))[0] == text(tag, "name") {
					p.operation(operation{path: path.name, method: strings.ToUpper(m.name), node: m.value, shared: at(path.value, "parameters")})
				}
			}
		}
	}
	p.schemas()
	p.errorCodes()
	return []byte(strings.TrimRight(p.String(), "\n") + "\n")
}

func (p *page) operation(o operation) {
	params := p.params(o)
	p.put("### `%s %s`\n\n%s\n\n```sh\n%s\n```\n\n", o.method, o.path, p.said(o.node, "summary"), p.curl(o, params))
	if len(params) > 0 {
		p.put("| %s | %s | %s | %s |\n|---|---|---|---|\n", p.parameter, p.in, p.typ, p.what)
		for _, n := range params {
			p.put("| `%s` | %s | %s | %s |\n", text(n, "name"), text(n, "in"), p.typeOf(at(n, "schema"), text(n, "required") == "true"), cell(p.said(n, "description")))
		}
		p.put("\n")
	}
	if schema := p.bodySchema(o); schema != nil {
		p.put("%s:\n\n", p.body)
		p.fields(resolved(p.root, schema))
	}
	p.put("%s: ", p.answers)
	for i, r := range members(at(o.node, "responses")) {
		if i > 0 {
			p.put(" · ")
		}
		p.put("`%s`", r.name)
		if t := p.answerType(r.value); t != "" {
			p.put(" %s", t)
		}
	}
	p.put("\n\n")
}

func (p *page) bodySchema(o operation) *yaml.Node {
	return at(o.node, "requestBody", "content", "application/json", "schema")
}

// answerType names what a good answer holds; errors all hold the same.
func (p *page) answerType(r *yaml.Node) string {
	if strings.HasPrefix(refName(r), "Task") {
		return "`{task_id}`"
	}
	schema := at(r, "content", "application/json", "schema")
	if schema == nil || at(r, "$ref") != nil {
		return ""
	}
	return p.typeOf(schema, false)
}

// cell keeps a text inside its table cell.
func cell(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ") }
