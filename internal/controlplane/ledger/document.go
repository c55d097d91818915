package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	schemaVersion = 1
	maxLedger     = 256 << 20 // bytes; 100,000 workers are some 40 MB
	maxNodes      = 20 << 20  // after aliases are expanded
)

// field is one pair of a mapping.
type field struct{ key, value *yaml.Node }

// document is a parsed ledger.
type document struct {
	root   *yaml.Node
	key    *yaml.Node // "workers" or "agents"
	rows   []field
	odd    bool // flow style, anchors or explicit keys: it cannot be split by lines
	lines  []string
	ends   int  // the line of the end mark; len(lines) without one
	ours   bool // it names a schema
	schema int  // 0: none
	format format
	null   bool // nothing stands behind the key
}

// parseDocument reads a YAML ledger down to the rows of its mapping key.
func parseDocument(content []byte, key string, f format) (*document, error) {
	d := &document{lines: splitLines(string(content)), format: f}
	if len(content) > maxLedger {
		return nil, flawAt(0, "the file is larger than %d MiB", maxLedger>>20)
	}
	if len(bytes.TrimSpace(content)) == 0 {
		return nil, flawAt(0, "the file is empty; an empty ledger is written as %q", key+": {}")
	}
	if content[len(content)-1] != '\n' {
		// It is written back with one, which is part of a value that ends there in
		// block style: what would not be read then is not read now either.
		content = append(bytes.Clone(content), '\n')
	}
	if err := d.parse(content); err != nil {
		return nil, d.pin(err, key)
	}
	if err := d.checkEnd(); err != nil {
		return nil, err
	}
	return d, d.find(key)
}

func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func (d *document) parse(content []byte) error {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(content))
	if err := decode(dec, &doc); err != nil {
		if errors.Is(err, io.EOF) {
			return flawAt(0, "the file holds nothing but comments")
		}
		return yamlFlaw(err)
	}
	if err := decode(dec, new(yaml.Node)); !errors.Is(err, io.EOF) {
		if err != nil {
			return yamlFlaw(err)
		}
		return flawAt(0, "the file holds a second document")
	}
	d.root = doc.Content[0]
	if d.root.Kind != yaml.MappingNode {
		return flawAt(d.root.Line, "the file is no mapping")
	}
	budget := maxNodes
	root, odd, err := plain(d.root, &budget, 0)
	d.root, d.odd = root, odd
	return err
}

// decode turns a panic of the library into an error.
func decode(dec *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	return dec.Decode(into)
}

// plain gives n without aliases and anchors. A few lines of aliases can stand
// for billions of nodes, so what they expand to is counted.
func plain(n *yaml.Node, budget *int, depth int) (*yaml.Node, bool, error) {
	if *budget--; *budget < 0 || depth > 200 {
		return n, true, flawAt(n.Line, "the file is nested or repeats itself too much")
	}
	if n.Kind == yaml.AliasNode {
		c, _, err := plain(n.Alias, budget, depth+1)
		return c, true, err
	}
	odd := n.Anchor != ""
	if odd {
		c := *n
		c.Anchor = ""
		c.Content = append([]*yaml.Node(nil), n.Content...)
		n = &c
	}
	for i, child := range n.Content {
		c, childOdd, err := plain(child, budget, depth+1)
		if err != nil {
			return n, true, err
		}
		if childOdd && !odd {
			copied := *n
			copied.Content = append([]*yaml.Node(nil), n.Content...)
			n, odd = &copied, true
		}
		n.Content[i] = c
	}
	return n, odd, nil
}

// checkEnd finds the end mark. Nothing may follow it, and a file of ours that
// has none was cut short, even where the rest reads well.
func (d *document) checkEnd() error {
	d.ends = len(d.lines)
	for i, line := range d.lines {
		if strings.TrimRight(line, " \t\r\n") == "..." {
			d.ends = i
			break
		}
	}
	for i := d.ends + 1; i < len(d.lines); i++ {
		if s := strings.TrimSpace(d.lines[i]); s != "" && s[0] != '#' {
			return flawAt(i+1, "something follows the closing line %q", "...")
		}
	}
	schema := lookup(d.root, "schema")
	if schema == nil {
		return nil
	}
	d.ours = true
	n, err := strconv.Atoi(schema.Value)
	d.schema = n
	switch {
	case err != nil || n < 1:
		return flawAt(schema.Line, "schema %q is no version", schema.Value)
	case n > d.format.version:
		return newer(schema.Line, n, d.format.version)
	case d.ends == len(d.lines):
		return flawAt(len(d.lines), "the closing line %q is missing: the file was cut short; put the rest back, or the line if nothing is missing", "...")
	}
	return nil
}

func lookup(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// find picks the rows under key and refuses what stands twice.
func (d *document) find(key string) error {
	if err := unique(d.root); err != nil {
		return err
	}
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		if d.root.Content[i].Value != key {
			continue
		}
		d.key = d.root.Content[i]
		value := d.root.Content[i+1]
		switch {
		case isNull(value):
			d.null = true
			d.odd = d.odd || value.Line > d.key.Line // ~ on a line of its own
			return nil
		case value.Kind != yaml.MappingNode:
			return flawAt(value.Line, "%s is no mapping", key)
		}
		if twice := repeated(value); twice != nil && twice.Kind == yaml.ScalarNode {
			return flawAt(twice.Line, "%s %s stands twice", strings.TrimSuffix(key, "s"), twice.Value)
		} else if twice != nil {
			return flawAt(twice.Line, "a key is no plain word")
		}
		for j := 0; j+1 < len(value.Content); j += 2 {
			d.rows = append(d.rows, field{value.Content[j], value.Content[j+1]})
		}
		emptyInline := len(d.rows) == 0 && strings.Contains(d.lines[d.key.Line-1], "{}")
		d.odd = d.odd || value.Style&yaml.FlowStyle != 0 && !emptyInline || !d.splittable()
		return nil
	}
	return flawAt(0, "the file has no key %q", key)
}

// raised gives the rows as the present schema has them.
func (d *document) raised() []field {
	for _, r := range d.rows {
		d.format.raise(d.key.Value, d.schema, r.value)
	}
	return d.rows
}

// splittable reports whether each row starts on its own line, at the same column.
func (d *document) splittable() bool {
	last := d.key.Line
	for _, r := range d.rows {
		if r.key.Line <= last || r.key.Column != d.rows[0].key.Column || r.key.Column < 2 || r.key.Line > len(d.lines) {
			return false
		}
		if before := d.lines[r.key.Line-1]; strings.Trim(before[:min(len(before), r.key.Column-1)], " ") != "" {
			return false
		}
		last = r.key.Line
	}
	return d.key.Column == 1
}

func unique(mapping *yaml.Node) error {
	k := repeated(mapping)
	switch {
	case k == nil:
		return nil
	case k.Kind != yaml.ScalarNode:
		return flawAt(k.Line, "a key is no plain word")
	}
	return flawAt(k.Line, "%q stands twice", k.Value)
}

// repeated is the first key that stood before, or that is no plain word; nil
// when there is none.
func repeated(mapping *yaml.Node) *yaml.Node {
	seen := make(map[string]bool, len(mapping.Content)/2)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		k := mapping.Content[i]
		if k.Kind != yaml.ScalarNode || seen[k.Value] {
			return k
		}
		seen[k.Value] = true
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
