package targettest

import (
	"encoding/binary"
	"net"
	"testing"
)

// A server drops who leaves its pings without an answer; a test that takes long
// must not lose its session for that.
func TestASessionAnswersTheServersPingsAndGetsItsOwnAnswered(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	answered := make(chan uint32, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		server := Initiator{conn: conn} // which reads and sends as the other side does
		if _, err := server.receive(); err != nil {
			return
		}
		_ = server.send(append([]byte{loginResponse, toFullFeature}, make([]byte, pduHead-2)...), nil)
		_ = server.send(fromServer(noTag, 42), nil)
		for {
			pdu, err := server.receive()
			if err != nil {
				return
			}
			if tag := binary.BigEndian.Uint32(pdu[16:]); tag == ours {
				_ = server.send(fromServer(ours, noTag), nil)
			} else {
				answered <- binary.BigEndian.Uint32(pdu[20:])
			}
		}
	}()
	i, err := Login(ln.Addr().String(), "iqn.2026-07.com.targettest:disk", initiator)
	if err != nil {
		t.Fatal(err)
	}
	if got := <-answered; got != 42 {
		t.Errorf("the server's ping 42 was answered as %d", got)
	}
	if err := i.Ping(); err != nil {
		t.Error(err)
	}
	i.Close()
	if err := i.Ping(); err == nil {
		t.Error("a closed session was answered")
	}
}

func fromServer(tag, server uint32) []byte {
	pdu := make([]byte, pduHead)
	pdu[0], pdu[1] = nopIn, 0x80
	binary.BigEndian.PutUint32(pdu[16:], tag)
	binary.BigEndian.PutUint32(pdu[20:], server)
	return pdu
}
