package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular says that something else than a file stands at a path: a
// folder, a named pipe, a socket, a device.
var ErrNotRegular = errors.New("not a regular file")

// notRegular is ErrNotRegular that names what stands there.
type notRegular struct{ kind string }

func (e notRegular) Error() string        { return e.kind + ", " + ErrNotRegular.Error() }
func (e notRegular) Is(target error) bool { return target == ErrNotRegular }

// Kind says what something is that is no regular file, for a sentence: "a named
// pipe".
func Kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Open opens the regular file at path. Whatever else stands there is refused
// with ErrNotRegular and never waited for: to open a named pipe blocks until
// somebody opens its other end. It is looked at first, since opening a device
// may do something, and again once it is open.
func Open(path string, flag int) (*os.File, error) {
	info, err := os.Stat(path)
	var cause *fs.PathError
	if errors.As(err, &cause) {
		cause.Op = "open" // that is what was asked for
	}
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: notRegular{Kind(info.Mode())}}
}

// ErrTooLarge says that a file holds more than its reader takes.
var ErrTooLarge = errors.New("the file is too large")

type tooLarge struct{ most int64 }

func (e tooLarge) Error() string        { return fmt.Sprintf("it is larger than %d bytes", e.most) }
func (e tooLarge) Is(target error) bool { return target == ErrTooLarge }

// ReadFile is the content of the regular file at path. More than most bytes are
// refused with ErrTooLarge and not read: what a name leads to by mistake, an
// image of many gigabytes, would take all memory.
func ReadFile(path string, most int64) ([]byte, error) {
	content, _, err := Read(path, most)
	return content, err
}

// Read is ReadFile, with what the file was when it was opened; nil when it could
// not be.
func Read(path string, most int64) ([]byte, fs.FileInfo, error) {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size() > most {
		return nil, info, &fs.PathError{Op: "read", Path: path, Err: tooLarge{most}}
	}
	var content bytes.Buffer
	content.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := content.ReadFrom(io.LimitReader(f, most+1)); err != nil { // it may grow meanwhile
		return nil, info, err
	}
	if int64(content.Len()) > most {
		return nil, info, &fs.PathError{Op: "read", Path: path, Err: tooLarge{most}}
	}
	return content.Bytes(), info, nil
}
