package netboot

import (
	"regexp"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
)

func TestEveryNotationOfAMACIsStoredLowerCaseWithColons(t *testing.T) {
	for _, in := range []string{
		"00:0c:29:b9:8b:2d", "00:0C:29:B9:8B:2D", "00-0C-29-B9-8B-2D", "00-0c-29-b9-8b-2d",
		"000c.29b9.8b2d", "000C.29B9.8B2D", "000c29b98b2d", "000C29B98B2D", "00:0c:29:B9:8b:2D",
	} {
		m, err := ParseMAC(in)
		if err != nil || m.String() != "00:0c:29:b9:8b:2d" || m.IsZero() {
			t.Errorf("%q: got %s, %v", in, m, err)
		}
	}
}

func TestAMACOfAnotherFormIsRefused(t *testing.T) {
	const form = ` is not a MAC address such as 00:0c:29:b9:8b:2d`
	for _, in := range []string{
		"", " ", "00:0c:29:b9:8b", "00:0c:29:b9:8b:2d:00", "00:0c:29:b9:8b:2", "0:c:29:b9:8b:2d", "00:0c:29:b9:8b:2g",
		"00:0c-29:b9-8b:2d", "00-0c-29-b9-8b:2d", "00:0c:29:b9:8b-2d", "000c.29b9:8b2d", "000c:29b9:8b2d", "000c-29b9-8b2d",
		"000c29b98b2", "000c29b98b2dd", "000c29-b98b2d", "00.0c.29.b9.8b.2d", "00 0c 29 b9 8b 2d", " 00:0c:29:b9:8b:2d",
		"00:0c:29:b9:8b:2d ", "00:0c:29:b9:8b:2d\n", "00:0c:29:b9:8b:2d,", ":0:0c:29:b9:8b:2d", "::::::::::::", "0x000c29b98b",
		"00:0c:29:b9:8b:2d,evil", "${net0/mac}", "01:00:0c:29:b9:8b:2d", "190:20:30:40:50:60", "００:0c:29:b9:8",
	} {
		_, err := ParseMAC(in)
		if !fault.Is(err, fault.Invalid) || !strings.HasSuffix(err.Error(), form) {
			t.Errorf("%q: got %v", in, err)
		}
	}
}

func TestAMACThatNamesNoMachineIsRefused(t *testing.T) {
	for in, why := range map[string]string{
		"00:00:00:00:00:00": "is all zero",
		"000000000000":      "is all zero",
		"ff:ff:ff:ff:ff:ff": "is the broadcast address",
		"FFFF.FFFF.FFFF":    "is the broadcast address",
		"01:00:5e:00:00:01": "is a multicast address",
		"33-33-00-00-00-01": "is a multicast address",
	} {
		m, err := ParseMAC(in)
		if !fault.Is(err, fault.Invalid) || err.Error() != `mac "`+in+`" `+why || !m.IsZero() {
			t.Errorf("got %v, %v", m, err)
		}
	}
	if m, err := ParseMAC("02:00:00:00:00:01"); err != nil {
		t.Errorf("a locally administered address is one machine's: %v %v", m, err)
	}
}

var macForm = regexp.MustCompile(`^[0-9a-f][02468ace](:[0-9a-f]{2}){5}$`)

func FuzzParseMAC(f *testing.F) {
	for _, s := range []string{"00:0c:29:b9:8b:2d", "00-0C-29-B9-8B-2D", "000c.29b9.8b2d", "000c29b98b2d", "00:0c-29:b9:8b:2d", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "01:00:5e:00:00:01", "00:0c:29:b9:8b:2d\n", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseMAC(s)
		if err != nil {
			checkRefusal(t, m.IsZero(), err)
			return
		}
		if !macForm.MatchString(m.String()) {
			t.Fatalf("%q came out as %q", s, m)
		}
		if again, err := ParseMAC(m.String()); err != nil || again != m {
			t.Fatalf("%q is read back as %v, %v", m, again, err)
		}
	})
}

// checkRefusal holds what every refusal of a word is: the zero value and one
// sentence of a caller's fault that stays one line.
func checkRefusal(t *testing.T, zero bool, err error) {
	t.Helper()
	if !zero || !fault.Is(err, fault.Invalid) || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 700 {
		t.Fatalf("zero %v: %q", zero, err)
	}
}
