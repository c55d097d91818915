package tui_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/client"
	"ipxe-all-ready/tui"
	"ipxe-all-ready/tui/i18n"
	"ipxe-all-ready/tui/tuitest"
)

func list(t *testing.T) *tuitest.Driver {
	t.Helper()
	d := console(t, i18n.English, false)
	d.Press("2")
	d.Settle()
	return d
}

func has(t *testing.T, d *tuitest.Driver, texts ...string) {
	t.Helper()
	for _, x := range texts {
		if !strings.Contains(d.Frame(), x) {
			t.Errorf("no %q on screen:\n%s", x, d.Frame())
		}
	}
}

func hasNot(t *testing.T, d *tuitest.Driver, text string) {
	t.Helper()
	if strings.Contains(d.Frame(), text) {
		t.Errorf("%q on screen:\n%s", text, d.Frame())
	}
}

func key(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }

func event(kind, action, id string, object any) tui.StreamMsg {
	b, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return tui.StreamMsg{Events: []client.Event{{Kind: kind, Change: api.Change{Action: action, ID: id, Object: b}}}}
}

func TestAnEventMovesNeitherCursorNorMarks(t *testing.T) {
	d := list(t)
	d.Press("down", "down", "down", "space")
	has(t, d, "* worker-04", ">  worker-05", "1 marked")
	d.Send(event(api.EventWorker, "created", "aaa-1", api.Worker{WorkerID: "aaa-1", Hostname: "aaa-1", State: "registered"}))
	d.Send(event(api.EventWorker, "deleted", "worker-01", nil))
	has(t, d, "aaa-1", "* worker-04", ">  worker-05", "1 marked", "40 rows")
	hasNot(t, d, "worker-01")
}

func TestALostConnectionKeepsTheDataAndSaysHowOldItIs(t *testing.T) {
	d := list(t)
	d.Press("space")
	d.Send(tui.StreamMsg{State: true, Err: errors.New("cut")})
	has(t, d, "NO CONNECTION", "data", "worker-07", "1 marked")
	d.Send(tui.StreamMsg{State: true})
	has(t, d, "+ live", "1 marked")
	hasNot(t, d, "NO CONNECTION")
}

func TestAControlPlaneThatIsNotThereIsNamedAndTriedAgain(t *testing.T) {
	d := tuitest.Start(t, options("http://127.0.0.1:1", i18n.English, false), tuitest.NewClock(noon), 80, 24) // where nobody listens
	d.Until("cannot reach it for", "unreachable", "trying again")
	d.Press("2")
	has(t, d, "loading")
}

