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
		"state/leftovers.json":     "warning  HOME/state/leftovers.json\n         what is kept there is passed by: open HOME/state/leftovers.json: a named pipe, not a regular file\n",
		"state/boots.json":         "warning  HOME/state/boots.json\n         what is kept there is passed by: ",
		"state/tasks.json":         "warning  HOME/state/tasks.json\n         what is kept there is passed by: open HOME/state/tasks.json: a named pipe, not a regular file\n         → put the file back, or the newer release that wrote it\n",
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
