package dhcphosts

import (
	"fmt"
	"strings"
	"testing"

	"ipxe-all-ready/internal/netboot"
)

func mac(s string) netboot.MAC {
	m, err := netboot.ParseMAC(s)
	if err != nil {
		panic(err)
	}
	return m
}

func host(s string) netboot.Hostname {
	h, err := netboot.ParseHostname(s)
	if err != nil {
		panic(err)
	}
	return h
}

var (
	m1, m2, m3 = mac("52:54:00:00:00:01"), mac("52:54:00:00:00:02"), mac("52:54:00:00:00:03")
	w1, w2, w3 = host("worker-01"), host("worker-02"), host("worker-03")
)

func TestALineBindsWhatDnsmasqReadsInIt(t *testing.T) {
	for _, c := range []struct {
		line, mac, host, finding string
	}{
		{"52:54:00:00:00:01,worker-01", "52:54:00:00:00:01", "worker-01", ""},
		{"  52:54:00:00:00:01 , worker-01  # by the door\r", "52:54:00:00:00:01", "worker-01", ""},
		{"52:54:00:AB:CD:EF,PC-01", "52:54:00:ab:cd:ef", "pc-01", ""},
		{"01-52:54:00:00:00:01,worker-01", "52:54:00:00:00:01", "worker-01", ""},
		{"0:c:29:b9:8b:2d,worker-01", "00:0c:29:b9:8b:2d", "worker-01", ""},
		{"set:lab,52:54:00:00:00:01,tag:x,192.168.1.5,[fd00::5],worker-01,12h", "52:54:00:00:00:01", "worker-01", ""},
		{"52:54:00:00:00:01,id:01:02,infinite,worker-01.lan", "52:54:00:00:00:01", "worker-01", ""},
		{"52:54:00:00:00:01,ignore", "", "", ""},
		{"52:54:00:00:00:01,10m", "", "", ""},
		{"52:54:00:*:*:*,worker-01", "", "", ""},
		{"06-52:54:00:00:00:01,worker-01", "", "", ""},
		{"worker-01,192.168.1.5", "", "", ""},
		{"# 52:54:00:00:00:01,worker-01", "", "", ""},
		{"", "", "", ""},
		{"52-54-00-00-00-01,worker-01", "52:54:00:00:00:01", "worker-01", `dnsmasq does not match "52-54-00-00-00-01": write it with colons, 52:54:00:00:00:01`},
		{"52:54:00:00:zz:01,worker-01", "", "", `dnsmasq skips this line: bad hex constant "52:54:00:00:zz:01"`},
		{"dhcp-host=52:54:00:00:00:01,worker-01", "", "", `dnsmasq skips this line: bad hex constant "dhcp-host=52:54:00:00:00:01"`},
		{"52:54:00:00:00:01,work!er", "", "", `dnsmasq skips this line: bad DHCP host name "work!er"`},
		{"52:54:00:00:00:01,my_pc", "", "", `hostname "my_pc" is not one DNS label: letters, digits and inner hyphens, at most 63`},
		{"52:54:00,worker-01", "", "", `hardware address "52:54:00" has 3 bytes and matches no network card`},
		{"01:54:00:00:00:01,worker-01", "", "", `mac "01:54:00:00:00:01" is a multicast address`},
		{"\ufeff52:54:00:00:00:01,worker-01", "52:54:00:00:00:01", "worker-01", "the line starts with a byte order mark and dnsmasq skips it: save the file without one"},
		{`52:54:00:00:00:01,"worker-01"`, "", "", "the line holds quotes; what it binds is left to dnsmasq"},
	} {
		f := Parse([]byte(c.line + "\n"))
		gotMAC, gotHost := "", ""
		f.Bindings(func(m netboot.MAC, h netboot.Hostname) { gotMAC, gotHost = m.String(), h.String() })
		if gotMAC != c.mac || gotHost != c.host {
			t.Errorf("%q binds %q to %q", c.line, gotMAC, gotHost)
		}
		var finding string
		for _, x := range f.Findings() {
			finding = x.Text
		}
		if finding != c.finding {
			t.Errorf("%q: finding %q, want %q", c.line, finding, c.finding)
		}
	}
}

