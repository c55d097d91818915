package fence

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/bpf"

	"ipxe-all-ready/internal/agent/target"
)

const stranger = base + ":stranger"

// loginText is what an initiator says of itself.
func loginText(target string) string {
	return strings.Join([]string{"InitiatorName=" + stranger, "TargetName=" + target, "SessionType=Normal", ""}, "\x00")
}

// withHead puts the head of a login request in front.
func withHead(text string) string {
	head := make([]byte, loginHead)
	head[0], head[1], head[7] = 0x43, 0x81, byte(len(text))
	return string(head) + text
}

// segmentOf is a TCP segment with options in its head, in an IP packet.
func segmentOf(from string, port uint16, seq uint32, payload string) []byte {
	a := netip.MustParseAddr(from)
	tcp := make([]byte, 32)
	binary.BigEndian.PutUint16(tcp, 40000)
	binary.BigEndian.PutUint16(tcp[2:], port)
	binary.BigEndian.PutUint32(tcp[4:], seq)
	tcp[12] = 8 << 4
	ip := make([]byte, ipv6Head)
	if a.Is4() {
		ip = make([]byte, 24) // one word of options
		ip[0], ip[9] = 0x46, 6
		copy(ip[12:], a.AsSlice())
	} else {
		ip[0], ip[6] = 0x60, 6
		copy(ip[8:], a.AsSlice())
	}
	return slices.Concat(ip, tcp, []byte(payload))
}

func TestOnlyLoginsPassTheFilterAndAreRead(t *testing.T) {
	text := loginText(pc)
	for _, c := range []struct {
		name, payload string
		port          uint16
		passes, read  bool
	}{
		{"a login in one segment", withHead(text), 3260, true, true},
		{"a login's text behind a head that went ahead", text, 3260, true, true},
		{"a login's head alone", withHead(""), 3260, false, false},
		{"another port", withHead(text), 3261, false, true},
		{"a write of the same text", "\x01" + withHead(text)[1:], 3260, false, true},
		{"a discovery, which names no target", withHead("InitiatorName=" + stranger + "\x00SessionType=Discovery\x00"), 3260, true, false},
		{"a file with an initiator's name", "InitiatorName=" + stranger + "\n", 3260, true, false},
		{"a name with a line break", strings.ReplaceAll(text, "stranger", "stran\nger"), 3260, true, false},
		{"no data", "", 3260, false, false},
	} {
		for from, filter := range map[string][]bpf.Instruction{"192.0.2.8": loginsIPv4(3260), "fd77::8": loginsIPv6(3260)} {
			packet := segmentOf(from, c.port, 1, c.payload)
			vm, err := bpf.NewVM(filter)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := vm.Run(packet); err != nil || (n > 0) != c.passes {
				t.Errorf("%s from %s: the filter gave %d, %v", c.name, from, n, err)
			}
			a, _, ok := parseLogin(packet)
			if ok != c.read || ok && a != (attempt{pc, stranger, from}) {
				t.Errorf("%s from %s: read %+v, %t", c.name, from, a, ok)
			}
		}
	}
}

func TestARefusalIsToldOnceInTenMinutesAndCounted(t *testing.T) {
	door := NewDoor(3260, slog.New(slog.DiscardHandler))
	w := watch(t, door)
	closed := served(pc, target.TypeDisk)
	closed.ACL = []string{base + ":pc"}
	w.targets = []target.Target{closed, served(base+":open.debian", target.TypeDisk)}
	seq := uint32(0)
	knock := func(target string) {
		seq++
		packet := segmentOf("192.0.2.8", 3260, seq, withHead(loginText(target)))
		door.note(packet)
		door.note(packet) // seen on the bridge too
	}
	start := w.now
	knock(pc)
	knock(pc)
	knock(base + ":open.debian")
	knock(base + ":nowhere")
	knock("iqn.2020-01.com.somebody:else")
	w.look(t.Context())
	w.now = w.now.Add(time.Minute)
	knock(pc)
	w.look(t.Context())
	want := Refusal{IQN: pc, Initiator: stranger, Address: "192.0.2.8", First: start, Last: w.now, Count: 3}
	if got := w.Report().Refusals; len(got) != 1 || got[0] != want || len(w.turned) != 1 {
		t.Errorf("refusals %+v, want %+v alone; told %d times", got, want, len(w.turned))
	}
	w.now = w.now.Add(remembered)
	w.look(t.Context())
	if got := w.Report().Refusals; len(got) != 0 {
		t.Errorf("refusals of earlier times: %+v", got)
	}
	knock(pc)
	w.look(t.Context())
	if len(w.turned) != 2 {
		t.Errorf("told %d times, want 2", len(w.turned))
	}
}

