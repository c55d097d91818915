package httpx

import (
	"net/http"
	"strings"
)

// PrefersAsync reports whether the caller asked for "Prefer: respond-async"
// (RFC 7240), which may stand among other preferences.
func PrefersAsync(h http.Header) bool {
	for _, line := range h.Values("Prefer") {
		for preference := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(preference, ";")
			if strings.EqualFold(strings.TrimSpace(name), "respond-async") {
				return true
			}
		}
	}
	return false
}
