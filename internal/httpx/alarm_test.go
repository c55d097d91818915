package httpx

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// pair is a connection with alarms and the other end of it.
func pair(t *testing.T, l limits) (*conn, net.Conn) {
	t.Helper()
	ln := listen(t)
	defer ln.Close()
	there := dial(t, ln)
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return newConn(c, l, func() {}), there
}

// read reports whether the deadline ended it.
func read(t *testing.T, c net.Conn) (ended bool) {
	t.Helper()
	n, err := c.Read(make([]byte, 1))
	if n == 0 && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("neither read nor timed out: %v", err)
	}
	return err != nil
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }

func TestADeadlineEndsAReadHoweverItCameAbout(t *testing.T) {
	past := time.Unix(1, 0)
	for name, moves := range map[string][]time.Time{
		"at once":                     {in(20 * time.Millisecond)},
		"moved nearer":                {in(time.Hour), in(20 * time.Millisecond)},
		"moved away":                  {in(time.Millisecond), in(30 * time.Millisecond)},
		"stopped and set":             {in(time.Hour), {}, in(20 * time.Millisecond)},
		"in the past":                 {in(time.Hour), past},
		"past, stopped and set":       {past, {}, in(20 * time.Millisecond)},
		"past and set":                {past, in(20 * time.Millisecond)},
		"as often as a request does":  {in(time.Hour), {}, in(time.Minute), in(time.Hour), past, {}, in(20 * time.Millisecond)},
		"where a timer waits already": {past, {}, in(50 * time.Millisecond)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := pair(t, limits{header: 40 * time.Millisecond, stall: time.Minute})
			for _, m := range moves {
				if err := c.SetReadDeadline(m); err != nil {
					t.Fatal(err)
				}
			}
			last := moves[len(moves)-1]
			if !read(t, c) || time.Now().Before(last) {
				t.Errorf("it ended %v before its deadline", time.Until(last))
			}
			if !read(t, c) {
				t.Error("the next read went on")
			}
		})
	}
}

func TestAReadWithoutADeadlineOutlivesTheOneBefore(t *testing.T) {
	for name, moves := range map[string][]time.Time{
		"never one": {}, "stopped": {in(10 * time.Millisecond), {}}, "past and stopped": {time.Unix(1, 0), {}},
		"later": {in(10 * time.Millisecond), in(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, there := pair(t, limits{header: 10 * time.Millisecond, stall: time.Minute})
			for _, m := range moves {
				if err := c.SetReadDeadline(m); err != nil {
					t.Fatal(err)
				}
			}
			time.AfterFunc(100*time.Millisecond, func() { _, _ = there.Write([]byte("x")) })
			if read(t, c) {
				t.Error("it timed out")
			}
		})
	}
}

func TestABlockedReadIsEndedFromElsewhere(t *testing.T) {
	c, _ := pair(t, limits{header: time.Hour, stall: time.Minute})
	if err := c.SetReadDeadline(in(time.Hour)); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })
	if !read(t, c) {
		t.Error("it went on")
	}
}

func TestAReaderThatTakesAPieceInEachStallGetsAll(t *testing.T) {
	t.Parallel()
	const stall = 2 * time.Second // the reader of a busy machine is late
	c, there := pair(t, limits{header: time.Hour, stall: stall})
	_ = there.(*net.TCPConn).SetReadBuffer(16 << 10)
	_ = c.Conn.(*net.TCPConn).SetWriteBuffer(16 << 10)
	const pieces = 24
	got := make(chan int, 1)
	go func() {
		b, n := make([]byte, piece), 0
		for n < pieces*piece {
			m, err := there.Read(b)
			if n += m; err != nil {
				break
			}
			if n%piece < m {
				time.Sleep(stall / 8) // so that all takes much longer than one stall
			}
		}
		got <- n
	}()
	if n, err := c.Write(make([]byte, pieces*piece)); n != pieces*piece || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n := <-got; n != pieces*piece {
		t.Errorf("%d bytes arrived", n)
	}
}

