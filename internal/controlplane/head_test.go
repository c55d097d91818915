package controlplane

import (
	"net/http"
	"testing"
)

func TestHEADIsAnsweredAsGETIs(t *testing.T) {
	s := newSite(t, "IPXE_CP_TOKEN", "full", "IPXE_CP_VIEW_TOKEN", "view").start()
	for path, status := range map[string]int{
		"/healthz": 200, "/boot-vars": 200, "/workers": 200, "/workers/nope": 404, "/agents": 200, "/tasks": 200, "/events": 200,
		"/operations": 200, "/openapi.json": 200, "/metrics": 200, "/version": 200, "/workers/delete/batch": 405,
	} {
		req, err := http.NewRequestWithContext(t.Context(), "HEAD", s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer view")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status || resp.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
}
