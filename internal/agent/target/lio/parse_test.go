package lio

import (
	"reflect"
	"strings"
	"testing"

	"ipxe-all-ready/internal/agent/target"
)

func TestSessionsAreReadAsTheKernelSeparatesThem(t *testing.T) {
	for text, want := range map[string][]target.Session{
		"":                      nil,
		"iqn.2026-07.x:a\n\x00": {{Initiator: "iqn.2026-07.x:a"}},
		"iqn.2026-07.x:a\n\x00iqn.2026-07.x:b\n\x00iqn.2026-07.x:a\n\x00": {
			{Initiator: "iqn.2026-07.x:a"}, {Initiator: "iqn.2026-07.x:b"}, {Initiator: "iqn.2026-07.x:a"},
		},
	} {
		if got := parseDynamic(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

const aclInfo = `InitiatorName: iqn.2026-07.x:a
InitiatorAlias: Address 9.9.9.9
LIO Session ID: 1   ISID: 0x80 00 00 00 00 00  TSIH: 1  SessionType: Normal
Session State: TARG_SESS_STATE_LOGGED_IN
---------------------[iSCSI Session Values]-----------------------
  CmdSN/WR  :  CmdSN/WC  :  ExpCmdSN  :  MaxCmdSN  :     ITT    :     TTT
 0x00000010   0x00000010   0x00000001   0x00000010   0x00000000   0x00000002
----------------------[iSCSI Connections]-------------------------
CID: 0  Connection State: TARG_CONN_STATE_LOGGED_IN
   Address 192.168.80.49 TCP  StatSN: 0x00000001
`

func TestASessionOfANamedInitiatorHasItsAddress(t *testing.T) {
	for text, want := range map[string]target.Session{
		aclInfo: {Initiator: "iqn.2026-07.x:a", Address: "192.168.80.49"},
		strings.Replace(aclInfo, "192.168.80.49", "[fd77::9]", 1):           {Initiator: "iqn.2026-07.x:a", Address: "fd77::9"},
		aclInfo[:strings.Index(aclInfo, "CID")]:                             {Initiator: "iqn.2026-07.x:a"},
		"No active iSCSI Session for Initiator Endpoint: iqn.2026-07.x:m\n": {},
		"": {},
		"InitiatorName: iqn.2026-07.x:a\nAddress \n   Address 192.0.2.7 TCP  \n": {Initiator: "iqn.2026-07.x:a", Address: "192.0.2.7"},
	} {
		got, ok := parseACLInfo(text)
		if got != want || ok != (want.Initiator != "") {
			t.Errorf("%q: %+v, %t, want %+v", text, got, ok, want)
		}
	}
}

func TestACapacityIsFoundBehindWhateverPath(t *testing.T) {
	const head = "Status: ACTIVATED  Max Queue Depth: 0  SectorSize: 512  HwMaxSectors: 16384\n        TCM FILEIO ID: 0        File: "
	for text, want := range map[string]int64{
		head + "/srv/a.img  Size: 2097152  Mode: Buffered-WCE Async: 0\n":             2097152,
		head + "/srv/a  Size: 7 .img  Size: 2097152  Mode: Buffered-WCE Async: 0\n":   2097152,
		head + "  Size: 0  Mode: O_DSYNC Async: 0\n":                                  0,
		head + "/srv/a.img  Size: -1  Mode: O_DSYNC Async: 0\n":                       0,
		head + "/srv/a.img  Size: 99999999999999999999  Mode: O_DSYNC Async: 0\n":     0,
		"Status: ACTIVATED  Max Queue Depth: 128  SectorSize: 512\n  iBlock device: ": 0,
		"": 0,
	} {
		if got := parseSize(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func FuzzParseDynamic(f *testing.F) {
	f.Add("iqn.2026-07.x:a\n\x00iqn.2026-07.x:b\n\x00")
	f.Add("\x00\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range parseDynamic(text) {
			if s.Initiator == "" || strings.ContainsAny(s.Initiator, "\n\x00") {
				t.Errorf("%q has a session of %q", text, s.Initiator)
			}
		}
	})
}

func FuzzParseACLInfo(f *testing.F) {
	f.Add(aclInfo)
	f.Add("No active iSCSI Session for Initiator Endpoint: iqn.2026-07.x:m\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := parseACLInfo(text)
		if ok != (s.Initiator != "") || strings.ContainsAny(s.Initiator+s.Address, "\n") {
			t.Errorf("%q is a session %+v, %t", text, s, ok)
		}
	})
}

func FuzzParseSize(f *testing.F) {
	f.Add("File: /srv/a.img  Size: 2097152  Mode: Buffered-WCE Async: 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		if n := parseSize(text); n < 0 {
			t.Errorf("%q has %d bytes", text, n)
		}
	})
}

func FuzzParseSerial(f *testing.F) {
	f.Add("T10 VPD Unit Serial Number: 3f1c\n")
	f.Add(": \x00")
	f.Add("no colon")
	f.Fuzz(func(t *testing.T, text string) {
		if s := parseSerial(text); s != strings.TrimSpace(s) || !strings.Contains(text, s) {
			t.Errorf("%q has the serial %q", text, s)
		}
	})
}
