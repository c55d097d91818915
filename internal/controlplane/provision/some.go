package provision

import (
	"fmt"
	"strings"
)

// some names a few of many, so that a sentence stays one.
func some(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
