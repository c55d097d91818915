package certs

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ipxe-all-ready/internal/certs/certstest"
)

// age lets the next look at the files be made now.
func age[T any](f *file[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = f.looked.Add(-time.Hour)
}

// meet shakes hands and is the name in the certificate that the server showed.
func meet(t *testing.T, server, caller *tls.Config) (name string, err error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln = tls.NewListener(ln, server)
	defer ln.Close()
	go func() {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "in") // a caller that is refused hears of it when it reads
	}()
	c, err := tls.Dial("tcp", ln.Addr().String(), caller)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := io.ReadFull(c, make([]byte, 2)); err != nil {
		return "", err
	}
	return c.ConnectionState().PeerCertificates[0].Subject.CommonName, nil
}

func TestACertificateThatIsReplacedIsShownWithoutARestart(t *testing.T) {
	ca := certstest.New(t, "ca")
	p := certstest.In(t.TempDir(), "cp")
	ca.Issue(p, "first")
	log := new(bytes.Buffer)
	s, err := NewServer(p.Cert, p.Key, "", slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(ca.File, "", "", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	shows := func(want string) {
		t.Helper()
		age(s.pair)
		if got, err := meet(t, s.Config(), c.Config("127.0.0.1")); got != want || err != nil {
			t.Errorf("it shows %q, want %q: %v", got, want, err)
		}
	}
	shows("first")
	ca.Issue(p, "second")
	shows("second")

	// A key that does not fit, as between the two renames of a renewal.
	other := certstest.In(t.TempDir(), "other")
	ca.Issue(other, "third")
	if err := os.Rename(other.Cert, p.Cert); err != nil {
		t.Fatal(err)
	}
	shows("second")
	if got := s.Faults(); len(got) != 1 || !strings.Contains(got[0], p.Cert) || !strings.Contains(got[0], "private key does not match public key; what was read before is still used") {
		t.Errorf("%q", got)
	}
	if n := strings.Count(log.String(), "certificates were not taken in"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
	if err := os.Rename(other.Key, p.Key); err != nil {
		t.Fatal(err)
	}
	shows("third")
	if got := s.Faults(); got != nil {
		t.Errorf("%q", got)
	}

	for what, broken := range map[string]func() error{
		"no PEM": func() error { return os.WriteFile(p.Cert, []byte("no PEM"), 0o600) },
		"empty":  func() error { return os.WriteFile(p.Key, nil, 0o600) },
		"gone":   func() error { return os.Remove(p.Cert) },
	} {
		if err := broken(); err != nil {
			t.Fatal(err)
		}
		shows("third")
		if len(s.Faults()) != 1 {
			t.Errorf("%s: %q", what, s.Faults())
		}
	}
}

func TestACallerNeedsACertificateOfTheAuthorityThatIsNamed(t *testing.T) {
	dir := t.TempDir()
	servers, callers, strangers := certstest.New(t, "servers"), certstest.New(t, "callers"), certstest.New(t, "strangers")
	server, caller, stranger := certstest.In(dir, "server"), certstest.In(dir, "caller"), certstest.In(dir, "stranger")
	servers.Issue(server, "agent")
	callers.Issue(caller, "cp")
	strangers.Issue(stranger, "cp")
	quiet := slog.New(slog.DiscardHandler)
	s, err := NewServer(server.Cert, server.Key, callers.File, quiet)
	if err != nil {
		t.Fatal(err)
	}
	as := func(p certstest.Pair) error {
		c, err := NewClient(servers.File, p.Cert, p.Key, quiet)
		if err != nil {
			t.Fatal(err)
		}
		_, err = meet(t, s.Config(), c.Config("127.0.0.1"))
		return err
	}
	if err := as(caller); err != nil {
		t.Errorf("the control plane: %v", err)
	}
	for name, p := range map[string]certstest.Pair{"nobody": {}, "a stranger": stranger} {
		if err := as(p); err == nil {
			t.Errorf("%s got in", name)
		}
	}
	// The authority changes: who was let in no longer is.
	b, err := os.ReadFile(strangers.File)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(callers.File, b, 0o600); err != nil {
		t.Fatal(err)
	}
	age(s.callers)
	if err := as(stranger); err != nil {
		t.Errorf("the new authority's: %v", err)
	}
	if err := as(caller); err == nil {
		t.Error("the old authority's got in")
	}
}

func TestAServerOfAnotherAuthorityOrNameIsNotBelieved(t *testing.T) {
	ours, other := certstest.New(t, "ours"), certstest.New(t, "other")
	p := certstest.In(t.TempDir(), "x")
	ours.Issue(p, "x")
	quiet := slog.New(slog.DiscardHandler)
	s, err := NewServer(p.Cert, p.Key, "", quiet)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		ca, host string
		ok       bool
	}{{ours.File, "127.0.0.1", true}, {ours.File, "localhost", true}, {ours.File, "127.0.0.2", false}, {other.File, "127.0.0.1", false}, {"", "127.0.0.1", false}} {
		c, err := NewClient(x.ca, "", "", quiet)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := meet(t, s.Config(), c.Config(x.host)); (err == nil) != x.ok {
			t.Errorf("%+v: %v", x, err)
		}
	}
}

func TestWhatCannotBeReadAtTheStartIsNamed(t *testing.T) {
	ca := certstest.New(t, "ca")
	dir := t.TempDir()
	a, b := certstest.In(dir, "a"), certstest.In(dir, "b")
	ca.Issue(a, "a")
	ca.Issue(b, "b")
	quiet := slog.New(slog.DiscardHandler)
	for want, open := range map[string]func() error{
		"no such file":                          func() error { _, err := NewServer(dir+"/absent", a.Key, "", quiet); return err },
		"does not match":                        func() error { _, err := NewServer(a.Cert, b.Key, "", quiet); return err },
		"holds none in PEM form":                func() error { _, err := NewServer(a.Cert, a.Key, a.Key, quiet); return err },
		"trusted certificates":                  func() error { _, err := NewClient(dir+"/absent", "", "", quiet); return err },
		"a certificate and its key go together": func() error { _, err := NewClient("", a.Cert, "", quiet); return err },
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

func TestAPipeInTheCertificatesPlaceHoldsNoHandshake(t *testing.T) {
	ca := certstest.New(t, "ca")
	p := certstest.In(t.TempDir(), "cp")
	ca.Issue(p, "first")
	quiet := slog.New(slog.DiscardHandler)
	s, err := NewServer(p.Cert, p.Key, ca.File, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{p.Cert, p.Key, ca.File} {
		if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	age(s.pair)
	age(s.callers)
	told := make(chan []string, 1)
	go func() { told <- s.Faults() }()
	select {
	case got := <-told:
		if len(got) != 2 || !strings.Contains(got[0], "not a regular file") || !strings.Contains(got[1], "not a regular file") {
			t.Errorf("it says %q", got)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for somebody to write into the pipe")
	}
}

func TestACertificateThatIsOverOrNearlyIsTold(t *testing.T) {
	ca := certstest.New(t, "ca")
	quiet := slog.New(slog.DiscardHandler)
	const day = 24 * time.Hour
	for _, x := range []struct {
		from, until time.Duration
		want        string
	}{
		{-2 * day, -day, "expired at "}, {-day, 13 * day, "expires at "}, {day, 30 * day, "is valid only from "}, {-day, 15 * day, ""},
	} {
		p := certstest.In(t.TempDir(), "cp")
		ca.IssueFor(p, "cp", time.Now().Add(x.from), time.Now().Add(x.until))
		s, err := NewServer(p.Cert, p.Key, "", quiet)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewClient("", p.Cert, p.Key, quiet)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range [][]string{s.Faults(), c.Faults()} {
			if text := strings.Join(got, "|"); x.want == "" && text != "" || !strings.Contains(text, x.want) || strings.Contains(text, "|") {
				t.Errorf("from %v until %v: %q, want %q", x.from, x.until, text, x.want)
			}
		}
	}
}

func TestAKeyThatEverybodyCanReadIsToldAtTheStartAndAfter(t *testing.T) {
	ca := certstest.New(t, "ca")
	p := certstest.In(t.TempDir(), "cp")
	ca.Issue(p, "cp")
	for mode, open := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true} {
		if err := os.Chmod(p.Key, mode); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		log := slog.New(slog.NewTextHandler(&said, nil))
		s, err := NewServer(p.Cert, p.Key, "", log)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewClient("", p.Cert, p.Key, log)
		if err != nil {
			t.Fatal(err)
		}
		want, lines := "", 0
		if open {
			want, lines = `the key "`+p.Key+`" can be read by every user of this host (mode 0644)`, 2
		}
		if got := strings.Count(said.String(), "chmod o= the file"); got != lines {
			t.Errorf("%04o: the log says %s", mode, &said)
		}
		for _, got := range [][]string{s.Faults(), c.Faults()} {
			if strings.Join(got, "|") != want {
				t.Errorf("%04o: %q, want %q", mode, got, want)
			}
		}
	}
}

func TestAFileThatIsNoCertificateButADiskIsRefusedUnread(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "disk.img")
	if err := errors.Join(os.WriteFile(disk, nil, 0o600), os.Truncate(disk, 1<<40)); err != nil { // it holds no block
		t.Fatal(err)
	}
	ca := certstest.New(t, "ca")
	p := certstest.In(t.TempDir(), "cp")
	ca.Issue(p, "cp")
	for _, x := range [][3]string{{disk, p.Cert, p.Key}, {ca.File, disk, p.Key}, {ca.File, p.Cert, disk}} {
		if _, err := NewClient(x[0], x[1], x[2], slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), disk+": it is larger than 4194304 bytes") {
			t.Errorf("%q: %v", x, err)
		}
	}
}
