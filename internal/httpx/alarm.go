package httpx

import (
	"sync"
	"time"
)

// alarm is a connection's deadline, of reads or of writes, whose timer is
// seldom set. net/http moves a deadline six times a request; a timer of the
// runtime each time is a good part of what a machine's question costs beyond a
// bare handler's. So the timer waits where it may ring too early, and when it
// rings it is seen whether the deadline has come.
type alarm struct {
	wind  func(time.Time) error // sets the connection's own
	ahead time.Duration         // to where it is wound while there is no deadline

	mu    sync.Mutex
	want  time.Time // the deadline; zero: none
	wound time.Time // where the timer waits, or rang unheard
	ended bool      // who reads or writes is to be told at once; the timer is out
}

// started is before every deadline but those that end what is under way: for
// these net/http takes a time long ago.
var started = time.Now()

func newAlarm(wind func(time.Time) error, ahead time.Duration) *alarm {
	a := &alarm{wind: wind, ahead: ahead, wound: time.Now().Add(ahead)}
	_ = wind(a.wound) // of a connection that is gone the next use tells
	return a
}

// at moves the deadline to t, as net.Conn's SetDeadline; zero is none.
func (a *alarm) at(t time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.want = t
	switch {
	case !t.IsZero() && t.Before(started):
		a.ended = true
		return a.wind(t)
	case !t.IsZero() && t.Before(a.wound):
		a.wound = t
	case !a.ended:
		return nil
	}
	a.ended = false
	return a.wind(a.wound)
}

// due tells what a timeout means: that the deadline has come, or that the timer
// was early and is wound again.
func (a *alarm) due() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return true
	}
	now := time.Now()
	switch {
	case a.want.IsZero():
		a.wound = now.Add(a.ahead)
	case a.want.After(now):
		a.wound = a.want
	default:
		return true
	}
	return a.wind(a.wound) != nil
}

// forget lifts a deadline that has passed.
func (a *alarm) forget() error {
	a.mu.Lock()
	want := a.want
	a.mu.Unlock()
	if want.IsZero() || want.After(time.Now()) {
		return nil
	}
	return a.at(time.Time{})
}
