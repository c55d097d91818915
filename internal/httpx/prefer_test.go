package httpx

import (
	"net/http"
	"testing"
)

func TestAPreferenceIsFoundAmongOthers(t *testing.T) {
	for value, want := range map[string]bool{
		"respond-async": true, "wait=10, Respond-Async": true, "respond-async; x=1": true, " respond-async ,": true,
		"": false, "respond-asynchronously": false, "wait=respond-async": false,
	} {
		if got := PrefersAsync(http.Header{"Prefer": {"handling=strict", value}}); got != want {
			t.Errorf("Prefer: %q is %v", value, got)
		}
	}
}
