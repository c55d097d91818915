package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/lab/fleet"
	"ipxe-all-ready/internal/netboot"
)

// registration takes what a write costs off a registration, for a small and a
// large ledger. What is left is the committer, the journal that guards the
// bindings, and what grows with the ledger.
func registration(b *bench) ([]result, error) {
	sizes := []int{10, 10_000}
	var books [2]*book
	for i, n := range sizes {
		k, err := b.openBook(n)
		if err != nil {
			return nil, err
		}
		defer k.close()
		books[i] = k
	}
	var whole, bare [2]series
	for range b.turns(200) {
		for i, k := range books {
			// What is written bare was not just in the processor's hands either.
			if err := k.load(); err != nil {
				return nil, err
			}
			if err := whole[i].time(k.register); err != nil {
				return nil, err
			}
			if err := bare[i].time(k.write); err != nil {
				return nil, err
			}
		}
	}
	own := func(i int) float64 { return whole[i].median() - bare[i].median() }
	return []result{atMost("one registration at 10,000 workers against one at 10, each less a bare write, fsync and rename of the same bytes",
		own(1)/own(0), 2, "%s less %s against %s less %s", seconds(whole[1].median()), seconds(bare[1].median()), seconds(whole[0].median()), seconds(bare[0].median()))}, nil
}

// book is a ledger with its committer.
type book struct {
	dir    string
	ledger *ledger.Ledger
	next   int
	bytes  [2]bytes.Buffer // of the files that a registration writes
	end    func() error
}

func (b *bench) openBook(n int) (*book, error) {
	dir, err := b.folder("book")
	if err != nil {
		return nil, err
	}
	k := &book{dir: dir, next: n, end: func() error { return nil }}
	if err := (fleet.Files{Workers: n, Agent: "st-1"}).Write(dir); err != nil {
		return nil, errors.Join(err, k.close())
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	k.ledger, err = ledger.Open(ledger.Options{
		WorkersFile: at(fleet.WorkersFile), HostsFile: at(fleet.HostsFile), AgentsFile: at(fleet.AgentsFile), SettingsFile: at("state/settings.json"),
	})
	if err != nil {
		return nil, errors.Join(err, k.close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- k.ledger.Run(ctx) }()
	k.end = func() error { cancel(); return <-ended }
	return k, nil
}

func (k *book) close() error { return errors.Join(k.end(), os.RemoveAll(k.dir)) }

// register is what a new machine's question brings about.
func (k *book) register() error {
	mac, err := netboot.ParseMAC(fleet.MAC(k.next))
	if err != nil {
		return err
	}
	k.next++
	return k.ledger.CommitNoWait(context.Background(), func(tx *ledger.Tx) error {
		host := tx.NextName()
		id, err := netboot.ParseWorkerID(host.String())
		if err != nil {
			return err
		}
		tx.Bind(mac, host)
		tx.PutWorker(&ledger.Worker{ID: id, Hostname: host, Arch: "x86_64", State: ledger.Registered})
		return nil
	})
}

// load takes the bytes that the next registration writes, but for one row.
func (k *book) load() error {
	for i, name := range []string{fleet.HostsFile, fleet.WorkersFile} {
		f, err := os.Open(filepath.Join(k.dir, name))
		if err != nil {
			return err
		}
		k.bytes[i].Reset()
		_, err = k.bytes[i].ReadFrom(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// write puts them down, beside the ledger.
func (k *book) write() error {
	return errors.Join(
		durably(filepath.Join(k.dir, "bare-hosts"), k.bytes[0].Bytes()),
		durably(filepath.Join(k.dir, "bare-workers"), k.bytes[1].Bytes()))
}

func durably(path string, content []byte) error {
	f, err := os.Create(path + ".tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// thousands writes 10000 as 10,000.
func thousands(n int) string {
	s := fmt.Sprint(n)
	var out []string
	for ; len(s) > 3; s = s[:len(s)-3] {
		out = append([]string{s[len(s)-3:]}, out...)
	}
	return strings.Join(append([]string{s}, out...), ",")
}
