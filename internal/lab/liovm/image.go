package liovm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ipxe-all-ready/internal/lab"
	"ipxe-all-ready/internal/lab/liovm/job"
)

// image is what a guest boots.
type image struct{ kernel, initramfs string }

// open takes the kernel from the cache, or makes the cache, and puts this
// checkout's init to it. The initramfs is written into dir.
func open(ctx context.Context, dir string) (image, error) {
	root, err := lab.Root()
	if err != nil {
		return image{}, err
	}
	cache, err := openCache(ctx, filepath.Join(root, ".cache", "liovm"))
	if err != nil {
		return image{}, fmt.Errorf("make guest kernel: %w", err)
	}
	modules, err := os.ReadFile(filepath.Join(cache, "modules.cpio"))
	if err != nil {
		return image{}, err
	}
	binary := filepath.Join(dir, "init")
	if err := Build(ctx, "./internal/lab/liovm/guestinit", binary); err != nil {
		return image{}, err
	}
	init, err := os.ReadFile(binary)
	if err != nil {
		return image{}, err
	}
	buf := bytes.NewBuffer(modules)
	a := &archive{w: buf}
	a.file("init", init)
	if err := a.close(); err != nil {
		return image{}, err
	}
	i := image{kernel: filepath.Join(cache, "vmlinux"), initramfs: filepath.Join(dir, "initramfs.cpio")}
	return i, os.WriteFile(i.initramfs, buf.Bytes(), 0o644)
}

// openCache returns the folder with vmlinux and modules.cpio. It is named after
// what it was made of, whole or not there, and made by one process at a time.
func openCache(ctx context.Context, top string) (string, error) {
	if err := os.MkdirAll(top, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(top, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join(wanted, " ")))
	cache := filepath.Join(top, "kernel-"+hex.EncodeToString(sum[:4]))
	if _, err := os.Stat(cache); err == nil {
		return cache, nil
	}
	work := filepath.Join(top, "making") // one that was killed may have left it
	if err := os.RemoveAll(work); err != nil {
		return "", err
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if err := fillCache(ctx, work); err != nil {
		return "", err
	}
	return cache, os.Rename(filepath.Join(work, "out"), cache)
}

func fillCache(ctx context.Context, work string) error {
	if err := unpackKernel(ctx, work); err != nil {
		return err
	}
	images, err := filepath.Glob(filepath.Join(work, "boot", "vmlinuz-*"))
	if err != nil || len(images) != 1 {
		return fmt.Errorf("the kernel package has %d kernels", len(images))
	}
	packed, err := os.ReadFile(images[0])
	if err != nil {
		return err
	}
	vmlinux, err := unpackImage(ctx, packed)
	if err != nil {
		return err
	}
	modules, err := packModules(filepath.Join(work, "lib", "modules"))
	if err != nil {
		return err
	}
	out := filepath.Join(work, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "vmlinux"), vmlinux, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "modules.cpio"), modules, 0o644)
}

// packModules makes the lasting part of the initramfs.
func packModules(dir string) ([]byte, error) {
	files, err := moduleFiles(dir)
	if err != nil {
		return nil, err
	}
	order, err := loadOrder(files, wanted)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	a := &archive{w: &buf}
	a.dir("dev")
	a.device("dev/console", 5, 1)
	folder := strings.TrimPrefix(job.Modules, "/")
	a.dir(folder)
	for _, name := range order {
		b, err := os.ReadFile(files[name])
		if err != nil {
			return nil, err
		}
		a.file(path.Join(folder, name), b)
	}
	a.file(path.Join(folder, job.ModuleOrder), []byte(strings.Join(order, "\n")))
	return buf.Bytes(), a.close()
}