func TestEditsLeaveAllElseAsItWas(t *testing.T) {
	for _, c := range []struct {
		name, before string
		edit         func(*File)
		after        string
	}{
		{"a first line", "", func(f *File) { f.Bind(m1, w1) }, "52:54:00:00:00:01,worker-01\n"},
		{"no final newline", "# x", func(f *File) { f.Bind(m1, w1) }, "# x\n52:54:00:00:00:01,worker-01\n"},
		{"CRLF", "# x\r\n", func(f *File) { f.Bind(m1, w1) }, "# x\r\n52:54:00:00:00:01,worker-01\r\n"},
		{"CRLF without an end", "# x\r\n# y", func(f *File) { f.Bind(m1, w1) }, "# x\r\n# y\r\n52:54:00:00:00:01,worker-01\r\n"},
		{
			"another address", "set:lab , 52-54-00-00-00-01 ,worker-01, 12h  # door\r\n",
			func(f *File) { f.Bind(m2, w1) }, "set:lab , 52-54-00-00-00-01 ,worker-01, 12h  # door\r\n52:54:00:00:00:02,worker-01\r\n",
		},
		{"another address keeps the rest", "set:lab , 52:54:00:00:00:01 ,worker-01, 12h  # door\n", func(f *File) { f.Bind(m2, w1) }, "set:lab , 52:54:00:00:00:02 ,worker-01, 12h  # door\n"},
		{"dashes become colons", "52-54-00-00-00-01,worker-01\n", func(f *File) { f.Bind(m2, w1) }, "52:54:00:00:00:02,worker-01\n"},
		{"the first of two addresses", "52:54:00:00:00:01,52:54:00:00:00:03,worker-01\n", func(f *File) { f.Bind(m2, w1) }, "52:54:00:00:00:02,52:54:00:00:00:03,worker-01\n"},
		{"a line without a name", "52:54:00:00:00:01,set:lab # c\n", func(f *File) { f.Bind(m1, w1) }, "52:54:00:00:00:01,set:lab,worker-01 # c\n"},
		{"a foreign name", "52:54:00:00:00:01,my_pc\n", func(f *File) { f.Bind(m1, w1) }, "52:54:00:00:00:01,my_pc\n52:54:00:00:00:01,worker-01\n"},
		{"taken from another", "52:54:00:00:00:01,worker-01\n", func(f *File) { f.Bind(m1, w2) }, "52:54:00:00:00:01,worker-02\n"},
		{"taken from one of two", "52:54:00:00:00:01,52:54:00:00:00:03,worker-01\n", func(f *File) { f.Bind(m1, w2) }, "52:54:00:00:00:03,worker-01\n52:54:00:00:00:01,worker-02\n"},
		{"bound so already", "52:54:00:00:00:01,Worker-01", func(f *File) { f.Bind(m1, w1) }, "52:54:00:00:00:01,Worker-01"},
		{"unbound", "# a\n52:54:00:00:00:01,worker-01,12h # x\n# b\n", func(f *File) { f.Unbind(w1) }, "# a\n# b\n"},
		{"unbound keeps tags", "52:54:00:00:00:01, worker-01, set:lab # x\n", func(f *File) { f.Unbind(w1) }, "52:54:00:00:00:01, set:lab # x\n"},
		{"unbound everywhere", "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,worker-01\n", func(f *File) { f.Unbind(w1) }, ""},
		{"a line without address stays", "worker-01,192.168.1.5\n", func(f *File) { f.Unbind(w1) }, "worker-01,192.168.1.5\n"},
		{"behind an older line of the address", "52:54:00:00:00:02,worker-02\n52:54:00:00:00:01,ignore,my_pc\n", func(f *File) { f.Bind(m1, w2) }, "52:54:00:00:00:01,worker-02\n52:54:00:00:00:01,ignore,my_pc\n52:54:00:00:00:01,worker-02\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Parse([]byte(c.before))
			c.edit(f)
			if got := string(f.Bytes()); got != c.after {
				t.Errorf("got %q, want %q", got, c.after)
			}
			checkAgainstFresh(t, f)
			f.Rollback(0)
			if got := string(f.Bytes()); got != c.before {
				t.Errorf("rolled back to %q, want %q", got, c.before)
			}
			checkAgainstFresh(t, f)
		})
	}
}

