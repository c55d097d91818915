package targettest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Initiator is one iSCSI session that stays logged in, no more: enough to be
// seen as a session, and to tell whether the server still keeps it. It answers
// the server's pings, as a server drops a session that leaves some of them without
// an answer.
type Initiator struct {
	conn    net.Conn
	pongs   chan struct{} // one for each answered Ping
	ended   chan struct{} // closed with the session
	because error         // why it ended; read when it has

	mu     sync.Mutex // of writing
	cmdSN  uint32
	statSN uint32
}

// answerTime bounds each exchange with the server.
const answerTime = time.Minute

const pduHead = 48

// Login opens a session at portal (RFC 7143, 11.12) straight into the full
// feature phase, without authentication.
func Login(portal, iqn, initiator string) (*Initiator, error) {
	conn, err := net.DialTimeout("tcp", portal, answerTime)
	if err != nil {
		return nil, err
	}
	i := &Initiator{conn: conn, cmdSN: 1, pongs: make(chan struct{}, 1), ended: make(chan struct{})}
	if err := i.login(iqn, initiator); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("log in to %s as %s: %w", iqn, initiator, err)
	}
	go i.listen()
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
	if err := errors.Join(i.conn.SetDeadline(time.Now().Add(answerTime)), i.send(head, keys.Bytes())); err != nil {
		return err
	}
	answer, err := i.receive()
	if err != nil {
		return err
	}
	if got := answer[0] & 0x3f; got != loginResponse {
		return fmt.Errorf("the server answered with opcode %#x, not %#x", got, loginResponse)
	}
	if class, detail := answer[36], answer[37]; class != 0 {
		return fmt.Errorf("refused with status %02x%02x", class, detail)
	}
	if answer[1]&toFullFeature != toFullFeature {
		return fmt.Errorf("login stopped in stage %#x", answer[1])
	}
	i.statSN = binary.BigEndian.Uint32(answer[24:])
	return i.conn.SetDeadline(time.Time{})
}

// The pings of both sides, and the tag of one that wants no answer.
const (
	nopOut = 0x40 // at once
	nopIn  = 0x20
	noTag  = 0xffffffff
	ours   = 7
)

// Ping does one NOP-Out and waits for its NOP-In: the session lives.
func (i *Initiator) Ping() error {
	if err := i.nop(ours, noTag, nil); err != nil {
		return err
	}
	select {
	case <-i.pongs:
		return nil
	case <-i.ended:
		return i.because
	case <-time.After(answerTime):
		return errors.New("the server does not answer a ping")
	}
}

// nop is one NOP-Out, with a tag of ours or the server's; lun is the one that its
// ping named.
func (i *Initiator) nop(tag, server uint32, lun []byte) error {
	head := make([]byte, pduHead)
	head[0], head[1] = nopOut, 0x80
	copy(head[8:16], lun)
	binary.BigEndian.PutUint32(head[16:], tag)
	binary.BigEndian.PutUint32(head[20:], server)
	i.mu.Lock()
	defer i.mu.Unlock()
	binary.BigEndian.PutUint32(head[24:], i.cmdSN)
	binary.BigEndian.PutUint32(head[28:], i.statSN+1)
	return i.send(head, nil)
}

// listen takes what the server sends until the session's end.
func (i *Initiator) listen() {
	defer close(i.ended)
	for i.because == nil {
		var pdu []byte
		if pdu, i.because = i.receive(); i.because == nil {
			i.because = i.take(pdu)
		}
	}
}

func (i *Initiator) take(pdu []byte) error {
	if got := pdu[0] & 0x3f; got != nopIn {
		return fmt.Errorf("the server sent opcode %#x, not %#x", got, nopIn)
	}
	if server := binary.BigEndian.Uint32(pdu[20:]); server != noTag {
		return i.nop(noTag, server, pdu[8:16])
	}
	i.mu.Lock()
	i.statSN = binary.BigEndian.Uint32(pdu[24:])
	i.mu.Unlock()
	i.pongs <- struct{}{}
	return nil
}

// Close drops the connection; the server ends the session with it.
func (i *Initiator) Close() { _ = i.conn.Close() }

func (i *Initiator) send(head, body []byte) error {
	head[5], head[6], head[7] = byte(len(body)>>16), byte(len(body)>>8), byte(len(body))
	pdu := append(head, body...)
	for len(pdu)%4 != 0 {
		pdu = append(pdu, 0)
	}
	_, err := i.conn.Write(pdu)
	return err
}

// receive reads one PDU and gives its head.
func (i *Initiator) receive() ([]byte, error) {
	head := make([]byte, pduHead)
	if _, err := io.ReadFull(i.conn, head); err != nil {
		return nil, err
	}
	length := int64(head[5])<<16 | int64(head[6])<<8 | int64(head[7])
	_, err := io.CopyN(io.Discard, i.conn, (length+3)&^3)
	return head, err
}
