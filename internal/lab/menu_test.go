package lab

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/netboot"
)

var (
	menuItem    = regexp.MustCompile(`(?m)^item --key \w (\S+) `)
	menuDefault = regexp.MustCompile(`(?m)^iseq \$\{menu-default\} (\S+) && goto main \|\|$`)
	menuLabel   = regexp.MustCompile(`(?m)^:(\S+)$`)
	menuScreen  = regexp.MustCompile(`(?ms)^menu iPXE boot menu.*?^choose `)
)

func TestTheMainMenuHasExactlyTheItemsOfTheAPIInTheirOrder(t *testing.T) {
	script := shipped(t, "menu.ipxe")
	var want []string
	for _, item := range netboot.MenuItems() {
		want = append(want, item.String())
	}
	if got := matches(menuItem, menuScreen.FindString(script)); !slices.Equal(got, want) {
		t.Errorf("menu.ipxe shows\n%q, the API has\n%q", got, want)
	}
	if got := matches(menuDefault, script); !slices.Equal(got, want) {
		t.Errorf("menu.ipxe takes as default\n%q, the API\n%q", got, want)
	}
}

func TestEveryItemOfEveryMenuHasALabelToGoTo(t *testing.T) {
	script := shipped(t, "menu.ipxe")
	labels := matches(menuLabel, script)
	for _, id := range matches(menuItem, script) {
		if !slices.Contains(labels, id) {
			t.Errorf("menu.ipxe has the item %s, but no label :%s", id, id)
		}
	}
	if slices.Sort(labels); len(slices.Compact(slices.Clone(labels))) != len(labels) {
		t.Errorf("menu.ipxe has a label twice: %q", labels)
	}
}

func TestEveryGotoOfTheShippedScriptsHasItsLabel(t *testing.T) {
	jump := regexp.MustCompile(`(?m)\bgoto ([\w-]+)`)
	for _, name := range []string{"boot.ipxe", "boot.ipxe.cfg", "menu.ipxe"} {
		script := shipped(t, name)
		labels := matches(menuLabel, script)
		for _, label := range matches(jump, script) {
			if !slices.Contains(labels, label) {
				t.Errorf("%s goes to %s, which it does not have", name, label)
			}
		}
	}
}

func TestNoRootPathOutlivesTheAnswerThatGaveIt(t *testing.T) {
	script := shipped(t, "boot.ipxe.cfg")
	for _, os := range netboot.Systems() {
		if !regexp.MustCompile(`(?m)^set root-` + os.String() + `$`).MatchString(script) {
			t.Errorf("boot.ipxe.cfg does not clear root-%s before it asks", os)
		}
	}
}

// A person who fills the public folder reads its README.txt and not the script.
func TestEveryFileOfTheMenuIsNamedInThePublicFoldersReadme(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "deploy", "public", "README.txt"))
	if err != nil {
		t.Fatal(err)
	}
	told := matches(regexp.MustCompile(`(?m)^((?:installers|tools)/\S+)`), string(readme))
	wanted := matches(regexp.MustCompile(`\$\{file-url\}/([\w./-]*[\w])`), strings.ReplaceAll(shipped(t, "menu.ipxe"), "${memtest}", "memtest64.bin"))
	if len(wanted) < 10 {
		t.Fatalf("menu.ipxe fetches only %q", wanted)
	}
	for _, file := range wanted {
		if !slices.ContainsFunc(told, func(name string) bool {
			return file == strings.TrimSuffix(name, "/") || strings.HasPrefix(name, file+"/") || strings.HasSuffix(name, "/") && strings.HasPrefix(file, name)
		}) {
			t.Errorf("README.txt does not name %s", file)
		}
	}
}

func shipped(t *testing.T, name string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "deploy", "tftp", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func matches(re *regexp.Regexp, s string) []string {
	var out []string
	for _, m := range re.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}