// checkAgainstFresh holds the indexes against those of the file read anew.
func checkAgainstFresh(t *testing.T, f *File) {
	t.Helper()
	fresh := Parse(f.Bytes())
	show := func(f *File) string {
		list := map[string]string{}
		f.Bindings(func(m netboot.MAC, h netboot.Hostname) {
			back, _ := f.MACOf(h)
			list[m.String()] = h.String() + " " + back.String()
		})
		return fmt.Sprint(list, f.Findings(), f.Has(w1), f.Has(w2), f.Has(w3))
	}
	if got, want := show(f), show(fresh); got != want {
		t.Errorf("the indexes say %s, the file %s", got, want)
	}
}

func TestTheLastLineOfAnAddressCountsAndBothAreReported(t *testing.T) {
	f := Parse([]byte("52:54:00:00:00:01,worker-01\n# x\n52:54:00:00:00:01,worker-02\n52-54-00-00-00-01,worker-03\n52:54:00:00:00:02,worker-02\n"))
	if h, _ := f.Binding(m1); h != w2 {
		t.Errorf("bound to %s", h)
	}
	if _, ok := f.MACOf(w1); ok {
		t.Error("worker-01 still has an address")
	}
	var got []string
	for _, x := range f.Findings() {
		got = append(got, fmt.Sprintf("%d: %s", x.Line, x.Text))
	}
	want := []string{
		"1: MAC 52:54:00:00:00:01 is bound again in line 3, which is the one that counts",
		"4: MAC 52:54:00:00:00:01 is bound again in line 3, which is the one that counts",
		`4: dnsmasq does not match "52-54-00-00-00-01": write it with colons, 52:54:00:00:00:01`,
		"5: host name worker-02 is that of 52:54:00:00:00:01 in line 3: 52:54:00:00:00:02 gets no boot script until it has another name (cards of one machine stand on one line)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("findings:\n%s", strings.Join(got, "\n"))
	}
	f.Unbind(w2)
	if h, _ := f.Binding(m1); h != w1 {
		t.Errorf("after the last line is gone: %s", h)
	}
	_, hosts := f.Changed()
	if _, told := hosts[w1]; !told {
		t.Error("worker-01's lookups changed and nobody is told")
	}
}

func TestKeepingHoldsWhatWasUnboundAndAllThatWasBound(t *testing.T) {
	before := []byte("52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,set:x,worker-02\n")
	f := Parse(before)
	f.Unbind(w1)
	f.Unbind(w2)
	f.Bind(m2, w3) // the machine comes back under another name
	keep, more := f.Keeping(before)
	if want := "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,set:x,worker-03\n"; string(keep) != want || !more {
		t.Errorf("keeping %q, %v; want %q", keep, more, want)
	}
	if want := "52:54:00:00:00:02,set:x,worker-03\n"; string(f.Bytes()) != want {
		t.Errorf("all %q, want %q", f.Bytes(), want)
	}
	f.Settle()
	if _, more := f.Keeping(f.Bytes()); more {
		t.Error("still something to remove")
	}
}

