package apidoc

import (
	"os"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
)

func TestThePagesOnDiskAreWhatTheDocumentSays(t *testing.T) {
	pages, err := Pages(api.ControlPlaneYAML())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		got, err := os.ReadFile("../../../docs/" + name)
		if err != nil || string(got) != string(want) {
			t.Errorf("docs/%s is not up to date (%v): run go generate ./internal/api/apidoc", name, err)
		}
	}
}

func TestBothPagesSayTheSameInTheirLanguage(t *testing.T) {
	pages, err := Pages(api.ControlPlaneYAML())
	if err != nil {
		t.Fatal(err)
	}
	en, zh := string(pages["api.md"]), string(pages["api.zh.md"])
	for _, what := range []string{"### `", "curl ", "\n| "} {
		if a, b := strings.Count(en, what), strings.Count(zh, what); a != b || a == 0 {
			t.Errorf("%q stands %d times in English and %d times in Chinese", what, a, b)
		}
	}
	// A cell that one language has and the other lacks is a forgotten translation.
	a, b := rows(en), rows(zh)
	for i := range min(len(a), len(b)) {
		if strings.HasSuffix(a[i], "|  |") != strings.HasSuffix(b[i], "|  |") {
			t.Errorf("%s\n%s", a[i], b[i])
		}
	}
}

// rows are the lines of all tables.
func rows(page string) (out []string) {
	for line := range strings.SplitSeq(page, "\n") {
		if strings.HasPrefix(line, "| `") {
			out = append(out, line)
		}
	}
	return out
}

func TestACurlLineCanBePasted(t *testing.T) {
	pages, err := Pages(api.ControlPlaneYAML())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"curl \"$CP/boot-vars?mac=52:54:00:12:34:56\"\n",
		"curl -N -H \"Authorization: Bearer $TOKEN\" \"$CP/events\"\n",
		"curl -X POST -H \"Authorization: Bearer $TOKEN\" \"$CP/workers\" \\\n  -d '{\"worker_id\":\"worker-01\",\"mac\":\"52:54:00:12:34:56\"}'\n",
		"curl -X DELETE -H \"Authorization: Bearer $TOKEN\" \"$CP/workers/worker-01/luns/disk/ubuntu\"\n",
	} {
		if !strings.Contains(string(pages["api.md"]), want) {
			t.Errorf("missing:\n%s", want)
		}
	}
}

func TestADocumentThatIsNoYAMLIsAnError(t *testing.T) {
	if _, err := Pages([]byte("a: [")); err == nil {
		t.Error("it was taken")
	}
}
