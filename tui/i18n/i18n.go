// Package i18n owns the words on the screen, in English and Chinese side by side.
package i18n

import (
	"fmt"
	"strings"
)

// Lang is a language.
type Lang int

// The languages.
const (
	English Lang = iota
	Chinese
)

// Langs is all of them.
var Langs = []Lang{English, Chinese}

// Code is the language's ISO 639 code.
func (l Lang) Code() string { return [...]string{"en", "zh"}[l] }

// Parse reads a code or a locale: zh, zh_CN.UTF-8, en.
func Parse(s string) (Lang, bool) {
	switch s = strings.ToLower(s); {
	case strings.HasPrefix(s, "zh"):
		return Chinese, true
	case strings.HasPrefix(s, "en"), s == "c", strings.HasPrefix(s, "c."), s == "posix":
		return English, true
	}
	return English, false
}

// T is the text of a key with args filled in. A key without a text shows itself.
func (l Lang) T(key string, args ...any) string {
	t, ok := words[key]
	if !ok {
		return key
	}
	if len(args) == 0 {
		return t[l]
	}
	return fmt.Sprintf(plural(t[l], args), args...)
}

// Has reports whether a key has a text.
func Has(key string) bool { _, ok := words[key]; return ok }

// Keys is every key, in no order.
func Keys() []string {
	out := make([]string, 0, len(words))
	for k := range words {
		out = append(out, k)
	}
	return out
}

type pair = [2]string // English, Chinese

var words = join(general, actions, screens, dialogs, messages)

func join(parts ...map[string]pair) map[string]pair {
	all := map[string]pair{}
	for _, p := range parts {
		for k, v := range p {
			all[k] = v
		}
	}
	return all
}
