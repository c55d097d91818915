package ledger

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
	"weak"
)

// plainSheet is what a sheet says, kept the plain way.
type plainSheet struct{ rows []row }

func (p *plainSheet) at(id string) int {
	return slices.IndexFunc(p.rows, func(r row) bool { return r.id == id })
}

func (p *plainSheet) put(id, text string) {
	if i := p.at(id); i >= 0 {
		p.rows[i].text = text
	} else {
		p.rows = append(p.rows, row{id, text})
	}
}

func (p *plainSheet) remove(id string) {
	if i := p.at(id); i >= 0 {
		p.rows = slices.Delete(p.rows, i, i+1)
	}
}

func (p *plainSheet) String() string {
	var b strings.Builder
	b.WriteString("schema: 1\nworkers:")
	if len(p.rows) == 0 {
		b.WriteString(" {}")
	}
	b.WriteString("\n")
	for _, r := range p.rows {
		b.WriteString(r.text)
	}
	return b.String() + endMark
}

func sheetText(t *testing.T, s *sheet) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.writeTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestASheetOfAnyNumberOfRowsIsWrittenAsChanged(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, n := range []int{0, 1, shelf - 1, shelf, shelf + 1, 2*shelf - 1, 2 * shelf, 2*shelf + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { changeAtRandom(t, n, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func changeAtRandom(t *testing.T, n int, r *rand.Rand) {
	s, p := newSheet("workers"), &plainSheet{}
	next := 0
	text := func(id string) string {
		return "  " + id + ":\n    n: " + strings.Repeat("x", 1+r.IntN(40)) + "\n"
	}
	add := func() {
		id := fmt.Sprintf("pc-%d", next)
		next++
		t := text(id)
		s.put(id, t)
		p.put(id, t)
	}
	for range n {
		add()
	}
	s.settle()
	for group := range 150 {
		before := slices.Clone(p.rows)
		for range 1 + r.IntN(4) {
			some := fmt.Sprintf("pc-%d", r.IntN(next+1))
			switch r.IntN(6) {
			case 0:
				add()
			case 1:
				s.remove(some)
				p.remove(some)
			case 2: // all of a shelf, or nearly all there are
				from := r.IntN(3) * shelf
				for i := from; i < from+shelf+r.IntN(3)-1 && r.IntN(20) == 0; i++ {
					s.remove(fmt.Sprintf("pc-%d", i))
					p.remove(fmt.Sprintf("pc-%d", i))
				}
			default:
				if p.at(some) < 0 {
					continue
				}
				if r.IntN(4) == 0 { // a row of another life
					s.remove(some)
					p.remove(some)
				}
				t := text(some)
				s.put(some, t)
				p.put(some, t)
			}
		}
		if r.IntN(2) == 0 {
			if got, want := sheetText(t, s), p.String(); got != want {
				t.Fatalf("group %d: %d bytes are written, want %d", group, len(got), len(want))
			}
		}
		if r.IntN(3) == 0 {
			s.rollback()
			p.rows = before
		}
		s.settle()
		if got, want := sheetText(t, s), p.String(); got != want {
			t.Fatalf("group %d settled: %d bytes are written, want %d", group, len(got), len(want))
		}
	}
}

// kept reports whether anything still refers to the memory of text.
func kept(text *string) func() bool {
	p := weak.Make(unsafe.StringData(*text))
	*text = ""
	return func() bool {
		runtime.GC()
		return p.Value() != nil
	}
}

func TestAFewRowsThatAreLeftKeepNoFullShelves(t *testing.T) {
	s := newSheet("workers")
	for i := range 2 * shelf {
		s.put(fmt.Sprint(i), fmt.Sprintf("  %d: {hostname: pc-%d}\n", i, i))
	}
	s.settle()
	sheetText(t, s)
	full := kept(&s.joined[0])
	for i := range 2 * shelf {
		if i%shelf != 7 {
			s.remove(fmt.Sprint(i))
		}
	}
	s.settle()
	if got, want := sheetText(t, s), "schema: 1\nworkers:\n  7: {hostname: pc-7}\n  2055: {hostname: pc-2055}\n...\n"; got != want {
		t.Errorf("%q is written, want %q", got, want)
	}
	if full() {
		t.Error("the text of a full shelf is kept for one row of it")
	}
	runtime.KeepAlive(s)
}

func TestASheetKeepsNotTheWholeFileItWasReadFrom(t *testing.T) {
	for name, content := range map[string]string{
		"as it is written": "schema: 1\nworkers:\n  a:\n    hostname: a\n...\n",
		"a line a row":     "# head\nworkers:\n  a: {hostname: a}\n  b: {hostname: b}\nother: 1\n",
		"empty":            "workers: {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := parseDocument([]byte(content), "workers", presentFormat())
			if err != nil {
				t.Fatal(err)
			}
			s, err := d.sheet()
			if err != nil {
				t.Fatal(err)
			}
			file := kept(&d.lines[0])
			d = nil
			if file() {
				t.Error("it is kept")
			}
			runtime.KeepAlive(s)
		})
	}
}
