package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"syscall"
	"time"
)

// Crowd is a number of machines that boot from one control plane.
type Crowd struct {
	URL      string                  // of the control plane
	Hostname func(mac string) string // what DHCP says, "" for nothing
	Firmware time.Duration           // from reset to the question, about
	Run      time.Duration           // a machine with a disk runs about that long, then reboots
	Tally    *Tally

	machines []*machine
	owners   sync.Map // name → MAC
	client   *http.Client
}

type addressKey struct{}

// NewCrowd makes n machines, all of them off.
func NewCrowd(n int) *Crowd {
	c := &Crowd{
		Hostname: func(string) string { return "" },
		Firmware: 15 * time.Second, Run: time.Minute, Tally: NewTally(),
		// iPXE opens a connection for each request.
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: dial}},
	}
	for i := range n {
		c.machines = append(c.machines, newMachine(i))
	}
	return c
}

// dial comes from the asking machine's address.
func dial(ctx context.Context, network, to string) (net.Conn, error) {
	from, _ := ctx.Value(addressKey{}).(net.IP)
	return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).DialContext(ctx, network, to)
}

// PowerOn switches all machines on, spread evenly over within; they live until
// ctx ends. It returns at once; named is closed when each was told its name, and
// off when all have ended.
func (c *Crowd) PowerOn(ctx context.Context, within time.Duration) (named, off <-chan struct{}) {
	var told, living sync.WaitGroup
	for i, m := range c.machines {
		told.Add(1)
		living.Go(func() {
			once := sync.OnceFunc(told.Done)
			defer once()
			if pause(ctx, within*time.Duration(i)/time.Duration(len(c.machines))) {
				m.live(ctx, c, once)
			}
		})
	}
	return closed(told.Wait), closed(living.Wait)
}

func closed(wait func()) <-chan struct{} {
	ch := make(chan struct{})
	go func() { wait(); close(ch) }()
	return ch
}

// Names are the machines' names by MAC, as they were told.
func (c *Crowd) Names() map[string]string {
	names := map[string]string{}
	for _, m := range c.machines {
		if name := m.name.Load(); name != nil {
			names[m.mac] = *name
		}
	}
	return names
}

// claim returns the MAC that was told a name first.
func (c *Crowd) claim(name, mac string) string {
	first, _ := c.owners.LoadOrStore(name, mac)
	return first.(string)
}

type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

var errNoScript = errors.New("an answer that is no script")

// ask is one question of a machine.
func (c *Crowd) ask(ctx context.Context, m *machine, hostname string) (script, error) {
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, addressKey{}, m.address), askTimeout)
	defer cancel()
	question := url.Values{"mac": {m.mac}, "hostname": {hostname}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/boot-vars?"+question.Encode(), nil)
	if err != nil {
		return script{}, err
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return script{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return script{}, err
	case resp.StatusCode != http.StatusOK:
		return script{}, statusError(resp.StatusCode)
	}
	s, ok := read(string(body))
	if !ok {
		return s, errNoScript
	}
	return s, nil
}

// kindOf is an error in words that many machines share.
func kindOf(err error) string {
	var status statusError
	switch {
	case errors.As(err, &status):
		return status.Error()
	case errors.Is(err, errNoScript):
		return errNoScript.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer in " + askTimeout.String()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection cut"
	}
	return "no connection"
}
