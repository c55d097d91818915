//go:build liovm_guest

package lio

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// keys are negotiated by LIO one by one: unlike tgtd it ends a login that leaves
// one of them without a word. They are the defaults of RFC 7143, 13.
var keys = []string{
	"SessionType=Normal", "HeaderDigest=None", "DataDigest=None", "MaxConnections=1", "InitialR2T=Yes",
	"ImmediateData=Yes", "MaxBurstLength=262144", "FirstBurstLength=65536", "DefaultTime2Wait=2",
	"DefaultTime2Retain=20", "MaxOutstandingR2T=1", "DataPDUInOrder=Yes", "DataSequenceInOrder=Yes",
	"ErrorRecoveryLevel=0", "MaxRecvDataSegmentLength=8192",
}

// logIn opens a session (RFC 7143, 11.12) that does nothing; the function ends it.
func logIn(portal, iqn, initiator string) (logout func(), err error) {
	conn, err := net.DialTimeout("tcp", portal, time.Minute)
	if err != nil {
		return nil, err
	}
	if err := negotiate(conn, iqn, initiator); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("log in to %s as %s: %w", iqn, initiator, err)
	}
	return func() { _ = conn.Close() }, nil
}

func negotiate(conn net.Conn, iqn, initiator string) error {
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	all := append([]string{"InitiatorName=" + initiator, "TargetName=" + iqn}, keys...)
	body := strings.Join(all, "\x00") + "\x00"
	pdu := make([]byte, 48, 1024)
	pdu[0], pdu[1] = 0x43, 0x87 // login, from operational negotiation to the full feature phase
	binary.BigEndian.PutUint32(pdu[4:], uint32(len(body)))
	pdu[8] = 0x80 // a random ISID
	binary.BigEndian.PutUint32(pdu[9:], uint32(time.Now().UnixNano()))
	binary.BigEndian.PutUint32(pdu[24:], 1)
	pdu = append(pdu, body...)
	pdu = append(pdu, make([]byte, -len(body)&3)...)
	if _, err := conn.Write(pdu); err != nil {
		return err
	}
	answer := make([]byte, 48)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	if answer[0] != 0x23 || answer[36] != 0 || answer[1]&0x87 != 0x87 {
		return fmt.Errorf("answered with opcode %#x, flags %#x, status %02x%02x", answer[0], answer[1], answer[36], answer[37])
	}
	return nil
}
