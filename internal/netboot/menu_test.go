package netboot

import (
	"fmt"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestSystemsAndItemsStandInTheMenusOrder(t *testing.T) {
	if got := fmt.Sprint(Systems()); got != "[windows ubuntu debian centos esxi]" {
		t.Error(got)
	}
	if got := fmt.Sprint(MenuItems()); got != "[windows ubuntu debian centos esxi menu-diag menu-install config shell reboot exit]" {
		t.Error(got)
	}
}

func TestEverySystemIsReadInAnyCaseAndIsAMenuItem(t *testing.T) {
	for _, o := range Systems() {
		for _, in := range []string{o.String(), strings.ToUpper(o.String()), strings.ToUpper(o.String()[:1]) + o.String()[1:]} {
			got, err := ParseOS(in)
			item, errItem := ParseMenuItem(in)
			if err != nil || errItem != nil || got != o || item != o.Item() || got.IsZero() || item.IsZero() {
				t.Errorf("%q: got %q %v, %q %v", in, got, err, item, errItem)
			}
		}
	}
}

func TestTheMenusToolsAreItemsAndNoSystems(t *testing.T) {
	for _, in := range []string{"menu-diag", "MENU-INSTALL", "config", "Shell", "reboot", "EXIT"} {
		item, err := ParseMenuItem(in)
		if err != nil || item.String() != asciiLower(in) {
			t.Errorf("%q: got %q, %v", in, item, err)
		}
		if _, err := ParseOS(in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q is a system", in)
		}
	}
	if item, err := ParseMenuItem("reboot"); err != nil || item != Reboot {
		t.Error(item, err)
	}
}

func TestAnotherWordIsNeitherSystemNorItem(t *testing.T) {
	for _, in := range append([]string{"linux", "windows ", " ubuntu", "ubuntu\nreboot", "ubuntu,debian", "cento\u017f", "window", "menu", "menu_diag", "ubuntu\x00", "*"}, nasty...) {
		o, err := ParseOS(in)
		if want := fmt.Sprintf("os %q is not one of windows, ubuntu, debian, centos, esxi", in); !fault.Is(err, fault.Invalid) || err.Error() != want || !o.IsZero() {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		item, err := ParseMenuItem(in)
		if want := fmt.Sprintf("menu item %q is not one of windows, ubuntu, debian, centos, esxi, menu-diag, menu-install, config, shell, reboot, exit", in); !fault.Is(err, fault.Invalid) || err.Error() != want || !item.IsZero() {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func FuzzParseOSAndMenuItem(f *testing.F) {
	for _, m := range MenuItems() {
		f.Add(m.String())
		f.Add(strings.ToUpper(m.String()))
	}
	f.Add("cento\u017f")
	f.Add("ubuntu\n")
	f.Fuzz(func(t *testing.T, s string) {
		item, err := ParseMenuItem(s)
		o, errOS := ParseOS(s)
		if err != nil {
			checkRefusal(t, item.IsZero() && o.IsZero(), err)
			checkRefusal(t, o.IsZero(), errOS)
			return
		}
		if item.String() != asciiLower(s) || !strings.Contains(fmt.Sprint(MenuItems(), " "), item.String()+" ") && item.String() != "exit" {
			t.Fatalf("%q came out as %q", s, item)
		}
		if errOS == nil && o.Item() != item {
			t.Fatalf("%q is the system %q and the item %q", s, o, item)
		}
	})
}
