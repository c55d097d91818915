package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/secret"
)

// nameServer answers every question for an address with the next of answers,
// the last one for ever.
func nameServer(t *testing.T, answers ...string) *net.Resolver {
	t.Helper()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	var asked atomic.Int64
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := udp.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			m.Response, m.Additionals = true, nil
			q := m.Questions[0]
			h := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}
			at := netip.Addr{}
			if q.Type == dnsmessage.TypeA || q.Type == dnsmessage.TypeAAAA {
				at = netip.MustParseAddr(answers[min(int(asked.Load()), len(answers)-1)])
			}
			switch {
			case q.Type == dnsmessage.TypeA && at.Is4():
				asked.Add(1)
				m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AResource{A: at.As4()}}}
			case q.Type == dnsmessage.TypeAAAA && at.Is6():
				asked.Add(1)
				m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AAAAResource{AAAA: at.As16()}}}
			}
			if b, err := m.Pack(); err == nil {
				_, _ = udp.WriteTo(b, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", udp.LocalAddr().String())
	}}
}

func TestANameThatLeadsToAMetadataServiceIsNotFollowed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = w.Write([]byte(`{"status":"ok"}`))
	}))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for _, c := range []struct {
		answers []string
		codes   []string // of one call after the other
	}{
		{[]string{"127.0.0.1"}, []string{"", ""}},
		{[]string{"169.254.169.254"}, []string{"agent_address"}},
		{[]string{"100.100.100.200"}, []string{"agent_address"}},
		{[]string{"fe80::1"}, []string{"agent_address"}},
		{[]string{"fd00:ec2::254"}, []string{"agent_address"}},
		{[]string{"64:ff9b::a9fe:a9fe"}, []string{"agent_address"}},
		// A name server of an attacker's answers well until it was checked.
		{[]string{"127.0.0.1", "169.254.169.254"}, []string{"", "agent_address"}},
	} {
		d := newDialer(20 * time.Second)
		d.Resolver = nameServer(t, c.answers...)
		transport := newTransport(20 * time.Second)
		transport.DialContext = d.DialContext
		a := NewAgent(AgentOptions{ID: "st1", BaseURL: "http://node.example" + port, Token: secret.New("tok"), Timeout: 20 * time.Second,
			HTTP: &http.Client{Transport: transport}})
		for i, want := range c.codes {
			err := a.Health(t.Context())
			if got := fault.CodeOf(err); err == nil && want != "" || err != nil && got != want {
				t.Errorf("%v, call %d: %v", c.answers, i, err)
			}
		}
	}
}

func TestAnAddressInAnotherSpellingIsTheSameAddress(t *testing.T) {
	for _, host := range []string{"2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "[::ffff:a9fe:a9fe]", "[fe80::1%25lo]", "[2002:a9fe:a9fe::1]"} {
		patience := 2 * time.Second // with a resolver that may not answer
		if strings.HasPrefix(host, "[") {
			patience = 20 * time.Second
		}
		a := NewAgent(AgentOptions{ID: "st1", BaseURL: "http://" + host, Timeout: patience, HTTP: NewHTTP(patience)})
		err := a.Health(t.Context())
		// No resolver knows some of these; who does comes to the guard.
		if code := fault.CodeOf(err); err == nil || code != "agent_address" && code != "agent_unreachable" {
			t.Errorf("%s: %v", host, err)
		}
		if strings.HasPrefix(host, "[") && fault.CodeOf(err) != "agent_address" {
			t.Errorf("%s was dialled: %v", host, err)
		}
	}
}

func TestAServerThatSaysOurTokenBackIsNotQuotedWithIt(t *testing.T) {
	const token = "a-token-of-some-length"
	for _, answer := range []string{`{"detail":"bad header Bearer ` + token + `","code":"invalid"}`, `<h1>Authorization: Bearer ` + token + `</h1>`, `"` + token + `"`, token} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(answer))
		}))
		defer s.Close()
		a := NewAgent(AgentOptions{ID: "st1", BaseURL: s.URL, Token: secret.New(token), Timeout: 20 * time.Second, HTTP: NewHTTP(20 * time.Second)})
		_, err := a.Targets(t.Context())
		if f := fault.As(err); f == nil || strings.Contains(f.Error(), token) || strings.Contains(f.Text, token) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}
