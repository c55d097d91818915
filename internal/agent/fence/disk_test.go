package fence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/iscsi"
)

const (
	base = "iqn.2026-07.com.controller"
	pc   = base + ":pc.debian"
)

// watched is a server whose sessions a test sets, with a clock of its own.
type watched struct {
	*Watch
	targets []target.Target
	err     error
	now     time.Time
	alarms  []Rivalry
	turned  []Refusal
}

func watch(t *testing.T, door *Door) *watched {
	t.Helper()
	b, err := iscsi.ParseBase(base)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{now: time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)}
	w.Watch = New(Options{
		Base: b, Linger: 20 * time.Second, Log: slog.New(slog.DiscardHandler), Door: door,
		List:   func(context.Context) ([]target.Target, error) { return w.targets, w.err },
		Now:    func() time.Time { return w.now },
		Alarm:  func(r Rivalry) { w.alarms = append(w.alarms, r) },
		Turned: func(r Refusal) { w.turned = append(w.turned, r) },
	})
	return w
}

func served(name, kind string, sessions ...target.Session) target.Target {
	return target.Target{Name: name, ACL: []string{"ALL"}, LUNs: []target.LUN{{Number: 1, Type: kind, Backing: "/images/x"}}, Sessions: sessions}
}

// parse reads "name@address name@" as sessions.
func parse(text string) (out []target.Session) {
	for _, word := range strings.Fields(text) {
		name, address, _ := strings.Cut(word, "@")
		out = append(out, target.Session{Initiator: base + ":" + name, Address: address})
	}
	return out
}

// A film is who is logged in, look by look, five seconds apart.
func TestTwoMachinesOnADiskAreToldFromOneThatComesBack(t *testing.T) {
	times := func(n int, looks ...string) []string { return slices.Repeat(looks, n) }
	for _, c := range []struct {
		name  string
		film  []string
		alarm int // at which look it rings; 0: never
		over  int // at which look all is well again; 0: never
	}{
		{"one machine", times(30, "pc@.7"), 0, 0},
		{"its firmware's session, then its system's under another name", append(times(2, "pc@.7"), append(times(20, "pc@.7 os@.7"), times(9, "os@.7")...)...), 0, 0},
		{"it crashed and comes back before its old session is gone", append(times(3, "pc@.7"), append(times(4, "pc@.7 pc@.7"), "pc@.7")...), 0, 0},
		{"it comes back with another address, and its old session goes in time", append(times(3, "pc@.7"), append(times(4, "pc@.7 pc@.8"), times(20, "pc@.8")...)...), 0, 0},
		{"another address that stays", append(times(3, "pc@.7"), times(9, "pc@.7 pc@.8")...), 9, 0},
		{"another name from another address", append(times(3, "pc@.7"), times(9, "pc@.7 evil@.8")...), 9, 0},
		{"the second one leaves", append(times(9, "pc@.7 evil@.8"), times(3, "pc@.7")...), 6, 10},
		{"both leave", append(times(9, "pc@.7 evil@.8"), times(14, "")...), 6, 10},
		{"two of one name that end each other's session", times(5, "pc@.7", "pc@.8"), 4, 0},
		{"one of these gives up", append(times(3, "pc@.7", "pc@.8"), times(14, "pc@.8")...), 4, 18},
		{"a machine that changes its address once", append(times(5, "pc@.7"), times(9, "pc@.8")...), 0, 0},
		{"two names without addresses that stay", times(9, "pc@ os@"), 6, 0},
		{"firmware and system without addresses", append(times(2, "pc@"), append(times(4, "pc@ os@"), times(20, "os@")...)...), 0, 0},
		{"a machine without an address in a boot loop", times(12, "pc@", "os@"), 0, 0},
		{"one name twice without addresses that stays", times(9, "pc@ pc@"), 6, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := watch(t, nil)
			rang, over := 0, 0
			for i, look := range c.film {
				w.targets = []target.Target{served(pc, target.TypeDisk, parse(look)...)}
				w.look(t.Context())
				wrong := len(w.Report().Rivalries) > 0
				if rang == 0 && wrong {
					rang = i + 1
				}
				if rang > 0 && over == 0 && !wrong {
					over = i + 1
				}
				w.now = w.now.Add(5 * time.Second)
			}
			if rang != c.alarm || over != c.over || len(w.alarms) != min(c.alarm, 1) {
				t.Errorf("rang at look %d and was over at %d, with %d alarms; want %d and %d", rang, over, len(w.alarms), c.alarm, c.over)
			}
		})
	}
}

func TestARivalryNamesBothMachinesAndSinceWhen(t *testing.T) {
	w := watch(t, nil)
	start := w.now
	w.targets = []target.Target{served(pc, target.TypeDisk, parse("pc@192.0.2.7 evil@192.0.2.8")...)}
	for range 6 {
		w.look(t.Context())
		w.now = w.now.Add(5 * time.Second)
	}
	want := Rivalry{IQN: pc, Since: start, Sessions: w.targets[0].Sessions}
	if len(w.alarms) != 1 || fmt.Sprint(w.alarms[0]) != fmt.Sprint(want) {
		t.Errorf("alarms %+v, want %+v", w.alarms, want)
	}
	w.err = errors.New("tgtd is away")
	w.look(t.Context())
	if got := w.Report().Rivalries; len(got) != 1 {
		t.Errorf("a server that does not answer ended the rivalry: %+v", got)
	}
	w.err, w.targets = nil, nil
	w.look(t.Context())
	if got := w.Report().Rivalries; len(got) != 0 || len(w.disks) != 0 {
		t.Errorf("the target is gone: %+v, %d disks remembered", got, len(w.disks))
	}
}

func TestCDsAndTargetsOfOthersMayHaveManyInitiators(t *testing.T) {
	w := watch(t, nil)
	two := parse("pc@192.0.2.7 other@192.0.2.8")
	w.targets = []target.Target{
		served(base+":win.iso", target.TypeCD, two...),
		served("iqn.2020-01.com.somebody:cluster", target.TypeDisk, two...),
		{Name: base + ":empty", Sessions: two},
	}
	for range 30 {
		w.look(t.Context())
		w.now = w.now.Add(5 * time.Second)
	}
	if len(w.alarms) != 0 {
		t.Errorf("alarms %+v", w.alarms)
	}
}

func TestOnlyDisksInUseTakeMemory(t *testing.T) {
	w := watch(t, nil)
	for i := range 1000 {
		w.targets = append(w.targets, served(fmt.Sprintf("%s:pc%d.debian", base, i), target.TypeDisk))
	}
	w.targets[7].Sessions = parse("pc7@192.0.2.7")
	w.look(t.Context())
	if len(w.disks) != 1 {
		t.Errorf("%d disks are remembered, want 1", len(w.disks))
	}
}
