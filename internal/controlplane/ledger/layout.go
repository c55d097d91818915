package ledger

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// sheet splits the document into rows by its lines. A file in flow style or
// with anchors is written anew in block style first.
func (d *document) sheet() (*sheet, error) {
	if d.odd {
		return d.reencoded()
	}
	s := newSheet(d.key.Value)
	s.head = d.headText()
	if len(d.rows) == 0 {
		s.title = s.key + ":\n"
		s.tail = d.tailText(d.key.Line + 1)
		return s, nil
	}
	s.indent = d.rows[0].key.Column - 1
	after := d.startOf(d.nextRootKey(), 1)
	first := d.startOf(d.rows[0].key.Line, s.indent+1)
	s.title = join(d.lines[d.key.Line-1 : first-1])
	for i, r := range d.rows {
		end := after
		if i+1 < len(d.rows) {
			end = d.startOf(d.rows[i+1].key.Line, s.indent+1)
		}
		s.add(strings.ToLower(r.key.Value), closed(join(d.lines[d.startOf(r.key.Line, s.indent+1)-1:end-1])))
	}
	s.tail = d.tailText(after)
	return s, d.raiseRows(s)
}

func (s *sheet) add(id, text string) {
	s.rows = append(s.rows, row{id, text})
	s.at[id] = len(s.rows) - 1
}

// nextRootKey is the line of the root key behind ours, else that of the end mark.
func (d *document) nextRootKey() int {
	for i := 0; i+2 < len(d.root.Content); i += 2 {
		if d.root.Content[i] == d.key {
			return d.root.Content[i+2].Line
		}
	}
	return d.ends + 1
}

// startOf moves a 1-based line up over the comments that stand right above it.
// A comment that is indented deeper than column may be part of a text above.
func (d *document) startOf(line, column int) int {
	for line > d.key.Line+1 {
		above := d.lines[line-2]
		text := strings.TrimLeft(above, " ")
		if !strings.HasPrefix(text, "#") || len(above)-len(text) >= column {
			break
		}
		line--
	}
	return line
}

// headText is all before the key, with a schema.
func (d *document) headText() string {
	head := slices.Clone(d.lines[:d.key.Line-1])
	if schema := lookup(d.root, "schema"); schema != nil {
		if at := schema.Line - 1; d.schema < d.format.version && at < len(head) {
			head[at] = strings.Replace(head[at], schema.Value, strconv.Itoa(d.format.version), 1)
		}
		return join(head)
	}
	first := d.root.Content[0].Line
	return join(head[:first-1]) + fmt.Sprintf("schema: %d\n", d.format.version) + join(head[first-1:])
}

// tailText is all from a 1-based line on, with an end mark.
func (d *document) tailText(from int) string {
	text := closed(join(d.lines[min(from-1, len(d.lines)):]))
	if d.ends == len(d.lines) {
		text += endMark
	}
	return text
}

// join makes a text that keeps no more than itself in memory.
func join(lines []string) string {
	if len(lines) == 1 {
		return strings.Clone(lines[0]) // it would be a part of its whole file
	}
	return strings.Join(lines, "")
}

// closed gives the last line of a text its line end.
func closed(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		return text + "\n"
	}
	return text
}

// reencoded makes a sheet of nodes instead of lines.
func (d *document) reencoded() (*sheet, error) {
	s := newSheet(d.key.Value)
	before, after := &yaml.Node{Kind: yaml.MappingNode}, &yaml.Node{Kind: yaml.MappingNode}
	if schema := lookup(d.root, "schema"); schema != nil && d.schema < d.format.version {
		schema.Value = strconv.Itoa(d.format.version)
	}
	part := before
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		if d.root.Content[i] == d.key {
			part = after
			continue
		}
		part.Content = append(part.Content, d.root.Content[i], d.root.Content[i+1])
	}
	head, err := encoded(before)
	if err != nil {
		return nil, err
	}
	tail, err := encoded(after)
	if err != nil {
		return nil, err
	}
	if !d.ours {
		head = fmt.Sprintf("schema: %d\n", d.format.version) + head
	}
	s.head, s.tail = head, tail+endMark
	for _, r := range d.rows {
		inBlocks(r.value)
		text, err := s.render(r.key, r.value)
		if err != nil {
			return nil, err
		}
		s.add(strings.ToLower(r.key.Value), text)
	}
	return s, d.raiseRows(s)
}

// render is one row at the sheet's indentation.
func (s *sheet) render(key, value *yaml.Node) (string, error) {
	text, err := encoded(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}})
	return s.indented(text), err
}

func inBlocks(n *yaml.Node) {
	if len(n.Content) > 0 {
		n.Style &^= yaml.FlowStyle
	}
	for _, c := range n.Content {
		inBlocks(c)
	}
}

func encoded(n *yaml.Node) (text string, err error) {
	if len(n.Content) == 0 {
		return "", nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("encode YAML: %v", p)
		}
	}()
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return "", fmt.Errorf("encode YAML: %w", err)
	}
	return b.String(), nil
}
