// Package keydoc makes docs/tui.md from the table of keys.
package keydoc

import (
	_ "embed" // the words before the tables
	"fmt"
	"strings"

	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/keys"
)

//go:embed preface.md
var preface string

// Page is docs/tui.md.
func Page() string {
	var b strings.Builder
	b.WriteString(preface)
	b.WriteString("\n## Keys\n\nThis part is made from the table that the console itself works by; `?` shows\nthe same, with why a key is off just then.\n")
	for _, s := range keys.Scopes {
		fmt.Fprintf(&b, "\n### %s · %s\n\n| key | | |\n|---|---|---|\n", i18n.English.T("scope."+string(s)), i18n.Chinese.T("scope."+string(s)))
		for _, k := range keys.In(s) {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", names(k), i18n.English.T("key."+string(k.Action)), i18n.Chinese.T("key."+string(k.Action)))
		}
	}
	return b.String()
}

func names(b keys.Binding) string {
	out := make([]string, 0, len(b.Keys))
	for _, k := range b.Keys {
		out = append(out, "`"+keys.Show(k)+"`")
	}
	return strings.Join(out, " ")
}
