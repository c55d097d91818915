package stgt

import (
	"slices"
	"testing"
)

func TestTgtsProgramsAreGivenNoTokenAndNoWayToSpeakToSystemd(t *testing.T) {
	for _, name := range []string{"IPXE_AGENT_TOKEN", "NOTIFY_SOCKET", "WATCHDOG_USEC", "TGT_IPC_SOCKET"} {
		t.Setenv(name, "x")
	}
	env := Environ()
	for name, kept := range map[string]bool{"IPXE_AGENT_TOKEN": false, "NOTIFY_SOCKET": false, "WATCHDOG_USEC": false, "TGT_IPC_SOCKET": true} {
		if slices.Contains(env, name+"=x") != kept {
			t.Errorf("%s: want kept to be %v", name, kept)
		}
	}
}
