//go:build guide

package docs

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/lab"
)

// given is the guide's configuration that holds a text, for the lab's card.
func given(t *testing.T, holds string) string {
	t.Helper()
	for _, p := range parts(t, "guide.md") {
		if (p.kind == "text" || p.kind == "json") && strings.Contains(p.text, holds) {
			return strings.ReplaceAll(p.text, "eth1", "eth0")
		}
	}
	t.Fatalf("the guide has no configuration with %q", holds)
	return ""
}

// TestMachinesStartWithTheDHCPServersOfTheGuide: by UEFI's own PXE first, which
// loads iPXE, and by iPXE then, up to the script that asks for the control plane.
func TestMachinesStartWithTheDHCPServersOfTheGuide(t *testing.T) {
	const addresses = "port=0\nuser=root\ninterface=eth0\nbind-interfaces\nlog-dhcp\npid-file=\ndhcp-leasefile=their.leases\ndhcp-range=192.168.80.50,192.168.80.250,255.255.255.0,12h\n"
	for name, c := range map[string]struct {
		files   map[string]string
		program string
		args    []string
		env     []string
		tftp    string // the lines that our dnsmasq keeps beside it
	}{
		"ISC dhcpd": {
			files:   map[string]string{"dhcpd.conf": given(t, "subnet 192.168.80.0 netmask"), "leases": ""},
			program: "dhcpd", args: []string{"-4", "-f", "-d", "-cf", "dhcpd.conf", "-lf", "leases", "-pf", "dhcpd.pid", "eth0"},
		},
		"Kea": {
			// Its leases are kept nowhere: the folder of the host's own is not the lab's.
			files:   map[string]string{"kea.conf": strings.Replace(given(t, "Dhcp4"), `"client-classes"`, `"lease-database": {"type": "memfile", "persist": false}, "client-classes"`, 1)},
			program: "kea-dhcp4", args: []string{"-c", "kea.conf"}, env: []string{"KEA_PIDFILE_DIR=.", "KEA_LOCKFILE_DIR=."},
		},
		"a dnsmasq of one's own": {
			files:   map[string]string{"own.conf": addresses + given(t, "boot.ipxe,,192.168.80.1")},
			program: "dnsmasq", args: []string{"--keep-in-foreground", "--conf-file=own.conf", "--log-facility=-"},
		},
		"a router that gives addresses alone": {
			files:   map[string]string{"own.conf": addresses},
			program: "dnsmasq", args: []string{"--keep-in-foreground", "--conf-file=own.conf", "--log-facility=-"},
			tftp: "log-dhcp\ndhcp-match=set:ipxe,175\n" + given(t, "proxy"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := lab.New()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if t.Failed() {
					for _, p := range l.Processes() {
						t.Logf("%s said last:\n%s", p.Name, p.Log.Tail(40))
					}
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
			ours, err := l.AddHost("cp", netip.MustParseAddr("192.168.80.1"))
			theirs, err2 := l.AddHost("dhcp", netip.MustParseAddr("192.168.80.2"))
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			for file, content := range c.files {
				if err := os.WriteFile(l.Path(file), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := theirs.Start("theirs", c.env, c.program, c.args...); err != nil {
				t.Fatal(err)
			}
			serveTFTP(t, l, ours, c.tftp)
			starts(t, l)
		})
	}
}

// serveTFTP is our dnsmasq with TFTP, and what the guide adds.
func serveTFTP(t *testing.T, l *lab.Lab, h *lab.Host, more string) {
	t.Helper()
	tftp := l.Path("tftp")
	if err := os.CopyFS(tftp, os.DirFS("../deploy/tftp")); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"undionly.kpxe", "snponly.efi"} {
		b, err := os.ReadFile("/usr/lib/ipxe/" + f)
		if err == nil {
			err = os.WriteFile(filepath.Join(tftp, f), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	conf := "port=0\nuser=root\ninterface=eth0\nbind-interfaces\nenable-tftp\ntftp-root=" + tftp + "\npid-file=\ndhcp-leasefile=" + l.Path("our.leases") + "\n" + more
	if err := os.WriteFile(l.Path("ours.conf"), []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Start("ours", nil, "dnsmasq", "--keep-in-foreground", "--conf-file=ours.conf", "--log-facility=-"); err != nil {
		t.Fatal(err)
	}
}

func starts(t *testing.T, l *lab.Lab) {
	t.Helper()
	m, err := l.AddMachine("uefi", "52:54:00:00:00:01", lab.UEFI)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.PowerOff() }()
	if err := m.PowerOn(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Screen.WaitFor(`The control plane http://192\.168\.80\.1:4839 does not answer`, 4*time.Minute); err != nil {
		t.Errorf("%v; its screen:\n%s", err, m.Screen.Tail(30))
	}
}
