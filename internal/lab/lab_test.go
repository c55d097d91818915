package lab

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestOnlyLabsWhoseProcessIsGoneAreLeftovers(t *testing.T) {
	own, err := ownerOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		lives bool
	}{
		{own + "-1-cp", true},
		{fmt.Sprintf("%s%d-1-1-cp", namePrefix, os.Getpid()), false}, // the number came round again
		{namePrefix + "4194304-1-1-cp", false},                       // above the kernel's highest
		{namePrefix + "mine", true},
		{namePrefix + "a-b-c", true},
	} {
		if got := ownerLives(c.name); got != c.lives {
			t.Errorf("the owner of %s lives: %t, want %t", c.name, got, c.lives)
		}
	}
}

func TestOptionsOfDnsmasqAreReplacedOnceOrRefused(t *testing.T) {
	conf := "# tftp-root=/no\ntftp-root=/srv\nport=0\ndhcp-range=a\ndhcp-range=b\n"
	got, err := setOptions(conf, map[string]string{"tftp-root": "/x"})
	if want := strings.Replace(conf, "\ntftp-root=/srv", "\ntftp-root=/x", 1); err != nil || got != want {
		t.Errorf("set tftp-root: %q, %v; want %q", got, err, want)
	}
	for option, want := range map[string]string{
		"dhcp-range": "configure dnsmasq: dnsmasq.conf has 2 lines dhcp-range=, not one",
		"user":       "configure dnsmasq: dnsmasq.conf has 0 lines user=, not one",
	} {
		if _, err := setOptions(conf, map[string]string{option: "x"}); err == nil || err.Error() != want {
			t.Errorf("set %s: %v, want %s", option, err, want)
		}
	}
}

func TestAMissingProgramIsNamedWithItsPackage(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	want := "tgtd is missing: install the Debian package tgt (internal/lab/prerequisites.sh installs all that is needed)"
	if err := need("tgtd"); err == nil || err.Error() != want {
		t.Errorf("need tgtd: %v, want %s", err, want)
	}
}

func TestAGuestDisksTextMustFitItsPlace(t *testing.T) {
	for _, text := range []string{"", strings.Repeat("x", maxGuestText+1)} {
		if err := WriteGuestDisk(t.TempDir()+"/d.img", text, BIOS); err == nil {
			t.Errorf("a text of %d bytes was taken", len(text))
		}
	}
}

func TestATextOfAShippedFileIsReplacedOnceOrRefused(t *testing.T) {
	file := t.TempDir() + "/nginx.conf"
	for _, c := range []struct{ before, after, problem string }{
		{"a /srv/x; b /srv/y;", "a /srv/y; b /srv/z;", ""}, // one pass: what was put in is not replaced again
		{"a /srv/x;", "", `has "/srv/y" 0 times, not once`},
		{"a /srv/x; /srv/x; /srv/y;", "", `has "/srv/x" 2 times, not once`},
	} {
		if err := os.WriteFile(file, []byte(c.before), 0o644); err != nil {
			t.Fatal(err)
		}
		err := replaceOnce(file, "/srv/x", "/srv/y", "/srv/y", "/srv/z")
		if (err == nil) != (c.problem == "") || err != nil && !strings.HasSuffix(err.Error(), c.problem) {
			t.Errorf("%q: %v, want %q", c.before, err, c.problem)
		}
		if got, _ := os.ReadFile(file); err == nil && string(got) != c.after {
			t.Errorf("%q became %q, want %q", c.before, got, c.after)
		}
	}
}
