// Package deletion is the sheet that removes workers. It names what is lost,
// its default does nothing, and what cannot be had again must be typed.
package deletion

import (
	"context"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/screen/tasks"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// quiet is up to how many workers go without typing their number.
const quiet = 10

// New is the sheet for these workers.
func New(c *ui.Ctx, ids []string) ui.Dialog {
	cp := c.Client
	count := strconv.Itoa(len(ids))
	typing := func(v dialog.Values) bool { return len(ids) > quiet || v.On("file") }
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("delete.title", len(ids)),
		Intro: func(v dialog.Values) []string { return lost(c, ids, v.On("file")) },
		Fields: []dialog.Field{
			{Name: "file", Label: c.T("delete.file"), Kind: dialog.Toggle, Hint: c.T("delete.file.hint"), Danger: func(v dialog.Values) bool { return v.On("file") }},
			{Name: "missing", Label: c.T("delete.missing"), Kind: dialog.Toggle, Hint: c.T("delete.missing.hint")},
			{Name: "typed", Label: c.T("delete.type", count), Hidden: func(v dialog.Values) bool { return !typing(v) }},
			dialog.Answer(c, c.T("delete.yes", len(ids))),
		},
		Decline: dialog.Declined,
		Check: func(v dialog.Values) (string, string) {
			if typing(v) && v["typed"] != count {
				return "typed", c.T("delete.mistyped", count)
			}
			return "", ""
		},
		Submit: func(v dialog.Values) dialog.Request {
			in := api.DeleteWorkers{WorkerIDs: ids, DeleteDisk: v.On("file"), IgnoreMissingTarget: v.On("missing")}
			return dialog.Request{Label: c.T("call.delete", len(ids)),
				Do:   func(ctx context.Context) (any, error) { return cp.StartDeleteWorkers(ctx, in) },
				Then: func(v any) tea.Cmd { return tasks.Follow(c, v.(string)) }}
		},
	})
}

// lost says what goes.
func lost(c *ui.Ctx, ids []string, files bool) []string {
	disks, cds, live := 0, 0, 0
	var images []string
	for _, id := range ids {
		w := c.Store.Workers[id]
		if w == nil {
			continue
		}
		disks += len(w.Disks)
		for _, d := range w.Disks {
			images = append(images, d.Filename)
		}
		if w.CD != nil {
			cds++
		}
		if c.Store.Live[id] {
			live++
		}
	}
	out := []string{c.T("delete.lost", len(ids), disks, cds)}
	if files && len(images) > 0 {
		out = append(out, c.Paint(theme.Bad, "! "+c.T("delete.files", len(images), names(c, images))))
	} else {
		out = append(out, c.T("delete.kept", len(images)))
	}
	if live > 0 {
		out = append(out, c.Paint(theme.Warn, "! "+c.T("delete.live", live)))
	}
	return append(out, c.Paint(theme.Dim, names(c, ids)))
}

const named = 6

// names lists the first few.
func names(c *ui.Ctx, ids []string) string {
	if len(ids) <= named {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:named], ", ") + " " + c.T("more", len(ids)-named)
}
