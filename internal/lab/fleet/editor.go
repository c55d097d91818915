package fleet

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// editor is a person with a text editor. It truncates a file and writes it, as
// editors do.
type editor struct {
	home  string
	crowd *Crowd
	turn  int
}

// edit goes through the ledgers until ctx ends; what it broke is mended then.
func (e *editor) edit(ctx context.Context) {
	for _, wait := 0, time.Second; pause(ctx, wait); e.turn++ {
		wait = 3 * time.Second
		var err error
		switch e.turn % 4 {
		case 0:
			err = e.bind(ctx)
		case 1:
			err = e.change(WorkersFile, func(s string) string { return fmt.Sprintf("# by hand, %d\n%s", e.turn, s) })
		case 2:
			err = e.breakAndMend(ctx)
		case 3:
			err = e.disable(ctx)
		}
		if err != nil && ctx.Err() == nil {
			e.crowd.Tally.Fault("a hand edit went wrong", err.Error())
		}
	}
}

// bind gives a machine that nobody knows a name by hand; it must come to have it.
func (e *editor) bind(ctx context.Context) error {
	name := fmt.Sprintf("by-hand-%d", e.turn)
	m := &machine{mac: fmt.Sprintf("52:54:ff:00:%02x:%02x", byte(e.turn>>8), byte(e.turn)), address: net.IPv4(127, 0, 0, 1)}
	if err := e.change(HostsFile, func(s string) string { return s + "# mine\n" + m.mac + "," + name + "\n" }); err != nil {
		return err
	}
	if !pause(ctx, 3*time.Second) { // an edit is seen within a second or so
		return nil
	}
	s, err := e.crowd.ask(ctx, m, name)
	if err != nil {
		return err
	}
	if s.hostname != name {
		return fmt.Errorf("%s was bound to %s and is told %q", m.mac, name, s.hostname)
	}
	e.crowd.Tally.Note("machines bound by hand")
	return nil
}

// breakAndMend leaves half of the workers' ledger for some seconds.
func (e *editor) breakAndMend(ctx context.Context) error {
	path := filepath.Join(e.home, WorkersFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		return err
	}
	pause(ctx, 4*time.Second)
	e.crowd.Tally.Note("ledgers broken by hand and mended")
	return os.WriteFile(path, whole, 0o600)
}

// disable takes a node out of service for some seconds.
func (e *editor) disable(ctx context.Context) error {
	if err := e.change(AgentsFile, func(s string) string { return strings.Replace(s, "enabled: true", "enabled: false", 1) }); err != nil {
		return err
	}
	pause(ctx, 4*time.Second)
	return e.change(AgentsFile, func(s string) string { return strings.Replace(s, "enabled: false", "enabled: true", 1) })
}

func (e *editor) change(file string, edit func(string) string) error {
	path := filepath.Join(e.home, file)
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	e.crowd.Tally.Note("edits of " + filepath.Base(file))
	return os.WriteFile(path, []byte(edit(string(content))), 0o600)
}
