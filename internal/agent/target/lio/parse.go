package lio

import (
	"strconv"
	"strings"

	"ipxe-all-ready/internal/agent/target"
)

// parseDynamic reads tpgt_1/dynamic_sessions, the sessions of initiators that no
// ACL names:
//
//	iqn.2026-07.com.controller:w1␊␀iqn.2026-07.com.controller:w2␊␀
func parseDynamic(text string) []target.Session {
	var sessions []target.Session
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == 0 }) {
		sessions = append(sessions, target.Session{Initiator: name})
	}
	return sessions
}

// parseACLInfo reads acls/NAME/info; a session without a connection has no
// address.
//
//	InitiatorName: iqn.2026-07.com.controller:w1
//	InitiatorAlias:
//	LIO Session ID: 1   ISID: 0x80 00 00 00 00 00  TSIH: 1  SessionType: Normal
//	Session State: TARG_SESS_STATE_LOGGED_IN
//	---------------------[iSCSI Session Values]-----------------------
//	  CmdSN/WR  :  CmdSN/WC  :  ExpCmdSN  :  MaxCmdSN  :     ITT    :     TTT
//	 0x00000010   0x00000010   0x00000001   0x00000010   0x00000000   0x00000002
//	----------------------[iSCSI Connections]-------------------------
//	CID: 0  Connection State: TARG_CONN_STATE_LOGGED_IN
//	   Address 192.168.80.49 TCP  StatSN: 0x00000001
//
// or, without a session:
//
//	No active iSCSI Session for Initiator Endpoint: iqn.2026-07.com.controller:w1
func parseACLInfo(text string) (target.Session, bool) {
	var s target.Session
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "InitiatorName: "); ok && s.Initiator == "" {
			s.Initiator = strings.TrimSpace(name)
		}
		if rest, ok := strings.CutPrefix(line, "Address "); ok && s.Address == "" {
			if fields := strings.Fields(rest); len(fields) > 0 {
				s.Address = strings.Trim(fields[0], "[]")
			}
		}
	}
	return s, s.Initiator != ""
}

// parseSize finds the capacity in a fileio backstore's info, in bytes; 0 when it
// is not told. The path may hold anything, so the last Size counts.
//
//	Status: ACTIVATED  Max Queue Depth: 0  SectorSize: 512  HwMaxSectors: 16384
//	        TCM FILEIO ID: 0        File: /srv/w1.img  Size: 2097152  Mode: Buffered-WCE Async: 0
func parseSize(info string) int64 {
	const label = "  Size: "
	i := strings.LastIndex(info, label)
	if i < 0 {
		return 0
	}
	digits, _, _ := strings.Cut(info[i+len(label):], " ")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// parseSerial reads wwn/vpd_unit_serial:
//
//	T10 VPD Unit Serial Number: 3f1c…
func parseSerial(text string) string {
	_, serial, _ := strings.Cut(text, ": ")
	return strings.TrimSpace(serial)
}
