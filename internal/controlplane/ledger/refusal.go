package ledger

import (
	"errors"
	"path/filepath"
	"syscall"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/fault"
)

// writeError says which file could not be written.
type writeError struct {
	path string
	err  error
}

func (e *writeError) Error() string { return e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

func unwritten(path string, err error) error {
	if err == nil {
		return nil
	}
	return &writeError{path, err}
}

// told are the causes that help a caller and tell nothing of the host.
var told = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EIO, syscall.EFBIG,
	syscall.EMFILE, syscall.ENFILE, syscall.ENOENT, atomicfile.ErrNotRegular, errFolder,
}

// refusal is the sentence for a write that failed.
func refusal(err error) error {
	if errors.Is(err, errEdited) {
		return fault.Wrap(fault.Unavailable, err, "a ledger file is being edited at this moment; try again").WithCode(codeUnreadable)
	}
	kind := fault.Unavailable
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		kind = fault.NoSpace
	}
	outcome := "nothing was changed"
	if errors.Is(err, errUnsettled) || errors.Is(err, atomicfile.ErrUnsettled) {
		outcome = "what stood before could not be put back either: look whether it was changed"
	}
	if f := fault.As(err); f != nil { // of Options.May
		return fault.Wrap(kind, err, "%s; %s", f.Text, outcome)
	}
	var w *writeError
	if !errors.As(err, &w) {
		return fault.Wrap(kind, err, "the ledger could not be written; %s", outcome)
	}
	what := filepath.Base(w.path)
	if cause := causeOf(err); cause != "" {
		what += ": " + cause
	}
	return fault.Wrap(kind, err, "the ledger could not be written; %s (%s)", outcome, what)
}

// causeOf is what may be told of err's cause; "" when nothing may.
func causeOf(err error) string {
	if f := fault.As(err); f != nil {
		return f.Text
	}
	for _, cause := range told {
		if errors.Is(err, cause) {
			return cause.Error()
		}
	}
	return ""
}
