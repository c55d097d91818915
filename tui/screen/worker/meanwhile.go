package worker

import (
	"strconv"
	"strings"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/tui/dialog"
)

// shared is a field that somebody else may change while its form is open.
type shared struct {
	name, label string
	now         func(*api.Worker) string
	always      bool // it is written even where this person left it alone
}

func macField() []shared {
	return []shared{{"mac", "MAC", func(w *api.Worker) string { return strings.Trim(MAC(w), "-") }, true}}
}

func (s *Screen) bootFields() []shared {
	return []shared{
		{"os", s.c.T("boot.os"), func(w *api.Worker) string { return w.DefaultOS }, false},
		{"item", s.c.T("boot.item"), menuItem, false},
		{"timeout", s.c.T("boot.timeout"), menuTimeout, false},
	}
}

func menuItem(w *api.Worker) string {
	if w.Boot == nil {
		return ""
	}
	return w.Boot.MenuDefault
}

func menuTimeout(w *api.Worker) string {
	if w.Boot == nil || w.Boot.MenuTimeout == nil {
		return ""
	}
	return strconv.Itoa(*w.Boot.MenuTimeout)
}

// meanwhile says, once for each, what saving would overwrite that was not there
// when the form was opened.
func (s *Screen) meanwhile(fields []shared) func(dialog.Values) string {
	was, told := dialog.Values{}, dialog.Values{}
	for _, f := range fields {
		was[f.name] = f.now(s.worker())
		told[f.name] = was[f.name]
	}
	return func(v dialog.Values) string {
		w := s.worker()
		if w == nil {
			return ""
		}
		for _, f := range fields {
			now := f.now(w)
			left := v[f.name] == was[f.name] && !f.always
			if left || now == v[f.name] || now == told[f.name] || now == was[f.name] {
				continue
			}
			told[f.name] = now
			if now == "" {
				now = s.c.T("unset")
			}
			return s.c.T("meanwhile", f.label, now)
		}
		return ""
	}
}
