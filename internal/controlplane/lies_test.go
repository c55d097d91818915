package controlplane

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/nodetest"
)

const otherIQN = "iqn.2026-07.com.controller:pc-02.ubuntu"

// created is the answer of a node that made this.
func created(iqn, backing string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"iqn":%q,"backing":%q}`, iqn, backing)
	}
}

func TestADiskThatIsNotTheOneAskedForIsNotEntered(t *testing.T) {
	for _, c := range []struct{ iqn, backing, words string }{
		{otherIQN, "/images/pc-01.ubuntu.img", `it made target "` + otherIQN + `" and not ` + ubuntuIQN},
		{ubuntuIQN, "/images/master_tpl_1.img", `its target ` + ubuntuIQN + ` serves "/images/master_tpl_1.img" and not pc-01.ubuntu.img`},
		{ubuntuIQN, "", `its target ` + ubuntuIQN + ` serves "" and not pc-01.ubuntu.img`},
		{ubuntuIQN, "/images/pc-01.ubuntu.img\n", `its backing is "/images/pc-01.ubuntu.img\n"`},
		{ubuntuIQN, "/" + strings.Repeat("x", 5000), `its backing is "/xxx`},
		{strings.Repeat("x", 5000), "", `it names the iqn "xxx`},
	} {
		s, n := siteWithNode(t)
		n.Serve(ubuntuIQN, "elsewhere.img") // what stands under the name is taken back, and no file with it
		n.Put("elsewhere.img")
		n.Answer("POST /lun/disk", created(c.iqn, c.backing))
		s.noFileChanged(c.words, func() {
			a := s.want(502, "POST", "/workers/pc-01/luns/disk", newUbuntu)
			if e := decode[api.Error](t, a); !strings.Contains(fmt.Sprint(e.Detail), "bad") && !strings.Contains(fmt.Sprint(e.Detail), c.words) {
				t.Errorf("want %s, got %s", c.words, a)
			}
		})
		if strings.HasPrefix(c.words, "it made") || strings.HasPrefix(c.words, "its target") {
			if len(n.Targets()) != 0 || !slices.Contains(n.Files(), "elsewhere.img") {
				t.Errorf("%s: left %v and %v", c.words, n.Targets(), n.Files())
			}
		}
		n.Drop(ubuntuIQN)
		n.Answer("POST /lun/disk", nil)
		s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
	}
}

func TestATaskThatMadeAnotherDiskIsNotEntered(t *testing.T) {
	s, n := siteWithNode(t)
	n.OfferTasks()
	n.Answer("GET /tasks/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"id":"copy-1","state":"succeeded","result":{"iqn":%q,"backing":"/images/pc-02.ubuntu.img"}}`, otherIQN)
	})
	got := s.ended(s.async("/workers/pc-01/luns/disk", newUbuntu))
	if got.State != "failed" || got.Items[0].Error != `agent st1: it made target "`+otherIQN+`" and not `+ubuntuIQN {
		t.Errorf("%+v", got)
	}
	if len(n.Targets()) != 0 || len(s.worker("pc-01").Disks) != 0 {
		t.Errorf("left %v", n.Targets())
	}
	// What the node kept of it is attached, not lost.
	n.Answer("GET /tasks/", nil)
	s.want(201, "POST", "/workers/pc-01/luns/disk", `{"os":"ubuntu","type":"existing"}`)
}

func TestWhatANodeSaysOfItsTasksIsHeldAgainstWhatWasAsked(t *testing.T) {
	for body, words := range map[string]string{
		`{"id":"copy-7","state":"succeeded"}`:                                         `it is of task "copy-7" and not copy-1`,
		`{"id":"copy-1","state":"exploded"}`:                                          `its state is "exploded"`,
		`{"id":"copy-1","state":"running","bytes_done":-1}`:                           `it has done -1 bytes of 0`,
		`{"id":"copy-1","state":"succeeded","result":{"iqn":""}}`:                     `it names the iqn ""`,
		`{"id":"copy-1","state":"interrupted","bytes_total":1}`:                       `its state is "interrupted"`,
		`{"id":"copy-1","state":"succeeded","result":{"iqn":"x","backing":"\u0000"}}`: `its backing is "\x00"`,
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			n := nodetest.Start(t)
			n.OfferTasks()
			s := newSite(t, "IPXE_CP_AGENT_TIMEOUT", patience)
			s.agents(map[string]*nodetest.Node{"st1": n})
			s.start()
			s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
			n.Answer("GET /tasks/", tells(body))
			n.Answer("DELETE /tasks/", tells(body))
			got := s.ended(s.async("/workers/pc-01/luns/disk", newUbuntu))
			if got.State != "failed" || !strings.HasSuffix(got.Items[0].Error, words) {
				t.Errorf("%+v", got)
			}
			n.Answer("GET /tasks/", nil)
			n.Answer("DELETE /tasks/", nil)
			eventually(t, "what the node made is cleared", func() bool { return len(n.Targets()) == 0 && !s.owes(ubuntuIQN) })
			s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
		})
	}
}

