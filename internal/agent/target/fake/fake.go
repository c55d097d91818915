// Package fake is an iSCSI server that lives in memory, for the tests of what
// stands on a target.Backend. It passes the same suite as the real ones.
package fake

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/iscsi"
)

// Backend is one server.
type Backend struct {
	traits target.Traits

	mu      sync.Mutex
	life    int
	fault   error
	refuse  map[string]error
	targets []target.Target
}

// New is a running server without targets.
func New() *Backend {
	return &Backend{
		traits: target.Traits{Name: "stgt", LUN: 1, CD: true, Linger: 50 * time.Millisecond},
		refuse: map[string]error{},
	}
}

// NewWith is a server with other traits.
func NewWith(t target.Traits) *Backend {
	b := New()
	b.traits = t
	return b
}

// Traits of the server.
func (b *Backend) Traits() target.Traits { return b.traits }

// List copies what stands.
func (b *Backend) List(context.Context) ([]target.Target, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fault != nil {
		return nil, b.fault
	}
	out := slices.Clone(b.targets)
	for i := range out {
		out[i].LUNs = slices.Clone(out[i].LUNs)
		out[i].Sessions = slices.Clone(out[i].Sessions)
		out[i].ACL = slices.Clone(out[i].ACL)
		for j := range out[i].LUNs {
			if st, err := os.Stat(out[i].LUNs[j].Backing); err == nil {
				out[i].LUNs[j].Size = st.Size()
			}
		}
	}
	return out, nil
}

// Ensure as the contract has it.
func (b *Backend) Ensure(_ context.Context, exports []target.Export) []target.Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	results := make([]target.Result, len(exports))
	for i, e := range exports {
		results[i].Created, results[i].Err = b.ensure(e)
	}
	return results
}

func (b *Backend) ensure(e target.Export) (bool, error) {
	if b.fault != nil {
		return false, b.fault
	}
	if err := b.refuse[e.IQN.String()]; err != nil {
		return false, err
	}
	who := "ALL"
	if !e.Initiator.IsZero() {
		who = e.Initiator.String()
	}
	if i := b.index(e.IQN.String()); i >= 0 {
		if l, ok := b.targets[i].Image(); ok && l.Backing != e.Backing {
			return false, target.OtherBacking(e, l.Backing)
		}
		changed := !slices.Equal(b.targets[i].ACL, []string{who})
		b.targets[i].ACL = []string{who}
		return changed, nil
	}
	if st, err := os.Stat(e.Backing); err != nil || !st.Mode().IsRegular() {
		return false, fault.New(fault.Internal, "server: no such file: %s", e.Backing)
	}
	kind := target.TypeDisk
	if e.CD {
		kind = target.TypeCD
	}
	t := target.Target{Name: e.IQN.String(), ACL: []string{who},
		LUNs: []target.LUN{{Number: b.traits.LUN, Type: kind, Backing: e.Backing, Serial: e.Serial()}}}
	if b.traits.LUN != 0 { // as stgt has it
		t.TID = b.freeTID()
		t.LUNs = append([]target.LUN{{Number: 0, Type: "controller"}}, t.LUNs...)
	}
	b.targets = append(b.targets, t)
	return true, nil
}

func (b *Backend) freeTID() int {
	id := 1
	for slices.ContainsFunc(b.targets, func(t target.Target) bool { return t.TID == id }) {
		id++
	}
	return id
}

// Remove as the contract has it.
func (b *Backend) Remove(_ context.Context, iqn iscsi.IQN, force bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fault != nil {
		return b.fault
	}
	i := b.index(iqn.String())
	if i < 0 {
		return nil
	}
	if names := b.targets[i].Initiators(); len(names) > 0 && !force {
		return target.InUse(iqn, names)
	}
	b.targets = slices.Delete(b.targets, i, i+1)
	return nil
}

// Ping answers with the number of crashes so far.
func (b *Backend) Ping(context.Context) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strconv.Itoa(b.life), b.fault
}

func (b *Backend) index(name string) int {
	return slices.IndexFunc(b.targets, func(t target.Target) bool { return t.Name == name })
}

// Crash forgets every target, as tgtd does when it is restarted.
func (b *Backend) Crash() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.life++
	b.targets = nil
}

// Fail makes every call answer err, until it is nil.
func (b *Backend) Fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = err
}

// Refuse makes Ensure of one IQN answer err.
func (b *Backend) Refuse(iqn string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse[iqn] = err
}

// Add puts a target there that the agent did not make.
func (b *Backend) Add(t target.Target) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.TID = b.freeTID()
	b.targets = append(b.targets, t)
}

// Login opens a session; the function ends it.
func (b *Backend) Login(iqn, initiator string) (logout func(), err error) {
	return b.LoginFrom(iqn, target.Session{Initiator: initiator, Address: "192.0.2.7"})
}

// LoginFrom is Login from another address.
func (b *Backend) LoginFrom(iqn string, who target.Session) (logout func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.index(iqn)
	if i < 0 {
		return nil, fmt.Errorf("target %s not found", iqn)
	}
	acl := b.targets[i].ACL
	if !slices.Contains(acl, "ALL") && !slices.Contains(acl, who.Initiator) {
		return nil, fmt.Errorf("target %s does not admit %s", iqn, who.Initiator)
	}
	b.targets[i].Sessions = append(b.targets[i].Sessions, who)
	return func() { b.logout(iqn, who) }, nil
}

func (b *Backend) logout(iqn string, who target.Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.index(iqn)
	if i < 0 {
		return
	}
	s := b.targets[i].Sessions
	if j := slices.Index(s, who); j >= 0 {
		b.targets[i].Sessions = slices.Delete(s, j, j+1)
	}
}
