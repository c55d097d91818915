package controlplane

import (
	"strings"
	"testing"
)

func TestACheckNamesWhatStandsInTheFilesPlacesAndWaitsForNone(t *testing.T) {
	for name, want := range map[string]string{
		"state/operations.jsonl":   "fault    HOME/state/operations.jsonl\n         this is a named pipe and no file: nothing can be changed without the trail\n         → move it away, or put the file back\n",
		"state/ipxe-cp.lock":       "fault    HOME/state/ipxe-cp.lock\n         this is a named pipe and no file: the start is refused\n         → move it away, or put the file back\n",
		"state/dhcp-hosts.journal": "fault    HOME/state/dhcp-hosts.journal\n         this is a named pipe and no file: the start is refused\n         → move it away, or put the file back\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := sound(t)
			s.pipe(name)
			text, _ := s.checked()
			if !strings.Contains(text, want) {
				t.Errorf("got\n%s\nwant\n%s", text, want)
			}
		})
	}
}
