package liovm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// metaPackage depends on the newest generic kernel; the cloud kernel has no 9p.
const metaPackage = "linux-image-amd64"

var dependsOnKernel = regexp.MustCompile(`Depends: (linux-image-\d[\w.+-]*-amd64)\n`)

// unpackKernel downloads Debian's kernel and unpacks it into dir.
func unpackKernel(ctx context.Context, dir string) error {
	err := download(ctx, dir)
	if err != nil {
		// The lists of packages may be missing or name versions that are gone.
		if _, update := run(ctx, dir, nil, "apt-get", "update", "-q"); update != nil {
			return errors.Join(err, update)
		}
		err = download(ctx, dir)
	}
	if err != nil {
		return err
	}
	packages, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(packages) != 1 {
		return fmt.Errorf("apt-get download left %d packages, %w", len(packages), err)
	}
	_, err = run(ctx, dir, nil, "dpkg-deb", "-x", packages[0], dir)
	return err
}

func download(ctx context.Context, dir string) error {
	// linux-image-amd64
	//   Depends: linux-image-6.1.0-57-amd64
	out, err := run(ctx, dir, nil, "apt-cache", "depends", metaPackage)
	if err != nil {
		return err
	}
	found := dependsOnKernel.FindSubmatch(out)
	if found == nil {
		return fmt.Errorf("apt-cache shows no kernel that %s depends on: %q", metaPackage, out)
	}
	_, err = run(ctx, dir, nil, "apt-get", "download", "-q", string(found[1]))
	return err
}

// unpackImage takes the ELF kernel out of a bzImage. QEMU can start the one as
// well as the other, but an emulated processor takes seconds to unpack it, at
// each boot. Offsets: Linux, Documentation/arch/x86/boot.rst, protocol 2.08.
func unpackImage(ctx context.Context, image []byte) ([]byte, error) {
	const setupSectors, magic, payloadOffset, payloadLength = 0x1f1, 0x202, 0x248, 0x24c
	if len(image) < 0x1000 || !bytes.Equal(image[magic:magic+4], []byte("HdrS")) {
		return nil, errors.New("the kernel is no bzImage")
	}
	start := (int(image[setupSectors])+1)*512 + int(binary.LittleEndian.Uint32(image[payloadOffset:]))
	end := start + int(binary.LittleEndian.Uint32(image[payloadLength:]))
	if end > len(image) || end-start < 4 {
		return nil, errors.New("the kernel image is cut short")
	}
	payload := image[start : end-4] // the last four bytes are the unpacked size
	if !bytes.HasPrefix(payload, []byte("\xfd7zXZ\x00")) {
		return nil, errors.New("the kernel is not packed with xz")
	}
	vmlinux, err := run(ctx, "", payload, "xz", "--decompress", "--stdout")
	if err == nil && !bytes.HasPrefix(vmlinux, []byte("\x7fELF")) {
		err = errors.New("the unpacked kernel is no ELF file")
	}
	return vmlinux, err
}

// run runs a program of the host to its end and returns what it printed.
func run(ctx context.Context, dir string, stdin []byte, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "CGO_ENABLED=0")
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.Bytes(), nil
}
