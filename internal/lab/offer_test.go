//go:build integration

package lab_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/lab"
)

func TestEachFirmwareIsOfferedWhatItCanLoad(t *testing.T) {
	s := newSite(t)
	client, err := s.AddHost("pc", netip.MustParseAddr("192.168.80.49"))
	must(t, err)
	for i, c := range []struct {
		firmware string
		arch     uint16
		ipxe     bool
		file     string
	}{
		{"BIOS", 0, false, "undionly.kpxe"},
		{"UEFI x64 by the standard's number 7", 7, false, "snponly.efi"},
		{"UEFI x64 by the number 9", 9, false, "snponly.efi"},
		{"iPXE on BIOS", 0, true, "boot.ipxe"},
		{"iPXE on UEFI", 7, true, "boot.ipxe"},
	} {
		t.Run(c.firmware, func(t *testing.T) {
			hw := net.HardwareAddr{0x52, 0x54, 0, 0, 0x20, byte(i)}
			got, err := offeredFile(client, hw, c.arch, c.ipxe)
			if err != nil || got != c.file {
				t.Errorf("offered %q, %v; want %q", got, err, c.file)
			}
		})
	}
}

// offeredFile broadcasts a DHCPDISCOVER and returns the boot file (option 67)
// of the offer.
func offeredFile(h *lab.Host, hw net.HardwareAddr, arch uint16, ipxe bool) (file string, err error) {
	err = h.Do(func() error {
		lc := net.ListenConfig{Control: broadcastFromEth0}
		conn, err := lc.ListenPacket(context.Background(), "udp4", ":68")
		if err != nil {
			return err
		}
		defer conn.Close()
		// As every client does, ask again: a port of the switch that has just
		// come up may lose a frame.
		return lab.Poll(lab.Patience, func() error {
			b, err := ask(conn, discover(hw, arch, ipxe))
			if err != nil {
				return err
			}
			file, err = option(b, 67)
			return err
		})
	})
	return file, err
}

func ask(conn net.PacketConn, message []byte) ([]byte, error) {
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return nil, err
	}
	if _, err := conn.WriteTo(message, &net.UDPAddr{IP: net.IPv4bcast, Port: 67}); err != nil {
		return nil, err
	}
	b := make([]byte, 1500)
	n, _, err := conn.ReadFrom(b)
	return b[:n], err
}

func broadcastFromEth0(_, _ string, c syscall.RawConn) (err error) {
	control := c.Control(func(fd uintptr) {
		if err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_BROADCAST, 1); err == nil {
			err = unix.BindToDevice(int(fd), "eth0")
		}
	})
	if control != nil {
		return control
	}
	return err
}

// optionsAt is where the options of a DHCP message start: 236 bytes of BOOTP
// and the magic cookie (RFC 2131).
const optionsAt = 240

func discover(hw net.HardwareAddr, arch uint16, ipxe bool) []byte {
	b := make([]byte, optionsAt)
	b[0], b[1], b[2] = 1, 1, 6 // request, Ethernet, address length
	copy(b[4:], hw[2:])        // transaction id
	b[10] = 0x80               // answer by broadcast
	copy(b[28:], hw)
	copy(b[236:], []byte{99, 130, 83, 99})
	b = append(b, 53, 1, 1)         // DHCPDISCOVER
	b = append(b, 55, 3, 1, 66, 67) // asks for netmask, server and boot file
	b = append(b, 60, 9)            // vendor class
	b = append(b, "PXEClient"...)   //
	b = append(b, 93, 2)            // client architecture (RFC 4578)
	b = binary.BigEndian.AppendUint16(b, arch)
	if ipxe {
		b = append(b, 175, 3, 0xb1, 1, 1)
	}
	return append(b, 255)
}

func option(b []byte, code byte) (string, error) {
	for i := optionsAt; i+1 < len(b) && b[i] != 255; i += 2 + int(b[i+1]) {
		if b[i] == code {
			return strings.TrimRight(string(b[i+2:i+2+int(b[i+1])]), "\x00"), nil
		}
	}
	return "", fmt.Errorf("the offer has no option %d", code)
}
