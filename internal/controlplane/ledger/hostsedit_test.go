package ledger

import (
	"fmt"
	"strings"
	"testing"

	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// refusedHosts writes the hosts file and waits until it is named as broken.
func (h *house) refusedHosts(text string) Fault {
	h.t.Helper()
	swap(h.t, h.o.HostsFile, text)
	eventually(h.t, "a fault", func() bool { return len(h.Faults()) == 1 })
	return h.Faults()[0]
}

func TestAHostsFileThatLostWhatNobodyMeantIsABrokenEdit(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 6)
	h := open(t, dir)
	good := read(t, h.o.HostsFile)
	rows := strings.SplitAfter(good, "\n")
	half := strings.Join(rows[:3], "")
	const meant = ": put them back; if it is meant, delete the workers through the API, or restart ipxe-cp to take the file as it is"
	for name, c := range map[string]struct {
		text string
		line int
		want string
	}{
		"a cut last line":  {good[:len(good)-2], 6, "the last line ends without a newline; was the file cut short? End it with one if nothing is missing"},
		"NUL bytes":        {good + "\x00\x00\n", 7, "the line holds a NUL byte: the file is damaged; put back what was in it"},
		"no UTF-8":         {good + "# \xff\xfe\n", 7, "the line is not valid UTF-8: put back what was in it, or save the file as UTF-8"},
		"garbage":          {strings.Replace(good, rows[1], "52:54:zz,w!\n", 1), 2, "the line cannot be read, and the file has lost the binding of worker-02" + meant},
		"half of it":       {half, 0, "the file has lost 3 bindings (worker-04, worker-05, worker-06) of 6 at once, while their workers are in the ledger" + meant},
		"all but comments": {"# none\n", 0, "the file has lost 6 bindings (worker-01, worker-02, worker-03, worker-04, …) of 6 at once, while their workers are in the ledger" + meant},
	} {
		t.Run(name, func(t *testing.T) {
			if f := h.refusedHosts(c.text); f.Line != c.line || f.Text != c.want || f.File != h.o.HostsFile {
				t.Errorf("line %d: %s", f.Line, f.Text)
			}
			_, err := h.Commit(t.Context(), registered(mac(100), new(netboot.Hostname)))
			if fault.CodeOf(err) != "ledger_unreadable" || read(t, h.o.HostsFile) != c.text {
				t.Errorf("it was overwritten, or %v", err)
			}
			for n := range 6 {
				if w, _, ok := h.Snapshot().ByMAC(mac(n + 1)); !ok || w == nil {
					t.Errorf("machine %d is not known any more", n+1)
				}
			}
			swap(t, h.o.HostsFile, good)
			eventually(t, "mended", func() bool { return len(h.Faults()) == 0 })
		})
	}
}

func TestAHostsEditThatAPersonMeantIsReadIn(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 6)
	good := read(t, optionsIn(dir).HostsFile)
	rows := strings.SplitAfter(good, "\n")
	var replaced strings.Builder
	for n := range 6 {
		fmt.Fprintf(&replaced, "%s,worker-%02d\n", mac(n+50), n+1)
	}
	for name, text := range map[string]string{
		"a bad line more":          good + "52:54:zz,w!\n",
		"two bindings less":        strings.Join(rows[:4], ""),
		"a new card in every host": replaced.String(),
		"Windows line ends":        strings.ReplaceAll(good, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			write(t, optionsIn(dir).HostsFile, good)
			h := open(t, dir)
			defer h.stop()
			swap(t, h.o.HostsFile, text)
			h.commit(func(tx *Tx) error { return nil }) // reads edits first
			eventually(t, "read", func() bool {
				done := make(chan string, 1)
				h.commit(func(tx *Tx) error { done <- string(tx.b.hostsText); return nil })
				return <-done == text
			})
			if f := h.Faults(); len(f) != 0 {
				t.Errorf("%v", f)
			}
		})
	}
}

func TestALossThatIsMeantIsTakenWithTheWorkersOrAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 6)
	h := open(t, dir)
	half := strings.Join(strings.SplitAfter(read(t, h.o.HostsFile), "\n")[:3], "")
	h.refusedHosts(half)
	workers := read(t, h.o.WorkersFile)
	swap(t, h.o.WorkersFile, workers[:strings.Index(workers, "  worker-04:")]+"...\n")
	eventually(t, "the bindings went with their workers", func() bool { return len(h.Faults()) == 0 && h.Snapshot().Len() == 3 })
	h.stop()

	dir = t.TempDir()
	fill(t, dir, 6)
	h = open(t, dir)
	h.refusedHosts(half)
	h.stop()
	again := open(t, dir)
	if _, ok := again.Snapshot().Binding(mac(6)); ok || len(again.Faults()) != 0 {
		t.Errorf("a restart does not take the file as it is: %v", again.Faults())
	}
}

func TestAHandMadeFileMayEndWithoutANewline(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	path := optionsIn(dir).HostsFile
	swap(t, path, strings.TrimSuffix(read(t, path), "\n"))
	h := open(t, dir)
	swap(t, path, "# mine\n"+read(t, path))
	h.commit(func(tx *Tx) error { tx.Bind(mac(9), host("pc-09")); return nil })
	if got := read(t, path); !strings.HasPrefix(got, "# mine\n") || len(h.Faults()) != 0 {
		t.Errorf("%q, %v", got, h.Faults())
	}
}

func TestAKeyThatLostItsRowsIsABrokenEditWhileRunningAndNoneInAHandMadeFile(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2)
	h := open(t, dir)
	h.commit(func(tx *Tx) error {
		tx.PutAgent(&Agent{ID: must(netboot.ParseAgentID("node-a")), BaseURL: "http://a:1"})
		return nil
	})
	for path, c := range map[string][2]string{
		h.o.WorkersFile: {"workers:\n", `nothing is behind workers: though it held 2; an empty ledger is written as "workers: {}"`},
		h.o.AgentsFile:  {"agents:\n", `nothing is behind agents: though it held 1; an empty ledger is written as "agents: {}"`},
	} {
		good := read(t, path)
		swap(t, path, c[0])
		eventually(t, "a fault", func() bool { return len(h.Faults()) == 1 })
		if f := h.Faults()[0]; f.File != path || f.Line != 1 || f.Text != c[1] {
			t.Errorf("%+v", f)
		}
		swap(t, path, good)
		eventually(t, "mended", func() bool { return len(h.Faults()) == 0 })
	}
	if h.Snapshot().Len() != 2 || len(h.Snapshot().Agents()) != 1 {
		t.Error("rows are lost")
	}
}
