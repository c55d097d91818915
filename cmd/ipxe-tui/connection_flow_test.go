package main

import (
	"testing"
	"time"

	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/internal/secret"
	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/tuitest"
)

func TestAWrongTokenIsRefusedByARealControlPlaneAndSaidSo(t *testing.T) {
	s := start(t, 1)
	s.cancel()
	s.env["IPXE_CP_TOKEN"] = "the-right-one"
	s.run()
	t.Cleanup(func() { s.cancel() })
	wrong := client.NewControlPlane(client.ControlPlaneOptions{BaseURL: s.url, Token: secret.New("another")})
	d := tuitest.Start(t, tui.Options{URL: s.url, Client: wrong}, tuitest.NewClock(time.Now()), 120, 40)
	d.Settle()
	for range 3 {
		d.Press("ctrl+r")
		d.Settle()
		d.Until("! TOKEN REFUSED", "IPXE_CP_TOKEN")
	}
}
