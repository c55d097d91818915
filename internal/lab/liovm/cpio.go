package liovm

import (
	"fmt"
	"io"
)

// archive writes an initramfs: cpio in the "newc" form (Linux,
// Documentation/driver-api/early-userspace/buffer-format.rst).
type archive struct {
	w   io.Writer
	ino int
	err error
}

// Kinds of entries, as in st_mode.
const (
	modeDir  = 0o040755
	modeFile = 0o100755
	modeChar = 0o020600
)

func (a *archive) dir(name string) { a.add(name, modeDir, 0, 0, nil) }

func (a *archive) file(name string, b []byte) { a.add(name, modeFile, 0, 0, b) }

func (a *archive) device(name string, major, minor int) { a.add(name, modeChar, major, minor, nil) }

// close ends the archive; another may follow it in the same initramfs.
func (a *archive) close() error {
	a.add("TRAILER!!!", 0, 0, 0, nil)
	return a.err
}

func (a *archive) add(name string, mode, major, minor int, body []byte) {
	a.ino++
	head := fmt.Sprintf("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\x00",
		a.ino, mode, 0, 0, 1, 0, len(body), 0, 0, major, minor, len(name)+1, 0, name)
	a.write([]byte(head))
	a.write(body)
}

// write pads to four bytes, as each part of the form is.
func (a *archive) write(b []byte) {
	if a.err != nil {
		return
	}
	if _, a.err = a.w.Write(b); a.err != nil {
		return
	}
	_, a.err = a.w.Write(make([]byte, -len(b)&3))
}
