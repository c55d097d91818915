package workers

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// register is the form of a new machine; the next free name is proposed.
func (s *Screen) register() ui.Dialog {
	c, cp := s.c, s.c.Client
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("register.title"),
		Fields: []dialog.Field{
			{Name: "id", Label: c.T("col.id"), Value: nextName(s.c), Hint: c.T("register.id.hint")},
			{Name: "mac", Label: "MAC", Hint: c.T("mac.hint")},
			{Name: "host", Label: c.T("worker.host"), Hint: c.T("register.host.hint")},
			{Name: "arch", Label: c.T("register.arch"), Hint: c.T("register.arch.hint")},
			{Name: "iso", Label: c.T("register.iso"), Hint: c.T("register.iso.hint")},
		},
		Verb: c.T("register.verb"),
		Check: func(v dialog.Values) (string, string) {
			if v["id"] == "" {
				return "id", c.T("need", c.T("col.id"))
			}
			if v["mac"] == "" {
				return "mac", c.T("need", "MAC")
			}
			return "", ""
		},
		Submit: func(v dialog.Values) dialog.Request {
			in := api.CreateWorker{WorkerID: v["id"], MAC: v["mac"], Hostname: v["host"], Arch: v["arch"], WindowsISO: v["iso"]}
			return dialog.Request{Label: c.T("call.register", in.WorkerID),
				Do:   func(ctx context.Context) (any, error) { return cp.CreateWorker(ctx, in) },
				Then: s.registered}
		},
	})
}

func (s *Screen) registered(v any) tea.Cmd {
	made := v.(api.Changed)
	changed := s.c.Store.PutWorker(made.Worker)
	s.list.Put(s.c.Store.Workers[made.WorkerID])
	s.list.Select(made.WorkerID)
	notice := ui.Notice{Role: theme.Good, Text: s.c.T("register.done", made.WorkerID)}
	if made.DnsmasqReloaded != nil && !*made.DnsmasqReloaded {
		notice = ui.Notice{Role: theme.Warn, Text: s.c.T("register.noreload", made.WorkerID)}
	}
	return tea.Batch(s.c.Post(changed), s.c.Post(notice))
}

// nextName is one above the highest worker-NN.
func nextName(c *ui.Ctx) string {
	highest := 0
	for id, w := range c.Store.Workers {
		for _, name := range []string{id, w.Hostname} {
			var n int
			if rest, ok := strings.CutPrefix(name, "worker-"); ok {
				if _, err := fmt.Sscanf(rest, "%d", &n); err == nil && len(rest) <= 9 {
					highest = max(highest, n)
				}
			}
		}
	}
	return fmt.Sprintf("worker-%02d", highest+1)
}
