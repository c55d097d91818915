package controlplane

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ipxe-all-ready/internal/api"
)

// news is one event as a reader gets it.
type news struct {
	id, kind string
	data     struct {
		Action string          `json:"action"`
		ID     string          `json:"id"`
		Object json.RawMessage `json:"object"`
	}
}

func (n news) String() string { return n.kind + " " + n.data.Action + " " + n.data.ID }

// number is the n of <start>-<n>.
func (n news) number(t *testing.T) int {
	t.Helper()
	_, number, _ := strings.Cut(n.id, "-")
	i, err := strconv.Atoi(number)
	if err != nil {
		t.Fatalf("id %q", n.id)
	}
	return i
}

// reader is an open stream.
type reader struct {
	t    *testing.T
	body io.ReadCloser
	in   *bufio.Reader
}

// watch opens the stream after the event last and waits until it is connected.
func (s *site) watch(last string) *reader {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.url+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Last-Event-ID", last)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	r := &reader{t: s.t, body: resp.Body, in: bufio.NewReader(resp.Body)}
	s.t.Cleanup(r.close)
	if line, err := r.in.ReadString('\n'); err != nil || line != ": connected\n" || resp.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("%q %v %v", line, err, resp.Header)
	}
	return r
}

func (r *reader) close() { _ = r.body.Close() } // it was only read

// next is the next event; the stream's end is io.EOF.
func (r *reader) next() (n news, err error) {
	for {
		line, err := r.in.ReadString('\n')
		if err != nil {
			return n, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			n.id = value
		case "event":
			n.kind = value
		case "data":
			if err := json.Unmarshal([]byte(value), &n.data); err != nil {
				return n, err
			}
		case "":
			if n.id != "" {
				return n, nil
			}
		}
	}
}

// until reads on to the event that is wanted and returns it with those before.
func (r *reader) until(want string) (n news, seen []string) {
	r.t.Helper()
	timer := time.AfterFunc(20*time.Second, r.close)
	defer timer.Stop()
	for {
		n, err := r.next()
		if err != nil {
			r.t.Fatalf("no %q, but %q and then %v", want, seen, err)
		}
		seen = append(seen, n.String())
		if n.String() == want {
			return n, seen
		}
	}
}

func TestEveryKindOfChangeIsAnEventWithTheThingAsAGetShowsIt(t *testing.T) {
	s, _ := siteWithNode(t)
	r := s.watch("")
	same := func(want, path string) {
		t.Helper()
		n, _ := r.until(want)
		if got := s.want(200, "GET", path, "").body; string(n.data.Object) != strings.TrimSpace(string(got)) {
			t.Errorf("%s: event %s, GET %s", want, n.data.Object, got)
		}
	}
	s.want(201, "POST", "/workers/pc-01/luns/disk", newUbuntu)
	same("worker updated pc-01", "/workers/pc-01")
	s.want(200, "PUT", "/workers/pc-01/mac", `{"mac":"52:54:00:00:00:02"}`)
	same("worker updated pc-01", "/workers/pc-01")
	s.want(200, "PUT", "/settings/auto-register", `{"enabled":false}`)
	same("settings updated auto-register", "/settings/auto-register")
	n, _ := r.until("operation created " + strconv.FormatInt(s.operations("tail=1")[0].ID, 10))
	if page := decode[api.Operations](t, s.want(200, "GET", "/operations?tail=1", "")); string(page.Entries[0]) != string(n.data.Object) {
		t.Errorf("%s %s", page.Entries[0], n.data.Object)
	}
	id := s.async("/workers/pc-01/luns/disk", `{"os":"debian","type":"empty","size":"1G"}`)
	r.until("task created " + id)
	s.ended(id)
	for n.kind != "task" || !strings.Contains(string(n.data.Object), `"ended_at"`) {
		n, _ = r.until("task updated " + id)
	}
	if got := s.want(200, "GET", "/tasks/"+id, "").body; string(n.data.Object) != string(got) {
		t.Errorf("%s %s", n.data.Object, got)
	}
	s.want(200, "DELETE", "/workers/pc-01", "")
	r.until("worker deleted pc-01")
}

func TestAHandEditAndABrokenFileAreEvents(t *testing.T) {
	s, _ := siteWithNode(t)
	r := s.watch("")
	agents := s.read("config/agents.yml")
	s.file("config/agents.yml", agents+"  st2: {base_url: \"http://127.0.0.1:1\", token: hush}\n")
	n, _ := r.until("agent created st2")
	if o := string(n.data.Object); !strings.Contains(o, `"base_url":"http://127.0.0.1:1"`) || strings.Contains(o, "hush") || strings.Contains(o, "token") {
		t.Errorf("%s", o)
	}
	s.file("config/agents.yml", agents+"  st2: [\n")
	n, _ = r.until("ledger_fault broken agents.yml")
	var f api.LedgerFault
	if err := json.Unmarshal(n.data.Object, &f); err != nil || f.Line == 0 || f.Error == "" {
		t.Errorf("%s", n.data.Object)
	}
	s.file("config/agents.yml", agents)
	_, seen := r.until("agent deleted st2")
	seen = append(seen, "")
	r.until("ledger_fault mended agents.yml")
	s.file("dnsmasq/dhcp-hosts.conf", "52:54:00:00:00:09,pc-01\n")
	n, _ = r.until("worker updated pc-01")
	if !strings.Contains(string(n.data.Object), `"mac":"52:54:00:00:00:09"`) {
		t.Errorf("%s after %q", n.data.Object, seen)
	}
}

