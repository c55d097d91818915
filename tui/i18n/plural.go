package i18n

import (
	"regexp"
	"strings"
)

var (
	number = regexp.MustCompile(`%(\[(\d)\])?[a-z]`)
	forms  = regexp.MustCompile(`\{([^|{}]*)\|([^|{}]*)\}`)
)

// plural takes of every {one|many} in a format the form that the number before
// it asks for.
func plural(format string, args []any) string {
	if !strings.Contains(format, "|") {
		return format
	}
	var b strings.Builder
	for {
		at := forms.FindStringSubmatchIndex(format)
		if at == nil {
			return b.String() + format
		}
		b.WriteString(format[:at[0]])
		form := format[at[4]:at[5]]
		if n := len(number.FindAllString(b.String(), -1)); n > 0 && n <= len(args) && args[n-1] == any(1) {
			form = format[at[2]:at[3]]
		}
		b.WriteString(form)
		format = format[at[1]:]
	}
}
