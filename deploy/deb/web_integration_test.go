//go:build integration

package deb

import "strings"

const (
	web      = "http://127.0.0.1:4838"
	siteLink = "/etc/nginx/sites-enabled/ipxe-all-ready"
)

// console: the page, the files and the way to the control plane are there once
// the package is.
func (h host) console(release string) {
	h.must("dpkg", "-i", h.deb(release, "ipxe-web"))
	h.until(`<script type="module"`, "curl", "-sS", web+"/")
	for header, want := range map[string]string{
		"/":       "Content-Security-Policy: default-src 'none'; script-src 'self'",
		"/browse": "HTTP/1.1 301",
	} {
		h.wantIn(want, "curl", "-sSI", web+header)
	}
	page := h.run("curl", "-sS", web+"/")
	_, rest, _ := strings.Cut(page, `src="`)
	script, _, _ := strings.Cut(rest, `"`)
	h.wantIn("Cache-Control: public, max-age=31536000, immutable", "curl", "-sSI", web+"/"+strings.TrimLeft(script, "./"))
	h.wantIn("menu.ipxe", "curl", "-sS", web+"/file/README.txt")
	h.wantIn(`"name":"README.txt"`, "curl", "-sS", web+"/api/browse/")
	h.wantIn("#!ipxe", "curl", "-sS", web+"/tftp/boot.ipxe")
	h.wantIn("unauthorized", "curl", "-sS", web+"/api/cp/workers")
	h.wantIn(`"v1.0.0"`, "curl", "-sS", "-H", "Authorization: Bearer "+h.token("ipxe-cp"), web+"/api/cp/version")
}

// consoleUpgrade: a site that a person has switched off stays off, and what else
// nginx serves is not disturbed.
func (h host) consoleUpgrade(release string) {
	master := h.property("nginx", "MainPID")
	h.must("rm", siteLink)
	h.must("dpkg", "-i", h.deb(release, "ipxe-web"))
	h.want(master, "systemctl", "show", "--value", "--property=MainPID", "nginx")
	h.until("Failed to connect", "curl", "-sS", web+"/") // the workers of before end by and by
	h.must("ln", "-s", "../sites-available/ipxe-all-ready", siteLink)
	h.write("/var/lib/ipxe-all-ready/public/own.txt", "a file of the site's own")
	h.must("dpkg", "-i", h.deb(release, "ipxe-web"))
	h.until(`"v1.1.0"`, "curl", "-sS", "-H", "Authorization: Bearer "+h.token("ipxe-cp"), web+"/api/cp/version")
	h.want("a file of the site's own", "curl", "-sS", web+"/file/own.txt")
}

// consoleRemoval leaves a running nginx that starts again, and the site's files.
func (h host) consoleRemoval() {
	h.must("dpkg", "-r", "ipxe-web")
	h.until("Failed to connect", "curl", "-sS", web+"/")
	h.must("systemctl", "restart", "nginx")
	h.want("active", "systemctl", "is-active", "nginx")
	if !h.exists("/etc/nginx/sites-available/ipxe-all-ready") {
		h.t.Error("a removal took the site's settings away")
	}
	h.wantIn("the files in /var/lib/ipxe-all-ready/public are kept", "dpkg", "-P", "ipxe-web")
	h.want("", "find", "/etc", "/usr", "/run", "-name", "*ipxe-web*")
	h.want("", "find", "/etc/nginx", "-name", "*ipxe*")
	h.want("a file of the site's own", "cat", "/var/lib/ipxe-all-ready/public/own.txt")
}