func TestATaskWithoutAProperNameIsNotFollowed(t *testing.T) {
	for _, id := range []string{"..", "../lun", "a b", "a\tb", strings.Repeat("x", 1000), "é"} {
		s, n := siteWithNode(t)
		n.Answer("POST /lun/disk", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprintf(w, `{"task_id":%q}`, id)
		})
		a := s.want(502, "POST", "/workers/pc-01/luns/disk", newUbuntu)
		if !strings.Contains(string(a.body), "its task is ") || len(a.body) > 500 {
			t.Errorf("%q: %s", id, a)
		}
	}
}

// TestACopyThatOnlySeemsToGrowIsGivenUp is of a node that counts up and down.
func TestACopyThatOnlySeemsToGrowIsGivenUp(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t)
	n.OfferTasks()
	s := newSite(t, "IPXE_CP_CLONE_TIMEOUT", patience)
	s.agents(map[string]*nodetest.Node{"st1": n})
	s.start()
	s.want(201, "POST", "/workers", `{"worker_id":"pc-01","mac":"52:54:00:00:00:01"}`)
	done := 0
	n.Answer("GET /tasks/", func(w http.ResponseWriter, _ *http.Request) {
		done = 1 - done
		fmt.Fprintf(w, `{"id":"copy-1","state":"running","bytes_done":%d,"bytes_total":9}`, done)
	})
	got := s.ended(s.async("/workers/pc-01/luns/disk", newUbuntu))
	if got.State != "failed" || got.Items[0].Error != "agent st1: its copy did not grow for "+patience {
		t.Errorf("%+v", got)
	}
}

func TestADeletionOfAnotherTargetIsNone(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
	n.Answer("DELETE /lun", tells(`{"deleted":"`+otherIQN+`","delete_file":false}`))
	a := s.want(502, "DELETE", "/workers/pc-01/luns/disk/ubuntu", "")
	if !strings.Contains(string(a.body), "and not "+ubuntuIQN) || len(s.worker("pc-01").Disks) != 1 {
		t.Errorf("%s, %+v", a, s.worker("pc-01"))
	}
}

func TestACDUnderAnotherNameIsNotEntered(t *testing.T) {
	s, n := siteWithNode(t)
	n.Answer("POST /lun/cd", created("iqn.2026-07.com.controller:other.iso", "/images/win.iso"))
	a := s.want(502, "POST", "/workers/pc-01/luns/cd", `{"iso":"win.iso"}`)
	if !strings.Contains(string(a.body), "it made target") || s.worker("pc-01").CD != nil {
		t.Errorf("%s", a)
	}
}

// TestWhatIsSaidToBeMadeAndIsNotThereIsFound: the ledger believes the node, the
// comparison does not.
func TestWhatIsSaidToBeMadeAndIsNotThereIsFound(t *testing.T) {
	s, n := siteWithNode(t)
	n.Answer("POST /lun/disk", created(ubuntuIQN, "/images/pc-01.ubuntu.img"))
	s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
	if f, ok := s.findings()["missing_target:pc-01:ubuntu"]; !ok || f.Fix == "" {
		t.Errorf("%+v", s.findings())
	}
	n.Answer("POST /lun/disk", nil)
	s.want(404, "DELETE", "/workers/pc-01/luns/disk/ubuntu", "")
	s.want(200, "DELETE", "/workers/pc-01/luns/disk/ubuntu?ignore_missing_target=true", "")
	s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
}

// TestWhatWasMadeThoughTheAnswerWasLostIsFound: nobody knows whether the node
// made it or it was there before.
func TestWhatWasMadeThoughTheAnswerWasLostIsFound(t *testing.T) {
	s, n := siteWithNode(t)
	n.Answer("POST /lun/disk", func(w http.ResponseWriter, _ *http.Request) {
		n.Put("pc-01.ubuntu.img")
		n.Serve(ubuntuIQN, "pc-01.ubuntu.img")
		panic(http.ErrAbortHandler)
	})
	s.want(503, "POST", "/workers/pc-01/luns/disk", newUbuntu)
	n.Answer("POST /lun/disk", nil)
	if f, ok := s.findings()["orphan_target:st1:"+ubuntuIQN]; !ok || f.Fix == "" {
		t.Errorf("%+v", s.findings())
	}
	if got := s.fix("orphan_target:st1:" + ubuntuIQN); len(got.Failed) != 0 || len(s.worker("pc-01").Disks) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestATargetThatIsListedTwiceIsNoList(t *testing.T) {
	s, n := siteWithNode(t)
	s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
	row := `{"iqn":"` + ubuntuIQN + `","luns":[]}`
	n.Answer("GET /lun", tells("["+row+","+row+"]"))
	a := s.want(502, "GET", "/agents/st1/luns", "")
	if !strings.Contains(string(a.body), "twice") || len(s.findings()) != 1 {
		t.Errorf("%s, %v", a, s.findings())
	}
}