func TestALoginDuringTheListingOrAnOutageIsJudgedByTheNextOne(t *testing.T) {
	door := NewDoor(3260, slog.New(slog.DiscardHandler))
	w := watch(t, door)
	closed := served(pc, target.TypeDisk)
	closed.ACL = []string{base + ":pc"}
	seq := uint32(0)
	w.o.List = func(context.Context) ([]target.Target, error) {
		if seq++; seq < 3 {
			door.note(segmentOf("192.0.2.8", 3260, seq, withHead(loginText(pc))))
		}
		switch seq {
		case 1: // the target comes while this listing is under way
			return nil, nil
		case 2:
			return nil, errors.New("tgtd is away")
		}
		return []target.Target{closed}, nil
	}
	for range 3 {
		w.look(t.Context())
	}
	if got := w.Report().Refusals; len(got) != 1 || got[0].Count != 2 {
		t.Errorf("refusals %+v, want two tries", got)
	}
}

func TestStrangersCannotFillTheMemory(t *testing.T) {
	door := NewDoor(3260, slog.New(slog.DiscardHandler))
	w := watch(t, door)
	closed := served(pc, target.TypeDisk)
	closed.ACL = []string{base + ":pc"}
	w.targets = []target.Target{closed}
	for i := range 2 * maxTries {
		door.note(segmentOf("192.0.2.8", 3260, uint32(i), strings.Replace(loginText(pc), "stranger", fmt.Sprint("s", i), 1)))
	}
	if len(door.tries) > maxTries {
		t.Errorf("%d attempts are kept", len(door.tries))
	}
	w.look(t.Context())
	if got := len(w.Report().Refusals); got != maxRefusals {
		t.Errorf("%d refusals are kept, want %d", got, maxRefusals)
	}
}

func TestWhoIsAdmittedIsReadAsTheServerDoes(t *testing.T) {
	a := attempt{pc, stranger, "192.0.2.8"}
	for rule, want := range map[string]bool{
		"ALL": true, stranger: true, base + ":pc": false, "192.0.2.8": true, "192.0.2.9": false, "192.0.2.0/24": true, "198.51.100.0/24": false,
	} {
		if got := admits([]string{rule}, a); got != want {
			t.Errorf("rule %s: %t", rule, got)
		}
	}
}

func FuzzParseLogin(f *testing.F) {
	f.Add(segmentOf("192.0.2.8", 3260, 1, withHead(loginText(pc))))
	f.Add(segmentOf("fd77::8", 3260, 1, loginText(pc)))
	f.Add([]byte{0x4f})
	f.Fuzz(func(t *testing.T, packet []byte) {
		if a, _, ok := parseLogin(packet); ok && (!isName(a.initiator) || !isName(a.target) || !netip.MustParseAddr(a.address).IsValid()) {
			t.Errorf("%+v", a)
		}
	})
}

func TestTheWatchRestsTwentyTimesWhatALookTookAndAMinuteAtMost(t *testing.T) {
	w := New(Options{})
	for took, want := range map[time.Duration]time.Duration{
		10 * time.Millisecond: 5 * time.Second, time.Second: 20 * time.Second, 20 * time.Second: time.Minute,
	} {
		if got := w.pause(took); got != want {
			t.Errorf("after a look of %s it rests %s, want %s", took, got, want)
		}
	}
}
