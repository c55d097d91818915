package ledger

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// wreck is what can be told of a file that is broken as a whole: its rows, each
// read by itself, and the names of those that cannot be read.
type wreck struct {
	rows   []field
	broken []lostRow
}

type lostRow struct {
	id  string
	err error
}

// salvageWorkers gives each row that stands in the file, the unreadable ones as
// Broken, so that a fault in one row does not keep the other machines from
// booting.
func salvageWorkers(content []byte) []*Worker {
	w := salvage(content, "workers")
	list, _ := readWorkers(w.rows)
	for _, lost := range w.broken {
		r := field{&yaml.Node{Kind: yaml.ScalarNode, Value: lost.id}, &yaml.Node{Kind: yaml.MappingNode}}
		if x, _ := readWorker(r); x != nil {
			list = append(list, &Worker{ID: x.ID, Broken: lost.err.Error()})
		}
	}
	return list
}

func salvage(content []byte, key string) (w wreck) {
	if d, err := parseDocument(content, key, presentFormat()); err == nil || d != nil && len(d.rows) > 0 {
		w.rows = d.rows
		return w
	}
	blocks := splitBlocks(splitLines(string(content)), key)
	cut := !bytes.Contains(content, []byte("\n...")) && bytes.Contains(append([]byte("\n"), content...), []byte("\nschema:"))
	for i, b := range blocks {
		f, err := b.parse()
		if err == nil && cut && i == len(blocks)-1 {
			err = errCut
		}
		if err != nil {
			w.broken = append(w.broken, lostRow{b.id, err})
			continue
		}
		w.rows = append(w.rows, f)
	}
	return w
}

// pin finds the line of a syntax error: the library names the start of what it
// was reading, which may be the top of the file.
func (d *document) pin(err error, key string) error {
	f := asFlaw(err)
	if !strings.HasPrefix(f.text, "not valid YAML") {
		return err
	}
	for _, b := range splitBlocks(d.lines, key) {
		if _, err := b.parse(); err != nil {
			return err
		}
	}
	return f
}

// culprit is the line of the block, from 0, up to which it could still be read.
func (b *block) culprit() int {
	lines := splitLines(b.text.String())
	for n := min(len(lines), 200) - 1; n > 0; n-- {
		if decode(yaml.NewDecoder(strings.NewReader(join(lines[:n]))), new(yaml.Node)) == nil {
			return n
		}
	}
	return 0
}

// shift moves the line numbers of a piece to where it stands in the file.
func shift(n *yaml.Node, by int) {
	n.Line += by
	for _, c := range n.Content {
		shift(c, by)
	}
}

// block is the lines of one row, found by indentation alone.
type block struct {
	id    string
	first int // 1-based
	text  strings.Builder
}

func splitBlocks(lines []string, key string) (blocks []*block) {
	inside, indent := false, -1
	for i, line := range lines {
		text := strings.TrimSpace(line)
		depth := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case !inside:
			inside = strings.HasPrefix(line, key+":")
			continue
		case text == "" || text[0] == '#':
			if len(blocks) > 0 { // lines count
				blocks[len(blocks)-1].text.WriteString(line)
			}
			continue
		case depth == 0:
			return blocks
		case indent < 0:
			indent = depth
		}
		if depth <= indent {
			name, _, _ := strings.Cut(text, ":")
			blocks = append(blocks, &block{id: strings.Trim(name, `"'`), first: i + 1})
		}
		blocks[len(blocks)-1].text.WriteString(line)
	}
	return blocks
}

func (b *block) parse() (field, error) {
	var doc yaml.Node
	if err := decode(yaml.NewDecoder(strings.NewReader(b.text.String())), &doc); err != nil {
		f := yamlFlaw(err)
		f.line = b.first + b.culprit()
		return field{}, f
	}
	shift(&doc, b.first-1)
	pair := doc.Content[0]
	if pair.Kind != yaml.MappingNode || len(pair.Content) != 2 {
		return field{}, flawAt(b.first, "the row is no mapping")
	}
	budget := maxNodes
	value, _, err := plain(pair.Content[1], &budget, 0)
	return field{pair.Content[0], value}, err
}
