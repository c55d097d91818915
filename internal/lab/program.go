package lab

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// packages says which Debian package brings a program or file the lab uses.
var packages = map[string]string{
	"as":                 "binutils",
	"dnsmasq":            "dnsmasq-base",
	"ip":                 "iproute2",
	"ld":                 "binutils",
	"mcopy":              "mtools",
	"mformat":            "mtools",
	"mmd":                "mtools",
	"nginx":              "nginx",
	"qemu-system-x86_64": "qemu-system-x86",
	"tgtadm":             "tgt",
	"tgtd":               "tgt",
	undionly:             "ipxe",
	snponly:              "ipxe",
	ovmfCode:             "ovmf",
	ovmfVars:             "ovmf",
	nicROM:               "ipxe-qemu",
	seaBIOS:              "seabios",

	nginxModules + "/" + nginxJS: "libnginx-mod-http-js",
}

const (
	// It holds iPXE for BIOS and for UEFI. QEMU finds it itself, in Debian 12 at the
	// first place and in Debian 13 at the second.
	nicROM   = "/usr/lib/ipxe/qemu/efi-virtio.rom or /usr/share/qemu/efi-virtio.rom"
	seaBIOS  = "/usr/share/seabios/bios-256k.bin"
	undionly = "/usr/lib/ipxe/undionly.kpxe"
	snponly  = "/usr/lib/ipxe/snponly.efi"
	ovmfCode = "/usr/share/OVMF/OVMF_CODE_4M.fd"
	ovmfVars = "/usr/share/OVMF/OVMF_VARS_4M.fd"

	nginxModules = "/usr/lib/nginx/modules"
	nginxJS      = "ngx_http_js_module.so"
)

// need reports the first program or file that is missing, with its package. A
// file may have two places.
func need(names ...string) error {
	for _, name := range names {
		var err error
		if name[0] == '/' {
			for path := range strings.SplitSeq(name, " or ") {
				if _, err = os.Stat(path); err == nil {
					break
				}
			}
		} else {
			_, err = exec.LookPath(name)
		}
		if err != nil {
			return fmt.Errorf("%s is missing: install the Debian package %s (internal/lab/prerequisites.sh installs all that is needed)", name, packages[name])
		}
	}
	return nil
}
