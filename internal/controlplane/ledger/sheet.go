package ledger

import (
	"bufio"
	"io"
	"strings"
)

// sheet is a YAML ledger as text: the rows of one mapping, each with its own
// lines, and what stands around them. A row that nobody changes is written as
// it was read.
//
//	# head: comments and other keys
//	schema: 1
//	workers:
//	  worker-01:
//	    hostname: worker-01
//	...
type sheet struct {
	key    string // "workers" or "agents"
	head   string
	title  string // the line of the key
	rows   []row
	joined []string       // the texts of shelf rows each; empty: one of them changed
	at     map[string]int // id → place in rows
	dead   int
	indent int // of the ids
	tail   string

	steps []rowStep // since the last settle
}

type row struct{ id, text string } // no text: removed

type rowStep struct {
	at    int
	old   row
	added bool
}

// shelf is how many rows are kept as one text: few enough that one changed row
// does not make ten thousand be put together again, many enough that the file is
// written in large pieces, which its page cache likes.
const shelf = 2048

// endMark closes a file of ours; without it the file was cut short.
const endMark = "...\n"

func newSheet(key string) *sheet {
	return &sheet{key: key, head: "schema: 1\n", title: key + ":\n", at: map[string]int{}, indent: 2, tail: endMark}
}

func (s *sheet) text(id string) string {
	if i, ok := s.at[id]; ok {
		return s.rows[i].text
	}
	return ""
}

// put adds a row at the end or replaces it in its place.
func (s *sheet) put(id, text string) {
	i, had := s.at[id]
	if !had {
		s.rows = append(s.rows, row{id, text})
		s.at[id] = len(s.rows) - 1
		s.steps = append(s.steps, rowStep{at: len(s.rows) - 1, added: true})
		s.touch(len(s.rows) - 1)
		return
	}
	s.steps = append(s.steps, rowStep{at: i, old: s.rows[i]})
	s.rows[i].text = text
	s.touch(i)
}

func (s *sheet) touch(at int) {
	if at/shelf < len(s.joined) {
		s.joined[at/shelf] = ""
	}
}

func (s *sheet) remove(id string) {
	i, had := s.at[id]
	if !had {
		return
	}
	s.steps = append(s.steps, rowStep{at: i, old: s.rows[i]})
	s.rows[i].text = ""
	s.dead++
	delete(s.at, id)
	s.touch(i)
}

// rollback undoes all since the last settle.
func (s *sheet) rollback() {
	for len(s.steps) > 0 {
		step := s.steps[len(s.steps)-1]
		s.steps = s.steps[:len(s.steps)-1]
		s.touch(step.at)
		switch now := s.rows[step.at]; {
		case step.added:
			delete(s.at, now.id)
			s.rows = s.rows[:step.at]
		case now.text == "":
			s.dead--
			s.at[now.id] = step.at
			s.rows[step.at] = step.old
		default:
			s.rows[step.at] = step.old
		}
	}
}

// settle accepts all changes. It keeps nothing of what was: an old row's text
// may be part of a whole shelf.
func (s *sheet) settle() {
	s.steps = nil
	if s.dead <= 64 || s.dead < len(s.rows)/2 {
		return
	}
	live, at := make([]row, 0, len(s.at)), make(map[string]int, len(s.at))
	for _, r := range s.rows {
		if r.text != "" {
			at[r.id] = len(live)
			live = append(live, row{r.id, strings.Clone(r.text)})
		}
	}
	s.rows, s.at, s.joined, s.dead = live, at, nil, 0
}

func (s *sheet) writeTo(w io.Writer) error {
	out := bufio.NewWriterSize(w, 128<<10) // a full shelf is larger and is not copied
	out.WriteString(s.head)
	if len(s.at) == 0 {
		out.WriteString(s.key + ": {}\n")
	} else {
		out.WriteString(s.title)
	}
	full := len(s.rows) / shelf * shelf
	for at := 0; at < full; at += shelf {
		out.WriteString(s.shelfAt(at))
	}
	for _, r := range s.rows[full:] { // the last one grows with each newcomer
		out.WriteString(r.text)
	}
	out.WriteString(s.tail)
	return out.Flush()
}

// shelfAt is the text of the full shelf from at on. Its rows share its memory
// from then on.
func (s *sheet) shelfAt(at int) string {
	rows := s.rows[at : at+shelf]
	if n := at / shelf; n < len(s.joined) && s.joined[n] != "" {
		return s.joined[n]
	}
	var b strings.Builder
	length := 0
	for _, r := range rows {
		length += len(r.text)
	}
	b.Grow(length)
	for _, r := range rows {
		b.WriteString(r.text)
	}
	text := b.String()
	for from, i := 0, 0; i < len(rows); i++ {
		to := from + len(rows[i].text)
		rows[i].text, from = text[from:to], to
	}
	for len(s.joined) <= at/shelf {
		s.joined = append(s.joined, "")
	}
	s.joined[at/shelf] = text
	return text
}

// indented moves text to the column of the rows.
func (s *sheet) indented(text string) string {
	pad := strings.Repeat(" ", s.indent)
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(pad)
		}
		b.WriteString(line)
	}
	return b.String()
}
