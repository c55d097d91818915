package image

import (
	"strings"

	"ipxe-all-ready/internal/fault"
)

// masterMark in a file name makes it a golden image: cloned, never exported
// writable, deleted or overwritten.
const masterMark = "_tpl_"

const maxName = 200

// Name is one file in the image folder: a disk (.img) or a CD (.iso). It is
// never a path.
type Name struct{ s string }

// ParseDisk reads the file name of a disk, one element of [A-Za-z0-9._-] that
// ends in .img.
func ParseDisk(s string) (Name, error) { return parse("disk file", s, ".img") }

// ParseCD reads the file name of a CD, ending in .iso.
func ParseCD(s string) (Name, error) { return parse("iso", s, ".iso") }

// ParseMaster reads the file name of a golden image: a disk with _tpl_ in it.
func ParseMaster(s string) (Name, error) {
	n, err := parse("master", s, ".img")
	if err == nil && !n.IsMaster() {
		return Name{}, fault.New(fault.Invalid, "master %q does not carry %s in its name", fault.Clip(s), masterMark)
	}
	return n, err
}

func parse(what, s, ext string) (Name, error) {
	bad := func(why string) (Name, error) {
		return Name{}, fault.New(fault.Invalid, "%s %q %s", what, fault.Clip(s), why)
	}
	switch {
	case s == "":
		return bad("is empty")
	case len(s) > maxName:
		return bad("is longer than 200 bytes")
	case s[0] == '.' || s[0] == '-':
		return bad("starts with '.' or '-'")
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-') {
			return bad("is not one file name of A-Z, a-z, 0-9, '.', '_' and '-'")
		}
	}
	if strings.Contains(s, "..") {
		return bad("holds two dots in a row")
	}
	if !strings.HasSuffix(s, ext) || len(s) == len(ext) {
		return bad("does not end in " + ext)
	}
	return Name{s}, nil
}

// IsZero reports whether n is no name.
func (n Name) IsZero() bool { return n.s == "" }

func (n Name) String() string { return n.s }

// IsMaster reports whether n is a golden image.
func (n Name) IsMaster() bool { return MasterMarked(n.s) }

// MasterMarked reports whether a file carries the mark of a golden image,
// whatever else is in its name.
func MasterMarked(file string) bool { return strings.Contains(file, masterMark) }

// IsCD reports whether n is an optical image.
func (n Name) IsCD() bool { return strings.HasSuffix(n.s, ".iso") }

// Suffix is the IQN suffix that the file's name stands for: the name without
// .img, a CD's whole name; lower-case, every character that iSCSI or stgt
// refuses as '-' (Win11_24H2.iso → win11-24h2.iso).
func (n Name) Suffix() string {
	s := strings.ToLower(strings.TrimSuffix(n.s, ".img"))
	b := []byte(s)
	for i, c := range b {
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-') {
			b[i] = '-'
		}
	}
	return string(b)
}
