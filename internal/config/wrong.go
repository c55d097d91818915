package config

import (
	"errors"
	"io/fs"
	"net"
)

// exitWrong is sysexits' EX_CONFIG: only a person mends it, so that a service
// manager need not try again.
const exitWrong = 78

// wrong is an error that settings are the cause of.
type wrong struct{ error }

func (w wrong) Unwrap() error { return w.error }

// Wrong marks an error that settings are the cause of, such as a certificate that
// does not fit its key; nil stays nil.
func Wrong(err error) error {
	if err == nil {
		return nil
	}
	return wrong{err}
}

// Status is with what a daemon ends after err: 78 where settings are its cause,
// else 1, upon which it may be started again.
func Status(err error) int {
	if w := (wrong{}); errors.As(err, &w) {
		return exitWrong
	}
	return 1
}

// Bound is what net.Listen gave, with an error that is Wrong where this user may not
// have the port. An address that is taken, or that this host has not yet, is none.
func Bound(ln net.Listener, err error) (net.Listener, error) {
	if errors.Is(err, fs.ErrPermission) {
		err = Wrong(err)
	}
	return ln, err
}
