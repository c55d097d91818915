package lab

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed guest/*.S
var guestSource embed.FS

const (
	sector       = 512
	maxGuestText = 60
	biosDiskSize = 16 << 20 // iPXE cannot boot a disk below one cylinder, 8 MiB
	uefiDiskSize = 33 << 20 // the smallest that holds a FAT16 every firmware reads
)

// WriteGuestDisk makes a disk that a machine with that firmware boots from, and
// that says "GUEST <text>" on the second serial line.
func WriteGuestDisk(path, text string, fw Firmware) error {
	if len(text) == 0 || len(text) > maxGuestText {
		return fmt.Errorf("make guest disk %s: text %q is not 1 to %d bytes long", path, text, maxGuestText)
	}
	write := writeBIOSDisk
	if fw == UEFI {
		write = writeUEFIDisk
	}
	if err := write(path, text); err != nil {
		return fmt.Errorf("make guest disk %s: %w", path, err)
	}
	return nil
}

// writeBIOSDisk: sector 0 is the boot sector, 1 the text, 2 counts the boots.
func writeBIOSDisk(path, text string) error {
	code, err := assemble("bios.S", []string{"--32"},
		[]string{"-m", "elf_i386", "-Ttext", "0x7c00", "--oformat", "binary"})
	if err != nil {
		return err
	}
	if len(code) != sector {
		return fmt.Errorf("the boot sector has %d bytes, not %d", len(code), sector)
	}
	if err := os.WriteFile(path, append(code, text...), 0o644); err != nil {
		return err
	}
	return os.Truncate(path, biosDiskSize)
}

// writeUEFIDisk: the whole disk is one FAT file system with the loader that
// firmware looks for on a medium it knows nothing of.
func writeUEFIDisk(path, text string) error {
	app, err := assemble("uefi.S", []string{"--64"},
		[]string{"-m", "i386pep", "--subsystem", "10", "--entry", "efi_main"})
	if err != nil {
		return err
	}
	const place = "GUEST-TEXT"
	at := bytes.Index(app, []byte(place))
	if at < 0 {
		return fmt.Errorf("the UEFI application has no place for the text")
	}
	copy(app[at:], append([]byte(text), "\r\n\x00"...))

	dir, err := os.MkdirTemp("", "guest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	loader := filepath.Join(dir, "BOOTX64.EFI")
	if err := os.WriteFile(loader, app, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		return err
	}
	if err := os.Truncate(path, uefiDiskSize); err != nil {
		return err
	}
	for _, cmd := range [][]string{
		{"mformat", "-i", path, "-v", "GUEST", "::"},
		{"mmd", "-i", path, "::/EFI", "::/EFI/BOOT"},
		{"mcopy", "-i", path, loader, "::/EFI/BOOT/BOOTX64.EFI"},
	} {
		if _, err := run(cmd[0], cmd[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// assemble turns one of our sources into what the linker makes of it.
func assemble(name string, asFlags, ldFlags []string) ([]byte, error) {
	source, err := guestSource.ReadFile("guest/" + name)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "guest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	src, obj, out := filepath.Join(dir, name), filepath.Join(dir, "o"), filepath.Join(dir, "out")
	if err := os.WriteFile(src, source, 0o644); err != nil {
		return nil, err
	}
	if _, err := run("as", append(asFlags, "-o", obj, src)...); err != nil {
		return nil, err
	}
	if _, err := run("ld", append(ldFlags, "-o", out, obj)...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}