func TestNewMachinesAreWrittenBehindWhatStandsWithoutPuttingItTogetherAgain(t *testing.T) {
	before := append(make([]byte, 0, 1024), "# mine\n52:54:00:00:00:01,worker-01\n"...)
	f := Parse(before)
	f.Bind(m2, w2)
	mark := f.Mark()
	f.Bind(m3, w3)
	f.Rollback(mark)
	f.Bind(m3, w1) // worker-01 gets another card: not an addition
	f.Rollback(mark)
	f.Bind(m3, w3)
	keep, more := f.Keeping(before)
	if want := string(before) + "52:54:00:00:00:02,worker-02\n52:54:00:00:00:03,worker-03\n"; string(keep) != want || more || string(f.Bytes()) != want {
		t.Errorf("%q, %v; want %q", keep, more, want)
	}
	if &keep[0] != &before[0] {
		t.Error("all of it was copied")
	}
	f.Settle()
	f.Bind(m3, w1)
	if keep, _ := f.Keeping(keep); string(keep) != string(f.Bytes()) {
		t.Errorf("%q, want %q", keep, f.Bytes())
	}
	open := []byte("52:54:00:00:00:01,worker-01")
	f = Parse(open)
	f.Bind(m2, w2)
	if keep, _ := f.Keeping(open); string(keep) != "52:54:00:00:00:01,worker-01\n52:54:00:00:00:02,worker-02\n" {
		t.Errorf("behind a line without an end: %q", keep)
	}
}

func TestManyEditsStayConsistent(t *testing.T) {
	f := Parse(nil)
	uses := map[netboot.Hostname]int{}
	f.Watch(func(h netboot.Hostname, delta int) { uses[h] += delta })
	for i := range 400 {
		m := netboot.MAC{0x52, 0x54, 0, 0, byte(i >> 8), byte(i)}
		f.Bind(m, host(fmt.Sprintf("worker-%02d", i)))
	}
	f.Settle()
	for i := range 390 {
		f.Unbind(host(fmt.Sprintf("worker-%02d", i)))
	}
	f.Settle() // throws the dead lines away
	checkAgainstFresh(t, f)
	if len(f.lines) != 10 || f.dead != 0 {
		t.Errorf("%d lines, %d dead", len(f.lines), f.dead)
	}
	f.Unbind(host("worker-395"))
	for h, n := range uses {
		if f.Has(h) != (n == 1) || n < 0 {
			t.Errorf("%s is used %d times, has %v", h, n, f.Has(h))
		}
	}
}

func FuzzAFileReadAndWrittenIsTheSame(f *testing.F) {
	f.Add("52:54:00:00:00:01,worker-01\r\n# x\n\n\ufeff,,set:x,\n52-54-00-00-00-02,w")
	f.Add("52:54:00:00:00:03,worker-01 #,\n52:54:00:00:00:03,set:a")
	f.Fuzz(func(t *testing.T, text string) {
		file := Parse([]byte(text))
		if got := string(file.Bytes()); got != text {
			t.Fatalf("got %q", got)
		}
		file.Findings()
		file.Bind(m3, w1)
		if h, ok := file.Binding(m3); !ok || h != w1 {
			t.Fatalf("bound to %v, %v: %q", h, ok, file.Bytes())
		}
		checkAgainstFresh(t, file)
		if again, ok := Parse(file.Bytes()).Binding(m3); !ok || again != w1 {
			t.Fatalf("read back %v: %q", again, file.Bytes())
		}
		file.Unbind(w1)
		if h, ok := file.Binding(m3); ok && h == w1 {
			t.Fatalf("still bound: %q", file.Bytes())
		}
		checkAgainstFresh(t, file)
		file.Rollback(0)
		if got := string(file.Bytes()); got != text {
			t.Fatalf("rolled back to %q", got)
		}
	})
}

func BenchmarkParse100000(b *testing.B) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "52:54:%02x:%02x:%02x:%02x,worker-%02d\n", i>>24&255, i>>16&255, i>>8&255, i&255, i)
	}
	for b.Loop() {
		Parse([]byte(text.String()))
	}
}
