package worker

import (
	"context"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/tui/dialog"
	"ipxe-all-ready/tui/screen/choice"
	"ipxe-all-ready/tui/screen/tasks"
	"ipxe-all-ready/tui/theme"
	"ipxe-all-ready/tui/ui"
)

func free(w *api.Worker) []string { return choice.Without(w.Disks) }

// took takes in the worker that a call answered and says what was done.
func (s *Screen) took(text string) func(any) tea.Cmd {
	return func(v any) tea.Cmd {
		w, ok := v.(api.Worker)
		if c, is := v.(api.Changed); is {
			w, ok = c.Worker, true
		}
		if !ok {
			return nil
		}
		return tea.Batch(s.c.Post(s.c.Store.PutWorker(w)), s.c.Post(ui.Notice{Role: theme.Good, Text: text}))
	}
}

func (s *Screen) macForm() ui.Dialog {
	c, cp, id, w := s.c, s.c.Client, s.id, s.worker()
	old, meanwhile := MAC(w), s.meanwhile(macField())
	return dialog.NewForm(c, dialog.Options{
		Title:  c.T("mac.title", id),
		Intro:  func(dialog.Values) []string { return []string{c.T("mac.intro", w.Hostname, old)} },
		Fields: []dialog.Field{{Name: "mac", Label: "MAC", Value: strings.Trim(old, "-"), Hint: c.T("mac.hint")}},
		Verb:   c.T("save"),
		Check:  func(v dialog.Values) (string, string) { return "mac", meanwhile(v) },
		Submit: func(v dialog.Values) dialog.Request {
			return dialog.Request{Label: c.T("call.mac", id), Then: s.took(c.T("mac.done", id)),
				Do: func(ctx context.Context) (any, error) { return cp.SetMAC(ctx, id, v["mac"]) }}
		},
	})
}

func (s *Screen) diskForm() ui.Dialog {
	c, cp, id, w := s.c, s.c.Client, s.id, s.worker()
	fields := []dialog.Field{
		{Name: "os", Label: c.T("disk.os"), Kind: dialog.Choice, Options: choice.Of(free(w)...)},
		{Name: "agent", Label: c.T("disk.node"), Kind: dialog.Choice, Options: choice.Nodes(c, choice.DiskNodes(c))},
	}
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("disk.title", id), Fields: append(fields, choice.Source(c, "agent", true)...), Verb: c.T("disk.verb"),
		Check: func(v dialog.Values) (string, string) { return choice.CheckSource(c, v) },
		Submit: func(v dialog.Values) dialog.Request {
			in := api.CreateDisk{OS: v["os"], Type: v["type"], DiskAgent: v["agent"]}
			in.Name, in.Size = choice.Made(v)
			return dialog.Request{Label: c.T("call.disk", in.OS, id),
				Do:   func(ctx context.Context) (any, error) { return cp.StartDisk(ctx, id, in) },
				Then: func(v any) tea.Cmd { return tasks.Follow(c, v.(string)) }}
		},
	})
}

func (s *Screen) dropForm() ui.Dialog {
	c, cp, id, w := s.c, s.c.Client, s.id, s.worker()
	d := w.Disks[min(s.disk, len(w.Disks)-1)]
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("drop.title", d.OS, id),
		Intro: func(v dialog.Values) []string {
			out := []string{c.T("drop.lost", d.IQN, d.Agent)}
			if v.On("file") {
				return append(out, c.Paint(theme.Bad, "! "+c.T("drop.file", d.Filename)))
			}
			return append(out, c.T("drop.kept", d.Filename))
		},
		Fields: []dialog.Field{
			{Name: "file", Label: c.T("delete.file"), Kind: dialog.Toggle, Danger: func(v dialog.Values) bool { return v.On("file") }},
			{Name: "missing", Label: c.T("delete.missing"), Kind: dialog.Toggle},
			{Name: "force", Label: c.T("delete.force"), Kind: dialog.Toggle, Hint: c.T("delete.force.hint"), Danger: func(v dialog.Values) bool { return v.On("force") }},
			{Name: "typed", Label: c.T("delete.type", d.OS), Hidden: func(v dialog.Values) bool { return !v.On("file") }},
			dialog.Answer(c, c.T("drop.yes")),
		},
		Decline: dialog.Declined,
		Check: func(v dialog.Values) (string, string) {
			if v.On("file") && v["typed"] != d.OS {
				return "typed", c.T("delete.mistyped", d.OS)
			}
			return "", ""
		},
		Submit: func(v dialog.Values) dialog.Request {
			how := client.Removal{DeleteFile: v.On("file"), IgnoreMissing: v.On("missing"), Force: v.On("force")}
			return dialog.Request{Label: c.T("call.drop", d.OS, id), Then: s.took(c.T("drop.done", d.OS, id)),
				Do: func(ctx context.Context) (any, error) { return cp.DeleteDisk(ctx, id, d.OS, how) }}
		},
	})
}

