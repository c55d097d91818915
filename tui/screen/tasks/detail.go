package tasks

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/cell"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/keys"
	"ipxe-all-ready/tui/screen/rows"
	"ipxe-all-ready/tui/store"
	"ipxe-all-ready/tui/table"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// Detail is one task and how each of its items goes.
type Detail struct {
	c      *ui.Ctx
	id     string
	task   api.Task
	known  bool
	asking bool
	err    error
	fresh  bool // it was begun from marked workers, and has not ended yet
	list   *rows.List[api.TaskItem]
}

// Follow shows a task and asks for it until it has ended.
func Follow(c *ui.Ctx, id string) tea.Cmd { return follow(c, id, false) }

// FollowInstead does so in place of the screen that is on.
func FollowInstead(c *ui.Ctx, id string) tea.Cmd { return follow(c, id, true) }

func follow(c *ui.Ctx, id string, replace bool) tea.Cmd {
	d := &Detail{c: c, id: id, fresh: replace, list: rows.New(c, table.Options[api.TaskItem]{
		ID: func(i api.TaskItem) string { return i.WorkerID },
		Search: func(i api.TaskItem) string {
			return i.WorkerID + " " + i.Agent + " " + i.State + " " + i.Error + " " + i.Reason
		},
		Columns: itemColumns(c),
	})}
	if t, ok := c.Store.Task(id); ok {
		d.put(t)
	}
	c.Post(ui.Push{Screen: d, Replace: replace})
	return d.ask()
}

func itemColumns(c *ui.Ctx) []table.Column[api.TaskItem] {
	return []table.Column[api.TaskItem]{
		{Title: "col.worker", Name: true, Min: 12, Grow: 1, Text: func(i api.TaskItem) string { return i.WorkerID }},
		{Title: "col.node", Name: true, Min: 8, Grow: 1, Drop: 2, Text: func(i api.TaskItem) string { return i.Agent }},
		{Title: "col.state", Min: 12, Text: func(i api.TaskItem) string { return itemWord(c, i) }, Role: func(i api.TaskItem) theme.Role { return Role(i.State) }},
		{Title: "col.detail", Min: 18, Grow: 4, Text: itemDetail},
	}
}

func itemWord(c *ui.Ctx, i api.TaskItem) string {
	if i.State == api.TaskSucceeded && i.Reason != "" {
		return "= " + c.T("task.skipped")
	}
	return Word(c, i.State)
}

func itemDetail(i api.TaskItem) string {
	switch {
	case i.Error != "":
		return i.Error
	case i.Reason != "":
		return i.Reason
	case i.BytesTotal > 0 && !api.Ended(i.State):
		return cell.Bar(i.BytesDone, i.BytesTotal, 12) + " " + cell.Bytes(i.BytesDone) + " / " + cell.Bytes(i.BytesTotal)
	}
	return ""
}

// itemText is all of an item: its sentence is longer than a line of the list.
func itemText(c *ui.Ctx, i api.TaskItem) ui.Dialog {
	lines := []string{c.Paint(Role(i.State), itemWord(c, i))}
	if i.Agent != "" {
		lines = append(lines, c.T("disk.node")+": "+cell.Clean(i.Agent))
	}
	if text := itemDetail(i); text != "" {
		lines = append(lines, "", cell.Clean(text))
	}
	return dialog.NewReader(c, cell.Clean(i.WorkerID), func() []string { return lines })
}

type taskAnswer struct {
	id   string
	task api.Task
	err  error
}

type askAgain struct{ id string }

const askEvery = 500 * time.Millisecond

func (d *Detail) ask() tea.Cmd {
	cp, id := d.c.Client, d.id
	d.asking = true
	return func() tea.Msg {
		t, err := cp.Task(context.Background(), id)
		return taskAnswer{id, t, err}
	}
}

func (d *Detail) put(t api.Task) {
	// An answer that was on its way while an event told more is older.
	if d.known && api.Ended(d.task.State) && !api.Ended(t.State) {
		return
	}
	d.task, d.known = t, true
	d.list.Set(t.Items)
	if d.fresh && api.Ended(t.State) {
		d.fresh = false
		d.c.Post(ui.UnmarkWorkers{IDs: done(t)})
	}
}

// done is the workers that want no other try.
func done(t api.Task) (ids []string) {
	for _, i := range t.Items {
		if i.State == api.TaskSucceeded {
			ids = append(ids, i.WorkerID)
		}
	}
	return ids
}

