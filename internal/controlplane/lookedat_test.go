package controlplane

import "testing"

func TestAPersonWhoLooksAtTheBootScriptIsNoBoot(t *testing.T) {
	s := newSite(t).start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	s.boot("hostname=pc-01")
	if w := s.worker("pc-01"); w.LastBootAt != nil {
		t.Errorf("looked at, and last booted at %s", w.LastBootAt)
	}
	s.boot("mac=52:54:00:00:00:01")
	if w := s.worker("pc-01"); w.LastBootAt == nil {
		t.Error("booted, and never was")
	}
}
