package i18n

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var verb = regexp.MustCompile(`%(\[\d\])?[a-z]`)

func verbs(s string) []string {
	var out []string
	for i, v := range verb.FindAllString(s, -1) {
		if !strings.Contains(v, "[") {
			v = "%[" + string(rune('1'+i)) + "]" + v[1:]
		}
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

func TestEveryTextIsThereInBothLanguagesWithTheSameValues(t *testing.T) {
	count := 0
	for _, part := range []map[string]pair{general, actions, screens, dialogs, messages} {
		count += len(part)
	}
	if count != len(words) {
		t.Errorf("%d texts, %d keys: one key stands in two parts", count, len(words))
	}
	for key, p := range words {
		if p[English] == "" || p[Chinese] == "" {
			t.Errorf("%s: %q", key, p)
		}
		if !slices.Equal(verbs(p[English]), verbs(p[Chinese])) {
			t.Errorf("%s: %q and %q take other values", key, p[English], p[Chinese])
		}
	}
}

var (
	used   = regexp.MustCompile(`(?:\bT|head|pair|Words)\("([a-z0-9.]+)"[,)]|Title: +"([a-z]+\.[a-z.]+)"`)
	prefix = regexp.MustCompile(`"(key|scope|state|task|kind|health|fix|status)\." *\+`)
)

func TestEveryKeyInTheCodeHasATextAndEveryTextIsUsed(t *testing.T) {
	code := strings.Builder{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || filepath.Base(filepath.Dir(path)) == "i18n" {
			return err
		}
		b, err := os.ReadFile(path)
		code.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, m := range used.FindAllStringSubmatch(code.String(), -1) {
		key := m[1] + m[2]
		asked[key] = true
		if !Has(key) {
			t.Errorf("%s is asked for and has no text", key)
		}
	}
	dynamic := map[string]bool{}
	for _, m := range prefix.FindAllStringSubmatch(code.String(), -1) {
		dynamic[m[1]] = true
	}
	for key := range words {
		head, _, _ := strings.Cut(key, ".")
		if !asked[key] && !dynamic[head] {
			t.Errorf("%s is asked for nowhere", key)
		}
	}
}

func TestALocaleNamesItsLanguage(t *testing.T) {
	for s, want := range map[string]Lang{"zh_CN.UTF-8": Chinese, "zh": Chinese, "en_GB": English, "C.UTF-8": English, "de_DE": English, "": English} {
		if got, _ := Parse(s); got != want {
			t.Errorf("%q is %v", s, got)
		}
	}
}