func TestAReaderResumesWithoutAGapUnderLoad(t *testing.T) {
	const machines = 300
	s := newSite(t).start()
	var wg sync.WaitGroup
	r := s.watch("")
	for i := range machines {
		wg.Go(func() { s.call("GET", fmt.Sprintf("/boot-vars?mac=52:54:00:00:%02x:%02x", i>>8, i&255), "") })
	}
	at, created := -1, map[string]bool{}
	for lost := 0; len(created) < machines; {
		n, err := r.next()
		if err != nil {
			t.Fatal(err)
		}
		if got := n.number(t); at >= 0 && got != at+1 {
			t.Fatalf("event %d came after %d", got, at)
		}
		at = n.number(t)
		if n.kind == "worker" {
			created[n.data.ID] = true
		}
		// The connection is lost every now and then.
		if lost++; lost%37 == 0 {
			r.close()
			r = s.watch(n.id)
		}
	}
	wg.Wait()
}

func TestAReaderOfAnotherStartIsToldToReadEverythingAnew(t *testing.T) {
	s := newSite(t).start()
	r := s.watch("")
	s.boot("mac=52:54:00:00:00:01")
	n, _ := r.until("worker created worker-01")
	s.restart()
	s.boot("mac=52:54:00:00:00:02")
	r = s.watch(n.id)
	first, err := r.next()
	if err != nil || first.kind != "reset" {
		t.Errorf("%v %v", first, err)
	}
	s.boot("mac=52:54:00:00:00:03")
	r.until("worker created worker-03")
}

func TestTheStreamEndsWhenTheServerStops(t *testing.T) {
	s := newSite(t).start()
	r := s.watch("")
	start := time.Now()
	s.stop()
	if took := time.Since(start); took > 8*time.Second { // at ten what is under way is cut
		t.Errorf("the stop took %s", took)
	}
	if _, err := r.next(); err != io.EOF {
		t.Errorf("%v", err)
	}
}

// deaf opens a stream of events and never reads it.
func (s *site) deaf() {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		s.t.Fatal(err)
	}
}

// TestNothingSlowMovesTheBootPath holds a clone, hangs a node and leaves readers
// that never read, and boots meanwhile.
func TestNothingSlowMovesTheBootPath(t *testing.T) {
	s, list := hall(t, 200, 3, "IPXE_CP_AGENT_TIMEOUT", "30s")
	list[0].Hold() // as the clone of a large image does
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	list[1].Answer("GET /capabilities", func(http.ResponseWriter, *http.Request) { <-hang })
	for range 5 {
		s.deaf()
	}
	clone := s.async("/workers/worker-01/luns/disk", `{"os":"ubuntu","type":"master","name":"master_tpl_1.img","disk_agent":"st1"}`)
	hung := s.async("/workers/luns/disk/batch", `{"os":"debian","type":"empty","size":"1G","targets":[{"worker_id":"worker-02","agent":"st2"}]}`)
	working(t, list[0])
	r := s.watch("")
	var took []time.Duration
	for i := range 1000 {
		start := time.Now()
		if got := hostnameOf(s.boot(fmt.Sprintf("mac=52:54:01:00:00:%02x", i%200+1))); got == "" {
			t.Fatal("a known machine got nothing")
		}
		took = append(took, time.Since(start))
		if i%10 == 0 {
			s.want(200, "PUT", "/workers/worker-03/default-os", fmt.Sprintf(`{"menu_timeout":%d}`, i))
		}
	}
	slices.Sort(took)
	t.Logf("median %s, 99th of 100 %s, worst %s", took[500], took[990], took[999])
	if took[990] > 2*time.Second { // what is slow here takes half a minute and more
		t.Errorf("99 of 100 boots took up to %s", took[990])
	}
	for range 100 { // the reader beside the deaf ones misses nothing
		r.until("worker updated worker-03")
	}
	for _, id := range []string{clone, hung} {
		if got := s.task(id); api.Ended(got.State) {
			t.Errorf("%+v", got)
		}
		s.want(200, "DELETE", "/tasks/"+id, "")
	}
	list[0].Release()
	s.ended(clone)
	s.ended(hung)
}
