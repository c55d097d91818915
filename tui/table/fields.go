package table

import (
	"slices"
	"strings"
)

// Unknown is the first field that the filter names and the table has not, with
// those that it has; "" where there is none.
func (t *Table[R]) Unknown() (name string, fields []string) {
	if t.o.Field == nil {
		return "", nil
	}
	for _, w := range terms(t.filter) {
		name, _, isField := strings.Cut(w, ":")
		if isField && word(name) && !slices.Contains(t.o.Fields, name) {
			return name, t.o.Fields
		}
	}
	return "", nil
}

// word reports whether s can be meant as a field: the first byte of a MAC, the
// beginning of an IQN and a time of day are not.
func word(s string) bool {
	if s == "" || len(s) == 2 && strings.Trim(s, "abcdef") == "" {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}