// Update follows the task.
func (d *Detail) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case taskAnswer:
		if m.id != d.id {
			return nil
		}
		d.asking, d.err = false, m.err
		if m.err == nil {
			d.put(m.task)
			d.c.Post(d.c.Store.PutTask(m.task))
		}
		return d.later()
	case askAgain:
		if m.id == d.id && !d.asking && !(d.known && api.Ended(d.task.State)) {
			return d.ask()
		}
	case store.Changed:
		if t, ok := d.c.Store.Task(d.id); ok && m.Part == store.Tasks {
			d.put(t)
		}
	default:
		d.list.Mouse(msg)
	}
	return nil
}

// later asks again after a while, unless the task has ended.
func (d *Detail) later() tea.Cmd {
	if d.known && api.Ended(d.task.State) {
		return nil
	}
	id := d.id
	wait := askEvery * time.Duration(1+len(d.task.Items)/1000) // thousands of items are a long answer
	return tea.Tick(wait, func(time.Time) tea.Msg { return askAgain{id} })
}

// Info is what the frame shows of it.
func (d *Detail) Info() ui.Info {
	return ui.Info{Scopes: []keys.Scope{keys.Task, keys.Rows}, Title: d.c.T("task.title", d.c.T("kind."+d.task.Kind)), Tab: keys.Go5,
		Wants: []store.Part{store.Ready}, Status: d.list.Status(), Pending: d.list.Pending()}
}

// Key types the filter.
func (d *Detail) Key(k tea.KeyMsg) (tea.Cmd, bool) { return d.list.Key(k) }

// failed is the workers that another try may help.
func (d *Detail) failed() []string {
	var out []string
	for _, i := range d.task.Items {
		if api.Ended(i.State) && i.State != api.TaskSucceeded {
			out = append(out, i.WorkerID)
		}
	}
	return out
}

// Disabled says why an action is off.
func (d *Detail) Disabled(a keys.Action) string {
	switch {
	case a == keys.Open && d.list.Shown() == 0:
		return d.c.T("off.norow")
	case a == keys.Cancel && (!d.known || api.Ended(d.task.State)):
		return d.c.T("off.ended")
	case a == keys.MarkBad && len(d.failed()) == 0:
		return d.c.T("off.nofailed")
	}
	return ""
}

// Do carries out an action.
func (d *Detail) Do(a keys.Action) tea.Cmd {
	if d.list.Do(a) {
		return nil
	}
	switch a {
	case keys.Open:
		i, _ := d.list.Cursor()
		return d.c.Post(ui.Open{Dialog: itemText(d.c, i)})
	case keys.Cancel:
		return d.c.Post(ui.Open{Dialog: cancelForm(d.c, d.task)})
	case keys.MarkBad:
		return tea.Batch(d.c.Post(ui.Go{To: keys.Go2, Root: true}), d.c.Post(ui.MarkWorkers{IDs: d.failed()}),
			d.c.Post(ui.Notice{Text: d.c.T("task.marked", len(d.failed()))}))
	case keys.Refresh:
		return d.ask()
	case keys.Back:
		if !d.list.Back() {
			return d.c.Post(ui.Pop{})
		}
	}
	return nil
}

// View is a summary and the items.
func (d *Detail) View(w, h int) []string {
	if !d.known {
		text := d.c.T("loading")
		if d.err != nil {
			text = "! " + d.c.Words(d.err)
		}
		return cell.Block(cell.Wrap("  "+text, w), w, h)
	}
	return append(d.summary(w), d.list.Frame(w, h-3, "")...)
}

func (d *Detail) summary(w int) []string {
	counts := map[string]int{}
	skipped := 0
	for _, i := range d.task.Items {
		if i.State == api.TaskSucceeded && i.Reason != "" {
			skipped++
			continue
		}
		counts[i.State]++
	}
	state := d.c.Paint(Role(d.task.State), Word(d.c, d.task.State)) + "  " + Progress(d.c, d.task, 24)
	if d.err != nil {
		state += "  " + d.c.Paint(theme.Warn, "! "+cell.Clean(d.c.Words(d.err)))
	}
	open := counts[api.TaskQueued] + counts[api.TaskRunning]
	bad := counts[api.TaskFailed] + counts[api.TaskCancelled]
	line := d.c.T("task.counts", counts[api.TaskSucceeded], skipped, bad, open)
	if n := counts[api.TaskInterrupted]; n > 0 {
		line = d.c.T("task.interrupted.count", n) + " · " + line
	}
	if bad > 0 && api.Ended(d.task.State) {
		line += "  " + d.c.T("task.retry")
	}
	return []string{cell.Fit(" "+state, w), cell.Fit(" "+line, w), cell.Blank(w)}
}
