package docs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// part is one piece of a guide, in order: a heading, a block of commands or a table.
type part struct {
	kind string // "## ", "### ", "sh", "text", …, or "table"
	text string
	rows int // of a table
}

// parts reads a guide.
func parts(t *testing.T, file string) (all []part) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var open *part // a block or a table
	for line := range strings.Lines(string(b)) {
		mark, isMark := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case open != nil && open.kind != "table" && isMark:
			open = nil
		case open != nil && open.kind != "table":
			open.text += line
		case isMark:
			all = append(all, part{kind: mark})
			open = &all[len(all)-1]
		case strings.HasPrefix(line, "|"):
			if open == nil {
				all = append(all, part{kind: "table"})
				open = &all[len(all)-1]
			}
			open.rows++
		default:
			open = nil
			if head, text, ok := strings.Cut(line, " "); ok && head != "" && strings.Trim(head, "#") == "" {
				all = append(all, part{kind: head, text: strings.TrimSpace(text)})
			}
		}
	}
	return all
}

// bilingual are the guides that exist in both languages.
var bilingual = []string{"guide", "growing", "images"}

// TestBothLanguagesHaveTheSameChaptersCommandsAndTables: comments in commands are
// words, and may differ.
func TestBothLanguagesHaveTheSameChaptersCommandsAndTables(t *testing.T) {
	for _, name := range bilingual {
		en, zh := parts(t, name+".md"), parts(t, name+".zh.md")
		for i := range min(len(en), len(zh)) {
			e, z := en[i], zh[i]
			if e.kind != z.kind || e.rows != z.rows {
				t.Errorf("%s: part %d is %s %q (%d rows), in Chinese %s %q (%d rows)", name, i, e.kind, e.text, e.rows, z.kind, z.text, z.rows)
				break
			}
			if strings.Trim(e.kind, "#") != "" && e.kind != "table" && words.ReplaceAllString(e.text, "") != words.ReplaceAllString(z.text, "") {
				t.Errorf("%s: the commands differ:\n%s\nand in Chinese\n%s", name, e.text, z.text)
			}
		}
		if len(en) != len(zh) {
			t.Errorf("%s has %d parts, in Chinese %d", name, len(en), len(zh))
		}
	}
}

// words are the comments and the prompts in commands.
var words = regexp.MustCompile(`(?m)\s*#[^\n]*$|-rp '[^']*'`)

// TestEveryLinkLeadsSomewhere: to a file, and to a chapter of it.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md"}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".md") {
			names = append(names, f.Name())
		}
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := name
			if target != "" {
				file = strings.TrimSuffix(name, base(name)) + target
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s leads to %s, which is not there", name, m[1])
				continue
			}
			if anchor != "" && strings.HasSuffix(file, ".md") && !anchors(t, file)[anchor] {
				t.Errorf("%s leads to %s, and there is no such chapter", name, m[1])
			}
		}
	}
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	unlinked = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func base(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// anchors are the headings of a file as links name them.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if head, text, ok := strings.Cut(line, " "); ok && head != "" && strings.Trim(head, "#") == "" {
			slug := unlinked.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), "")
			all[strings.ReplaceAll(slug, " ", "-")] = true
		}
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			all[m[1]] = true
		}
	}
	return all
}

var named = regexp.MustCompile(`<a id="([^"]+)"`)

func TestTheDrawingIsMadeOfItsSource(t *testing.T) {
	source, err := os.ReadFile("architecture.dot")
	if err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile("architecture.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(svg), fmt.Sprintf("architecture.dot, sha256 %x -->", sha256.Sum256(source))) {
		t.Error("architecture.svg is older than architecture.dot: make drawing")
	}
}
