package controlplane

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// bootFrom is what the machine with that MAC gets when it asks from an address.
func (s *site) bootFrom(client, mac string) string {
	s.t.Helper()
	a := s.call("GET", "/boot-vars?mac="+mac, "", "X-Forwarded-For", client)
	if a.status != 200 {
		s.t.Errorf("%s from %s: %s", mac, client, a)
	}
	return string(a.body)
}

func mac(kind, i int) string {
	return fmt.Sprintf("52:54:%02x:%02x:%02x:%02x", kind, i>>16, i>>8&255, i&255)
}

func TestAnAddressThatMakesUpMachinesFillsNeitherLedgerNorTrail(t *testing.T) {
	s := newSite(t).start()
	const spoofer, tries = "192.0.2.7", 1000
	named := 0
	for i := range tries {
		switch got := s.bootFrom(spoofer, mac(1, i)); {
		case got == nobody:
		case hostnameOf(got) != "":
			named++
		default:
			t.Fatalf("%q", got)
		}
	}
	// Four come back a minute, and a thousand requests take a while.
	if named < 64 || named > 64+20 || len(s.workers()) != named {
		t.Errorf("%d were registered, %d are there", named, len(s.workers()))
	}
	if ops := s.operations("op=boot.register_limited"); len(ops) < 1 || len(ops) > 5 || ops[0].Client != spoofer || ops[0].Status != "ok" {
		t.Errorf("%+v", ops)
	}
	if got := s.bootFrom(spoofer, mac(1, 0)); hostnameOf(got) != "worker-01" {
		t.Errorf("a known machine from that address:\n%s", got)
	}
	if got := s.bootFrom("192.0.2.8", mac(2, 0)); hostnameOf(got) == "" {
		t.Errorf("a new machine from another address:\n%s", got)
	}
	want := fmt.Sprintf(`ipxe_cp_registrations_refused_total{reason="limited"} %d`, tries-named)
	if got := string(s.want(200, "GET", "/metrics", "").body); !strings.Contains(got, want+"\n") {
		t.Errorf("no %s in the metrics", want)
	}
}

func TestTwoThousandNewMachinesOfOneSubnetAreAllRegisteredAtOnce(t *testing.T) {
	s := newSite(t).start()
	const fresh = 2000
	var wg sync.WaitGroup
	asked := make(chan int)
	for range 64 {
		wg.Go(func() {
			for i := range asked {
				if got := s.bootFrom(fmt.Sprintf("10.0.%d.%d", i>>8, i&255), mac(3, i)); hostnameOf(got) == "" {
					t.Errorf("machine %d:\n%s", i, got)
				}
			}
		})
	}
	for i := range fresh {
		asked <- i
	}
	close(asked)
	wg.Wait()
	if got := len(s.workers()); got != fresh {
		t.Errorf("%d workers", got)
	}
}

func TestAMachineThatAsksManyTimesCostsItsAddressOneRegistration(t *testing.T) {
	s := newSite(t, "IPXE_CP_REGISTER_BURST", "2", "IPXE_CP_REGISTER_PER_MINUTE", "1").start()
	for i := range 2 {
		for range 20 {
			if got := s.bootFrom("192.0.2.7", mac(1, i)); hostnameOf(got) == "" {
				t.Errorf("machine %d:\n%s", i, got)
			}
		}
	}
	if got := s.bootFrom("192.0.2.7", mac(1, 2)); got != nobody {
		t.Errorf("the third:\n%s", got)
	}
}

func TestASiteBehindOneAddressMaySwitchTheLimitOff(t *testing.T) {
	s := newSite(t, "IPXE_CP_REGISTER_BURST", "0").start()
	for i := range 100 {
		if got := s.bootFrom("192.0.2.7", mac(1, i)); hostnameOf(got) == "" {
			t.Fatalf("machine %d:\n%s", i, got)
		}
	}
}

func TestWhoTriesTokensHasToWaitAndIsAuditedOnce(t *testing.T) {
	const full = "the-full-token-of-the-site"
	s := newSite(t, "IPXE_CP_TOKEN", full).start()
	guess := func(client, token string) answer {
		return s.call("GET", "/workers", "", "X-Forwarded-For", client, "Authorization", "Bearer "+token)
	}
	const guesser, tries = "198.51.100.7", 60
	codes := map[int]int{}
	for i := range tries {
		codes[guess(guesser, fmt.Sprint("guess-", i)).status]++
	}
	if codes[401] < 20 || codes[429] < 20 || codes[401]+codes[429] != tries {
		t.Errorf("%v", codes)
	}
	if a := guess("198.51.100.8", full); a.status != 200 {
		t.Errorf("another address with the token: %s", a)
	}
	if a := s.call("GET", "/boot-vars?mac=52:54:00:00:00:01", "", "X-Forwarded-For", guesser); a.status != 200 || hostnameOf(string(a.body)) == "" {
		t.Errorf("a machine behind the guesser's address: %s", a)
	}
	trail := s.read("state/operations.jsonl")
	if n := strings.Count(trail, `"op":"auth.guessed","status":"ok","client":"198.51.100.7"`); n != 1 || strings.Contains(trail, "guess-") {
		t.Errorf("%d entries:\n%s", n, trail)
	}
}
