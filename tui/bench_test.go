package tui_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/i18n"
)

const large = 10000

// crowd is a console on the list of ten thousand workers, in a large window. It
// has no terminal and no loop: messages go in by hand.
func crowd(b *testing.B) *tui.Model {
	b.Helper()
	table := answers()
	table["/workers"] = fleet(large)
	s := serve(b, table)
	o := options(s.URL, i18n.English, true)
	o.Now, o.Zone = func() time.Time { return noon }, time.UTC
	m := tui.New(o)
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	_, cmd := m.Update(key("2"))
	pump(m, cmd)
	return m
}

// pump answers commands until there are no more of those that load.
func pump(m *tui.Model, cmd tea.Cmd) {
	todo := []tea.Cmd{cmd}
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		if next == nil {
			continue
		}
		msg := next()
		if batch, ok := msg.(tea.BatchMsg); ok {
			todo = append(todo, batch...)
			continue
		}
		_, cmd := m.Update(msg)
		todo = append(todo, cmd)
	}
}

// measure sends messages in turn and reports how long one takes to its frame.
func measure(b *testing.B, m *tui.Model, msgs func(i int) tea.Msg) {
	b.Helper()
	took := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		m.Update(msgs(i))
		_ = m.View()
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

func BenchmarkAKeyMovesTheCursorAmongTenThousand(b *testing.B) {
	m := crowd(b)
	moves := []tea.Msg{tea.KeyMsg{Type: tea.KeyDown}, tea.KeyMsg{Type: tea.KeyPgDown}, tea.KeyMsg{Type: tea.KeyEnd}, tea.KeyMsg{Type: tea.KeyUp}, tea.KeyMsg{Type: tea.KeyHome}}
	measure(b, m, func(i int) tea.Msg { return moves[i%len(moves)] })
}

func BenchmarkShiftExtendsARangeOverTenThousand(b *testing.B) {
	m := crowd(b)
	moves := []tea.Msg{tea.KeyMsg{Type: tea.KeyShiftEnd}, tea.KeyMsg{Type: tea.KeyShiftUp}, tea.KeyMsg{Type: tea.KeyShiftHome}, tea.KeyMsg{Type: tea.KeyShiftDown}}
	measure(b, m, func(i int) tea.Msg { return moves[i%len(moves)] })
}

func BenchmarkTypingAFilterOverTenThousand(b *testing.B) {
	m := crowd(b)
	m.Update(key("/"))
	typed := []tea.Msg{key("w"), key("o"), key("9"), tea.KeyMsg{Type: tea.KeyCtrlU}, key("s"), key("tate:ready"), tea.KeyMsg{Type: tea.KeyCtrlU}}
	measure(b, m, func(i int) tea.Msg { return typed[i%len(typed)] })
}

func BenchmarkASortOfTenThousand(b *testing.B) {
	m := crowd(b)
	measure(b, m, func(i int) tea.Msg { return key([]string{"s", "S"}[i%2]) })
}

func BenchmarkAnEventAmongTenThousand(b *testing.B) {
	m := crowd(b)
	rows := fleet(large)
	msgs := make([]tea.Msg, 500)
	for i := range msgs {
		w := rows[(i*7919)%large]
		w.State = "ready"
		msgs[i] = event(api.EventWorker, "updated", w.WorkerID, w)
	}
	measure(b, m, func(i int) tea.Msg { return msgs[i%len(msgs)] })
}

// BenchmarkTheFirstPaintOfTenThousand is from the decoded answer to the frame.
func BenchmarkTheFirstPaintOfTenThousand(b *testing.B) {
	table := answers()
	table["/workers"] = fleet(large)
	s := serve(b, table)
	for range b.N {
		b.StopTimer()
		o := options(s.URL, i18n.English, true)
		o.Now, o.Zone = func() time.Time { return noon }, time.UTC
		m := tui.New(o)
		m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
		_, cmd := m.Update(key("2"))
		var loaded []tea.Msg
		for _, c := range cmd().(tea.BatchMsg) {
			if c != nil {
				loaded = append(loaded, flat(c)...)
			}
		}
		b.StartTimer()
		for _, msg := range loaded {
			m.Update(msg)
		}
		if f := m.View(); len(f) < 1000 {
			b.Fatal(fmt.Sprint("no frame: ", f))
		}
	}
}

func flat(c tea.Cmd) []tea.Msg {
	msg := c()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Msg{msg}
	}
	var out []tea.Msg
	for _, c := range batch {
		if c != nil {
			out = append(out, flat(c)...)
		}
	}
	return out
}