func (s *Screen) cdForm() ui.Dialog {
	c, cp, id := s.c, s.c.Client, s.id
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("cd.title", id), Verb: c.T("cd.verb"),
		Intro: func(dialog.Values) []string { return []string{c.T("cd.intro")} },
		Fields: []dialog.Field{
			{Name: "iso", Label: "ISO", Hint: c.T("cd.iso.hint")},
			{Name: "agent", Label: c.T("disk.node"), Kind: dialog.Choice, Options: choice.Nodes(c, choice.CDNodes(c))},
		},
		Submit: func(v dialog.Values) dialog.Request {
			in := api.AttachCD{ISO: v["iso"], CDAgent: v["agent"]}
			return dialog.Request{Label: c.T("call.cd", id), Then: s.took(c.T("cd.done", in.ISO, id)),
				Do: func(ctx context.Context) (any, error) { return cp.AttachCD(ctx, id, in) }}
		},
	})
}

func (s *Screen) detachForm() ui.Dialog {
	c, cp, id, w := s.c, s.c.Client, s.id, s.worker()
	return dialog.Confirm(c, c.T("detach.title", id), c.T("detach.yes"), []string{c.T("detach.intro", w.CD.ISO, w.CD.Agent)},
		dialog.Request{Label: c.T("call.detach", id), Then: s.took(c.T("detach.done", id)),
			Do: func(ctx context.Context) (any, error) {
				return cp.DetachCD(ctx, id, client.Removal{IgnoreMissing: true})
			}})
}

func (s *Screen) bootForm() ui.Dialog {
	c, cp, id, w := s.c, s.c.Client, s.id, s.worker()
	systems := []dialog.Option{{Value: "", Label: c.T("unset")}}
	for _, d := range w.Disks {
		systems = append(systems, choice.Of(d.OS)...)
	}
	items := append([]dialog.Option{{Value: "", Label: c.T("unset")}}, choice.Of(append(append([]string{}, choice.Systems...), choice.MenuItems...)...)...)
	was, item, timeout := w.DefaultOS, menuItem(w), menuTimeout(w)
	meanwhile := s.meanwhile(s.bootFields())
	return dialog.NewForm(c, dialog.Options{
		Title: c.T("boot.title", id), Verb: c.T("save"),
		Intro: func(dialog.Values) []string { return []string{c.T("boot.intro")} },
		Fields: []dialog.Field{
			{Name: "os", Label: c.T("boot.os"), Kind: dialog.Choice, Options: systems, Value: was, Hint: c.T("boot.os.hint")},
			{Name: "item", Label: c.T("boot.item"), Kind: dialog.Choice, Options: items, Value: item, Hint: c.T("boot.item.hint")},
			{Name: "timeout", Label: c.T("boot.timeout"), Value: timeout, Hint: c.T("boot.timeout.hint")},
		},
		Check: func(v dialog.Values) (string, string) {
			if _, err := strconv.Atoi(v["timeout"]); err != nil && v["timeout"] != "" {
				return "timeout", c.T("boot.timeout.bad", v["timeout"])
			}
			return "", meanwhile(v)
		},
		Submit: func(v dialog.Values) dialog.Request {
			in := bootChange(v, was, item, timeout)
			return dialog.Request{Label: c.T("call.boot", id), Then: s.took(c.T("boot.done", id)),
				Do: func(ctx context.Context) (any, error) { return cp.SetBoot(ctx, id, in) }}
		},
	})
}

// bootChange holds only what was changed; where nothing was, all of it, which
// changes nothing.
func bootChange(v dialog.Values, os, item, timeout string) api.SetBoot {
	same := v["os"] == os && v["item"] == item && v["timeout"] == timeout
	var in api.SetBoot
	if v["os"] != os {
		in.OS = api.Some(v["os"])
	}
	if v["item"] != item || same {
		in.MenuDefault = api.Some(v["item"])
	}
	if v["timeout"] != timeout {
		in.MenuTimeout = api.Optional[int]{Set: true, Null: v["timeout"] == ""}
		in.MenuTimeout.Value, _ = strconv.Atoi(v["timeout"])
	}
	return in
}

// bootVars shows what iPXE is told. It asks by host name alone.
func (s *Screen) bootVars() tea.Cmd {
	c, cp, w := s.c, s.c.Client, s.worker()
	host := w.Hostname
	_, cmd := c.Call(c.T("call.bootvars"), func(ctx context.Context) (any, error) { return cp.BootScript(ctx, "", host) },
		func(v any) tea.Cmd {
			lines := strings.Split(strings.TrimSpace(v.(string)), "\n")
			return c.Post(ui.Open{ByItself: true, Dialog: dialog.NewReader(c, c.T("bootvars.title", host), func() []string { return lines })})
		})
	return cmd
}
