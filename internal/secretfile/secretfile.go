// Package secretfile owns the files in which tokens and keys stand: how they are
// read, and what is to be said of one that is open to everybody.
package secretfile

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"ipxe-all-ready/internal/atomicfile"
	"ipxe-all-ready/internal/secret"
)

// longest is above any token that a header carries, in bytes.
const longest = 4096

// Token is what a file of one holds.
type Token struct {
	secret.Text
	Doubt string // of Doubt; "": none
}

// ReadToken reads a token, without the white space around it. Whatever is no
// regular file is refused and not waited for. An error is a sentence that names
// the file, and never what stands in it.
func ReadToken(path string) (Token, error) {
	content, info, err := atomicfile.Read(path, longest)
	text := strings.TrimSpace(string(content))
	var cause *fs.PathError
	switch {
	case errors.Is(err, atomicfile.ErrTooLarge):
		return Token{}, fmt.Errorf("%q is larger than %d bytes and no token", path, longest)
	case errors.Is(err, atomicfile.ErrNotRegular) && errors.As(err, &cause):
		return Token{}, fmt.Errorf("%q is %w", path, cause.Err)
	case err != nil:
		return Token{}, err
	case text == "":
		return Token{}, fmt.Errorf("%q is empty", path)
	case !Carried(text):
		return Token{}, fmt.Errorf("%q %w", path, errCharacter)
	}
	return Token{secret.New(text), Doubt(path, info)}, nil
}

var errCharacter = errors.New("holds white space or another character that an HTTP header cannot carry")

// Carried reports whether an HTTP header carries a token.
func Carried(token string) bool {
	return !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Remedy is what mends a file with a Doubt.
const Remedy = "chmod o= the file, and make a new token or key if somebody may have read it"

// Doubt says that every user of this host can read or change a file; "" when
// none can, or when it stands where one container alone sees it. Its group is the owner's choice: root:ipxe 0640 is how a daemon that
// is not root is given a file, and the group's bits are also where the access
// list shows by which systemd lends a credential.
func Doubt(path string, info fs.FileInfo) string {
	mode := info.Mode().Perm()
	can := map[fs.FileMode]string{0o4: "read", 0o2: "changed", 0o6: "read and changed"}[mode&0o6]
	if can == "" || can == "read" && ofAContainer(path) {
		return ""
	}
	return fmt.Sprintf("%q can be %s by every user of this host (mode %04o)", path, can, mode)
}
