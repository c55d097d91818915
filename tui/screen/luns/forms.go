package luns

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/screen/choice"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

func (s *Screen) did(text string) func(any) tea.Cmd {
	return func(any) tea.Cmd {
		return tea.Batch(s.c.Post(ui.Notice{Role: theme.Good, Text: text}), s.ask())
	}
}

// base starts the names of the node's targets.
func (s *Screen) base() string {
	if a, ok := s.c.Store.Agent(s.agent); ok && a.Capabilities != nil {
		return a.Capabilities.BaseIQN + ":"
	}
	return ""
}

func (s *Screen) diskForm() ui.Dialog {
	c, cp, agent := s.c, s.c.Client, s.agent
	fields := []dialog.Field{
		{Name: "iqn", Label: "IQN", Value: s.base(), Hint: c.T("luns.iqn.hint")},
		{Name: "agent", Kind: dialog.Choice, Options: choice.Of(agent), Hidden: func(dialog.Values) bool { return true }},
	}
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("luns.disk", agent), Verb: c.T("disk.verb"),
		Intro:  func(dialog.Values) []string { return []string{c.T("luns.direct")} },
		Fields: append(fields, choice.Source(c, "agent", false)...),
		Check:  func(v dialog.Values) (string, string) { return choice.CheckSource(c, v) },
		Submit: func(v dialog.Values) dialog.Request {
			in := api.DirectDisk{IQN: v["iqn"]}
			in.Master, in.Size = choice.Made(v)
			return dialog.Request{Label: c.T("call.target", in.IQN), Then: s.did(c.T("luns.done", in.IQN)),
				Do: func(ctx context.Context) (any, error) { return cp.CreateTarget(ctx, agent, in) }}
		},
	})
}

func (s *Screen) cdForm() ui.Dialog {
	c, cp, agent := s.c, s.c.Client, s.agent
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("luns.cd", agent), Verb: c.T("cd.verb"),
		Intro: func(dialog.Values) []string { return []string{c.T("luns.direct")} },
		Fields: []dialog.Field{
			{Name: "iso", Label: "ISO", Hint: c.T("cd.iso.hint")},
			{Name: "iqn", Label: "IQN", Hint: c.T("luns.cdiqn.hint")},
		},
		Submit: func(v dialog.Values) dialog.Request {
			in := api.CreateCD{ISO: v["iso"], IQN: v["iqn"]}
			return dialog.Request{Label: c.T("call.target", in.ISO), Then: s.did(c.T("luns.done", in.ISO)),
				Do: func(ctx context.Context) (any, error) { return cp.CreateCDTarget(ctx, agent, in) }}
		},
	})
}

func (s *Screen) scanForm() ui.Dialog {
	c, cp, agent := s.c, s.c.Client, s.agent
	return dialog.Confirm(c, c.T("scan.title", agent), c.T("scan.yes"), []string{c.T("scan.intro")},
		dialog.Request{Label: c.T("call.scan", agent),
			Do: func(ctx context.Context) (any, error) { return cp.ScanTargets(ctx, agent) },
			Then: func(v any) tea.Cmd {
				return tea.Batch(s.ask(), c.Post(ui.Open{ByItself: true, Dialog: scanned(c, agent, v.(api.Scan))}))
			}})
}

func scanned(c *ui.Ctx, agent string, r api.Scan) ui.Dialog {
	lines := []string{c.T("scan.counts", len(r.Created), len(r.Skipped), len(r.Failed)), ""}
	for _, x := range r.Created {
		lines = append(lines, c.Paint(theme.Good, "+ "+x.IQN))
	}
	for _, x := range r.Failed {
		lines = append(lines, c.Paint(theme.Bad, fmt.Sprintf("! %s: %s", x.Name, x.Error)))
	}
	for _, x := range r.Skipped {
		lines = append(lines, c.Paint(theme.Dim, "= "+x))
	}
	return dialog.NewReader(c, c.T("scan.title", agent), func() []string { return lines })
}

func (s *Screen) deleteForm(t api.Target) ui.Dialog {
	c, cp, agent, owner := s.c, s.c.Client, s.agent, s.owner[t.IQN]
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("luns.delete", agent),
		Intro: func(v dialog.Values) []string {
			out := []string{t.IQN, c.T("luns.backing", backing(t))}
			if owner != "" {
				out = append(out, c.Paint(theme.Bad, "! "+c.T("luns.owned", owner)))
			}
			if n := len(t.Sessions); n > 0 {
				out = append(out, c.Paint(theme.Bad, "! "+c.T("luns.inuse", sessions(t))))
			}
			if v.On("file") {
				return append(out, c.Paint(theme.Bad, "! "+c.T("drop.file", backing(t))))
			}
			return append(out, c.T("drop.kept", backing(t)))
		},
		Fields: []dialog.Field{
			{Name: "file", Label: c.T("delete.file"), Kind: dialog.Toggle, Danger: func(v dialog.Values) bool { return v.On("file") }},
			{Name: "missing", Label: c.T("delete.missing"), Kind: dialog.Toggle},
			{Name: "force", Label: c.T("delete.force"), Kind: dialog.Toggle, Hint: c.T("delete.force.hint"), Danger: func(v dialog.Values) bool { return v.On("force") }},
			{Name: "typed", Label: c.T("delete.type", "delete"), Hidden: func(v dialog.Values) bool { return !v.On("file") }},
			dialog.Answer(c, c.T("drop.yes")),
		},
		Decline: dialog.Declined,
		Check: func(v dialog.Values) (string, string) {
			if v.On("file") && v["typed"] != "delete" {
				return "typed", c.T("delete.mistyped", "delete")
			}
			return "", ""
		},
		Submit: func(v dialog.Values) dialog.Request {
			how := client.Removal{DeleteFile: v.On("file"), IgnoreMissing: v.On("missing"), Force: v.On("force")}
			return dialog.Request{Label: c.T("call.untarget"), Then: s.did(c.T("luns.gone", t.IQN)),
				Do: func(ctx context.Context) (any, error) { return cp.DeleteTarget(ctx, agent, t.IQN, how) }}
		},
	})
}