func TestAWrongTokenIsSaidWithWhatToDo(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(401)
		_, _ = w.Write([]byte(`{"detail":"unauthorized","code":"unauthorized"}`))
	}))
	t.Cleanup(s.Close)
	d := tuitest.Start(t, options(s.URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
	d.Until("! TOKEN REFUSED", "IPXE_CP_TOKEN", "--token-file")
}

func TestWhatIsPastedOutsideAFieldDoesNothing(t *testing.T) {
	d := list(t)
	before := d.Frame()
	d.Paste("Dayq\nD")
	if d.Frame() != before || d.Quit() {
		t.Errorf("now it shows\n%s", d.Frame())
	}
	d.Press("n", "tab")
	d.Paste("52:54:00:aa:bb:cc\n")
	has(t, d, "Register a machine", "52:54:00:aa:bb:cc")
}

func TestTypingInAFormReachesNoOtherKey(t *testing.T) {
	d := list(t)
	d.Press("n", "ctrl+u")
	d.Press("q", "D", "1", "?", ":", "a")
	has(t, d, "qD1?:a", "Register a machine")
	if d.Quit() {
		t.Error("it quit")
	}
	d.Press("esc")
	has(t, d, ">  worker-01")
	hasNot(t, d, "marked")
}

func TestKeysTypedQuicklyGoWhereTheFirstLeads(t *testing.T) {
	d := list(t)
	d.Press("/w") // one read of the terminal
	d.Press("orker-1", "1", "enter")
	has(t, d, ">  worker-11", "1 of 40")
	d.Press("esc")
	has(t, d, "40 rows")
}

func TestTheHarmlessAnswerIsTheDefaultOfADeletion(t *testing.T) {
	d := list(t)
	d.Press("D", "enter", "enter", "enter")
	has(t, d, "nothing was done")
	d.Press("shift+end", "D", "tab", "tab", "tab", "right", "enter") // 40 of them: their number is to be typed
	has(t, d, "type 40 to show", "> Type 40")
	d.Press("4", "enter")
	has(t, d, "Delete 40 workers", "> Do it?") // and the answer is still the one given
	d.Press("esc")
	has(t, d, "40 marked")
}

func TestADialogThatOpensByItselfIgnoresKeysForAMoment(t *testing.T) {
	clock := tuitest.NewClock(noon)
	s := serve(t, answers())
	d := tuitest.Start(t, options(s.URL, i18n.English, false), clock, 80, 24)
	d.Settle()
	d.Press("3")
	d.Settle()
	d.Press("n", "enter", "enter")
	d.Until("2 of 2")
	d.Send(key("x")) // no time has passed
	hasNot(t, d, "node-192-168-80-9x")
	d.Press("x")
	has(t, d, "node-192-168-80-9x")
}

func TestEveryStateQuitsOnCtrlC(t *testing.T) {
	for _, f := range frames {
		d := console(t, i18n.English, false)
		f.go_(d)
		d.Press("ctrl+c")
		d.UntilTrue(f.name+" to quit", d.Quit)
	}
}

func TestASmallWindowSaysSoAndComesBackUnhurt(t *testing.T) {
	d := list(t)
	d.Press("down", "space", "/", "worker-0")
	for _, w := range [][2]int{{59, 15}, {60, 14}, {40, 10}, {30, 3}} {
		d.Resize(w[0], w[1])
		has(t, d, "too small: 60×15 is the least")
		hasNot(t, d, "worker")
	}
	d.Press("D", "x")
	d.Resize(120, 40)
	has(t, d, "* worker-02", "1 marked", "/worker-0")
	if f := d.Frame(); strings.Contains(f, "/worker-0D") || strings.Contains(f, "Delete") {
		t.Errorf("keys went through:\n%s", f)
	}
}

func TestADialogInAWindowThatBecameTooSmallTakesNoKey(t *testing.T) {
	d := list(t)
	d.Press("D", "tab", "tab", "right")
	before := d.Frame()
	d.Resize(40, 10)
	d.Press("enter", "space", "tab", "esc", "q")
	d.Send(tea.MouseMsg{X: 4, Y: 5, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	if !d.Settled() {
		t.Error("a call is under way")
	}
	d.Resize(80, 24)
	if d.Frame() != before {
		t.Errorf("it came back as\n%s\nand was\n%s", d.Frame(), before)
	}
	d.Resize(40, 10)
	d.Press("ctrl+c")
	d.UntilTrue("ctrl+c to quit", d.Quit)
}

func TestADisabledKeySaysWhy(t *testing.T) {
	d := console(t, i18n.English, false)
	d.Press("5")
	d.Settle()
	d.Press("down", "c")
	has(t, d, "cancel is off: it has ended")
	d.Press("?")
	has(t, d, "off: it has ended")
}

func TestTheLanguageChangesUnderWay(t *testing.T) {
	d := list(t)
	d.Press("space", "L")
	has(t, d, "标识", "已标记 1", "已登记")
	d.Press("L")
	has(t, d, "STATE", "1 marked")
}

func TestOlderOperationsComeAsOneScrolls(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/operations" {
			w.WriteHeader(404)
			return
		}
		page := api.Operations{Entries: []json.RawMessage{json.RawMessage(`{"id":300,"op":"newest","status":"ok"}`), json.RawMessage(`{"id":299,"op":"second","status":"ok"}`)}}
		if r.URL.Query().Get("before") == "299" {
			asked.Add(1)
			page.Entries = []json.RawMessage{json.RawMessage(`{"id":1,"op":"the-first","status":"ok"}`)}
		}
		_ = json.NewEncoder(w).Encode(page)
	}))
	t.Cleanup(s.Close)
	d := tuitest.Start(t, options(s.URL, i18n.English, false), tuitest.NewClock(noon), 80, 24)
	d.Press("4")
	d.Until("newest", "the-first", "that is all of them")
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	d.Send(event(api.EventOperation, "created", "301", map[string]any{"id": 301, "op": "brand-new", "status": "ok"}))
	has(t, d, "> ", "brand-new")
}

func TestACallThatHangsShowsASpinnerAndFreezesNothing(t *testing.T) {
	hold := make(chan struct{})
	table := answers()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			<-hold
			return
		}
		_ = json.NewEncoder(w).Encode(table[r.URL.Path])
	}))
	t.Cleanup(proxy.Close)
	t.Cleanup(func() { close(hold) })
	clock := tuitest.NewClock(noon)
	d := tuitest.Start(t, options(proxy.URL, i18n.English, false), clock, 80, 24)
	d.Settle()
	d.Press("A")
	clock.Forward(2 * time.Second)
	has(t, d, "switching auto-registration (2s)")
	d.Press("2", "down")
	has(t, d, ">  worker-02")
	d.Press("q")
	has(t, d, "A call is still under way")
}

func TestTheMouseMarksARangeAndScrolls(t *testing.T) {
	d := list(t)
	d.Press("M")
	has(t, d, "the mouse is ours")
	d.Send(tea.MouseMsg{X: 4, Y: 5, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	has(t, d, ">  worker-03")
	d.Send(tea.MouseMsg{X: 4, Y: 7, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress, Shift: true})
	has(t, d, "3 marked", ">* worker-05")
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	has(t, d, ">  worker-08")
}

func TestAMarkedRangeTakesTheSameThreeWays(t *testing.T) {
	for _, way := range [][]string{{"shift+down", "shift+down"}, {"J", "J"}, {"v", "down", "down", "v"}} {
		d := list(t)
		d.Press("down")
		d.Press(way...)
		has(t, d, "* worker-02", "* worker-03", ">* worker-04", "3 marked")
	}
}

func TestThePaletteGoesToAWorkerByAPieceOfItsAddress(t *testing.T) {
	d := list(t)
	d.Press(":", "00:00:03", "down", "up", "enter")
	d.Until("Worker worker-03", "52:54:00:00:00:03 = worker-03")
}
