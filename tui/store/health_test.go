package store

import (
	"testing"

	"ipxe-all-ready/internal/api"
)

func TestHealthThatIsToldBeforeItsNodeIsListedIsNotLost(t *testing.T) {
	s, c := against(t, `[]`)
	s.inventory(nil)
	s.state[Agents].at = c.now()
	s.health([]api.Agent{{ID: "new", Enabled: true, Health: "ok"}})
	if len(s.Agents) != 0 {
		t.Errorf("%+v", s.Agents)
	}
	s.inventory([]api.Agent{{ID: "new", Enabled: true}, {ID: "newer", Enabled: true}, {ID: "off"}})
	if a := s.Agents; a[0].Health != "ok" || a[1].Health != "" || a[2].Health != "disabled" {
		t.Errorf("%+v", a)
	}
}
