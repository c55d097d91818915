package provision

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/netboot"
)

func TestStrangersCannotFillTheTrail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operations.jsonl")
	trail := audit.Open(path, audit.Options{})
	defer trail.Close()
	now := time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)
	s := New(Options{Audit: trail, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }, RegisterBurst: 1, RegisterRefill: time.Minute})
	// What a burst leaves is tried out by others; here it is a day of a flood.
	for range linesAtOnce {
		s.strangers.trail.Take(netip.Prefix{})
	}
	host, err := netboot.ParseHostname("victim")
	if err != nil {
		t.Fatal(err)
	}
	victim := &ledger.Worker{Hostname: host}
	const minutes = 60
	for i := range minutes * 100 {
		if i%100 == 0 {
			now = now.Add(time.Minute)
		}
		client := fmt.Sprintf("10.0.%d.%d", i>>8, i&255)
		stranger := NewAsker(fmt.Sprintf("52:54:00:00:%02x:%02x", i>>8, i&255), "victim", callerFunc(func() string { return client }))
		s.reportMismatch(context.Background(), stranger, victim)
		s.reportLimited(context.Background(), client)
		s.Guessed(client)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := trail.Query(audit.Query{Tail: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(entries.Entries); n < minutes || n > minutes*7 {
		t.Errorf("%d entries, %d bytes in an hour", n, info.Size())
	}
}
