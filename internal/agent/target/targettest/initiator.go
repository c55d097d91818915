package targettest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// Initiator is one iSCSI session that stays logged in, no more: enough to be
// seen as a session, and to tell whether the server still keeps it.
type Initiator struct {
	conn   net.Conn
	cmdSN  uint32
	statSN uint32
}

// answerTime bounds each exchange with the server.
const answerTime = 10 * time.Second

const pduHead = 48

// Login opens a session at portal (RFC 7143, 11.12) straight into the full
// feature phase, without authentication.
func Login(portal, iqn, initiator string) (*Initiator, error) {
	conn, err := net.DialTimeout("tcp", portal, answerTime)
	if err != nil {
		return nil, err
	}
	i := &Initiator{conn: conn, cmdSN: 1}
	if err := i.login(iqn, initiator); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("log in to %s as %s: %w", iqn, initiator, err)
	}
	return i, nil
}

// The stages of a login: operational negotiation, then full feature.
const (
	loginRequest  = 0x40 | 0x03
	loginResponse = 0x23
	toFullFeature = 0x80 | 1<<2 | 3
)

func (i *Initiator) login(iqn, initiator string) error {
	var keys bytes.Buffer
	for _, kv := range []string{
		"InitiatorName=" + initiator, "TargetName=" + iqn, "SessionType=Normal",
		"HeaderDigest=None", "DataDigest=None",
	} {
		keys.WriteString(kv + "\x00")
	}
	head := make([]byte, pduHead)
	head[0], head[1] = loginRequest, toFullFeature
	head[8] = 0x80 // a random ISID
	binary.BigEndian.PutUint32(head[9:], uint32(time.Now().UnixNano()))
	binary.BigEndian.PutUint32(head[24:], i.cmdSN)
	answer, err := i.exchange(head, keys.Bytes(), loginResponse)
	if err != nil {
		return err
	}
	if class, detail := answer[36], answer[37]; class != 0 {
		return fmt.Errorf("refused with status %02x%02x", class, detail)
	}
	if answer[1]&toFullFeature != toFullFeature {
		return fmt.Errorf("login stopped in stage %#x", answer[1])
	}
	return nil
}

// Ping does one NOP-Out and waits for its NOP-In: the session lives.
func (i *Initiator) Ping() error {
	head := make([]byte, pduHead)
	head[0], head[1] = 0x40, 0x80
	binary.BigEndian.PutUint32(head[16:], 7)          // our task tag: an answer is wanted
	binary.BigEndian.PutUint32(head[20:], 0xffffffff) // not an answer to the server's
	binary.BigEndian.PutUint32(head[24:], i.cmdSN)
	binary.BigEndian.PutUint32(head[28:], i.statSN+1)
	for {
		answer, err := i.exchange(head, nil, 0x20)
		if err != nil {
			return err
		}
		if binary.BigEndian.Uint32(answer[16:]) == 7 {
			return nil
		}
		// The server's own NOP-In came first; the answer to ours follows it.
		head = nil
	}
}

// Close drops the connection; the server ends the session with it.
func (i *Initiator) Close() { _ = i.conn.Close() }

// exchange sends one PDU, if any, and reads one of the wanted kind.
func (i *Initiator) exchange(head, body []byte, want byte) ([]byte, error) {
	if err := i.conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return nil, err
	}
	if head != nil {
		head[5], head[6], head[7] = byte(len(body)>>16), byte(len(body)>>8), byte(len(body))
		pdu := append(head, body...)
		for len(pdu)%4 != 0 {
			pdu = append(pdu, 0)
		}
		if _, err := i.conn.Write(pdu); err != nil {
			return nil, err
		}
	}
	answer := make([]byte, pduHead)
	if _, err := io.ReadFull(i.conn, answer); err != nil {
		return nil, err
	}
	length := int64(answer[5])<<16 | int64(answer[6])<<8 | int64(answer[7])
	if _, err := io.CopyN(io.Discard, i.conn, (length+3)&^3); err != nil {
		return nil, err
	}
	i.statSN = binary.BigEndian.Uint32(answer[24:])
	if got := answer[0] & 0x3f; got != want {
		return nil, fmt.Errorf("the server answered with opcode %#x, not %#x", got, want)
	}
	return answer, nil
}
