package agents

import (
	"context"
	"net/url"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

// probe is the first step of a registration: ask the node what it is.
func (s *Screen) probe() ui.Dialog {
	c, cp := s.c, s.c.Client
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("probe.title"), Verb: c.T("probe.verb"),
		Intro: func(dialog.Values) []string { return []string{c.T("probe.intro")} },
		Fields: []dialog.Field{
			{Name: "url", Label: c.T("col.url"), Value: "http://", Hint: c.T("url.hint")},
			{Name: "token", Label: c.T("agent.token"), Kind: dialog.Secret, Hint: c.T("token.hint")},
		},
		Submit: func(v dialog.Values) dialog.Request {
			in := api.ProbeAgent{BaseURL: v["url"], Token: v["token"]}
			return dialog.Request{Label: c.T("call.probe", in.BaseURL),
				Do: func(ctx context.Context) (any, error) { return cp.ProbeAgent(ctx, in) },
				Then: func(answer any) tea.Cmd {
					return c.Post(ui.Open{ByItself: true, Dialog: s.preview(answer.(api.Probe), v["token"])})
				}}
		},
	})
}

// preview is the second: what it said, and what to enter.
func (s *Screen) preview(p api.Probe, token string) ui.Dialog {
	c, cp := s.c, s.c.Client
	found := []string{
		c.Paint(theme.Good, "+ "+c.T("preview.answers", p.BaseURL)),
		c.T("preview.what", p.Backend, p.FSType, p.Clone),
		c.T("preview.iqn", p.BaseIQN),
	}
	if !p.Role.CD {
		found = append(found, c.T("preview.nocd"))
	}
	a := api.Agent{BaseURL: p.BaseURL, ISCSIServer: p.ISCSIServer, Role: p.Role, Tags: p.Tags}
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("preview.title"), Verb: c.T("preview.verb"),
		Intro:  func(dialog.Values) []string { return found },
		Fields: append([]dialog.Field{{Name: "id", Label: c.T("col.id"), Value: s.proposal(p.BaseURL), Hint: c.T("agent.id.hint")}}, s.fields(a)...),
		Check:  s.need,
		Submit: func(v dialog.Values) dialog.Request {
			in := put(v)
			in.ID, in.BaseURL, in.Token = v["id"], p.BaseURL, token
			return dialog.Request{Label: c.T("call.agent", in.ID),
				Do:   func(ctx context.Context) (any, error) { return cp.RegisterAgent(ctx, in) },
				Then: func(any) tea.Cmd { return s.reload(c.T("preview.done", in.ID)) }}
		},
	})
}

func (s *Screen) need(v dialog.Values) (string, string) {
	if v["id"] == "" {
		return "id", s.c.T("need", s.c.T("col.id"))
	}
	return "", ""
}

// proposal is an id made of the node's address.
func (s *Screen) proposal(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	id := "node-" + strings.NewReplacer(".", "-", ":", "-").Replace(strings.ToLower(u.Hostname()))
	if _, taken := s.c.Store.Agent(id); taken {
		id += "-" + u.Port()
	}
	return id
}

func yes(on bool) string {
	if on {
		return "yes"
	}
	return ""
}

func (s *Screen) fields(a api.Agent) []dialog.Field {
	c := s.c
	return []dialog.Field{
		{Name: "iscsi", Label: c.T("agent.iscsi"), Value: a.ISCSIServer, Hint: c.T("agent.iscsi.hint")},
		{Name: "disk", Label: c.T("agent.disk"), Kind: dialog.Toggle, Value: yes(a.Role.Disk)},
		{Name: "cd", Label: c.T("agent.cd"), Kind: dialog.Toggle, Value: yes(a.Role.CD)},
		{Name: "tags", Label: c.T("agent.tags"), Value: strings.Join(a.Tags, ","), Hint: c.T("agent.tags.hint")},
	}
}

func put(v dialog.Values) api.PutAgent {
	return api.PutAgent{ISCSIServer: v["iscsi"], Role: api.Role{Disk: v.On("disk"), CD: v.On("cd")},
		Tags: strings.FieldsFunc(v["tags"], func(r rune) bool { return r == ',' || r == ' ' })}
}

func (s *Screen) edit(a api.Agent) ui.Dialog {
	c, cp := s.c, s.c.Client
	enabled := a.Enabled
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("edit.title", a.ID), Verb: c.T("save"),
		Fields: append([]dialog.Field{
			{Name: "url", Label: c.T("col.url"), Value: a.BaseURL, Hint: c.T("url.hint")},
			{Name: "token", Label: c.T("agent.token"), Kind: dialog.Secret, Hint: c.T("token.keep")},
		}, s.fields(a)...),
		Submit: func(v dialog.Values) dialog.Request {
			in := put(v)
			in.ID, in.BaseURL, in.Token, in.Enabled = a.ID, v["url"], v["token"], &enabled
			return dialog.Request{Label: c.T("call.agent", a.ID),
				Do:   func(ctx context.Context) (any, error) { return cp.UpdateAgent(ctx, in) },
				Then: func(any) tea.Cmd { return s.reload(c.T("edit.done", a.ID)) }}
		},
	})
}