// The kernel lets its buffer grow to megabytes for one that reads fast at first,
// and tells of room in it only when a third of that is free.
func TestAReaderThatBecomesSlowIsNotTakenForOneThatTakesNothing(t *testing.T) {
	t.Parallel()
	const stall, pieces = 2 * time.Second, 90 // the reader of a busy machine is late
	c, there := pair(t, limits{header: time.Hour, stall: stall})
	time.Sleep(stall - 10*time.Millisecond) // so that the timer rings early in the write
	got := make(chan int, 1)
	go func() {
		tick := time.NewTicker(stall / 12)
		defer tick.Stop()
		b, n := make([]byte, piece), 0
		for n < pieces*piece {
			<-tick.C
			m, err := io.ReadFull(there, b)
			if n += m; err != nil {
				break
			}
		}
		got <- n
	}()
	if n, err := c.Write(make([]byte, pieces*piece)); n != pieces*piece || err != nil {
		t.Errorf("%d bytes, %v", n, err)
		c.Close()
	}
	if n := <-got; n != pieces*piece {
		t.Errorf("%d bytes arrived", n)
	}
}

// blocked is a connection whose other end has taken all that it will.
func blocked(t *testing.T, l limits) *conn {
	t.Helper()
	c, there := pair(t, l)
	_ = there.(*net.TCPConn).SetReadBuffer(4 << 10)
	_ = c.Conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
	for begun := time.Now(); time.Since(begun) < 100*time.Millisecond; {
		_ = c.Conn.SetWriteDeadline(in(10 * time.Millisecond))
		if _, err := c.Conn.Write(make([]byte, 4<<10)); err == nil {
			begun = time.Now()
		}
	}
	return c
}

// brim is a connection in whose buffer the kernel finds a little room when it is
// asked again, and whose client takes nothing.
type brim struct {
	net.Conn
	room  []int // at each asking, in bytes
	asked int
}

func (b *brim) SetWriteDeadline(time.Time) error { return nil }
func (b *brim) SetReadDeadline(time.Time) error  { return nil }

func (b *brim) Write(p []byte) (int, error) {
	if room := &b.room[min(b.asked, len(b.room)-1)]; *room >= len(p) {
		*room -= len(p)
		return len(p), nil
	} else {
		b.asked++
		return *room, os.ErrDeadlineExceeded
	}
}

func TestALittleRoomIsNotForgottenWithThePieceThatItFills(t *testing.T) {
	b := &brim{room: []int{2*piece - 4<<10, 4 << 10, 0}}
	n, err := newConn(b, limits{header: time.Hour, stall: time.Hour}, func() {}).Write(make([]byte, 1<<20))
	if b.asked != 2 || n != 2*piece || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes and %v after %d stalls, want %d after 2", n, err, b.asked, 2*piece)
	}
}

func TestAHandlersOwnDeadlineCountsWhereItIsSooner(t *testing.T) {
	for name, x := range map[string]struct{ stall, own, least, most time.Duration }{
		"none":           {100 * time.Millisecond, 0, 100 * time.Millisecond, 20 * time.Second},
		"sooner":         {time.Hour, 100 * time.Millisecond, 100 * time.Millisecond, 20 * time.Second},
		"later":          {100 * time.Millisecond, time.Hour, 100 * time.Millisecond, 20 * time.Second},
		"passed already": {100 * time.Millisecond, -time.Second, 100 * time.Millisecond, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := blocked(t, limits{header: time.Hour, stall: x.stall})
			begun := time.Now()
			if x.own != 0 {
				if err := c.SetWriteDeadline(in(x.own)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.Write(make([]byte, 1<<20))
			if took := time.Since(begun); !errors.Is(err, os.ErrDeadlineExceeded) || took < x.least || took > x.most {
				t.Errorf("%v after %v", err, took)
			}
		})
	}
}

func TestADeadlineOfAnAnswerBeforeIsNotThatOfTheNext(t *testing.T) {
	for name, own := range map[string]time.Time{"passed": in(10 * time.Millisecond), "long ago": time.Unix(1, 0)} {
		t.Run(name, func(t *testing.T) {
			c, _ := pair(t, limits{header: time.Hour, stall: time.Minute})
			if err := c.SetWriteDeadline(own); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
			if _, err := c.Write([]byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each winding is a timer of the runtime; net/http moves the deadline six times
// a request.
func TestTheTimerIsWoundSeldom(t *testing.T) {
	wound := 0
	a := newAlarm(func(time.Time) error { wound++; return nil }, time.Minute)
	for range 100 {
		for _, m := range []time.Time{in(time.Hour), {}, in(time.Minute), in(2 * time.Minute), time.Unix(1, 0), {}} {
			if err := a.at(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if wound > 201 { // into the past and back to where it was
		t.Errorf("wound %d times", wound)
	}
}
