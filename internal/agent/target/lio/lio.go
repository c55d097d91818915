// Package lio drives LIO, the Linux kernel's iSCSI target, through the files of
// configfs: no program and no other configuration. The kernel keeps all of the
// state, so this package keeps none.
//
// What it makes for one export, N and NAME being derived from the IQN:
//
//	core/fileio_N/NAME                     backstore: the image file
//	iscsi/IQN/tpgt_1/lun/lun_0/NAME        link to it
//	iscsi/IQN/tpgt_1/np/0.0.0.0:3260       portal, shared by all targets
//	iscsi/IQN/tpgt_1/acls/INITIATOR/lun_0  where only one may log in
//
// The backstore is made first and removed last. So a target is ours exactly
// when it has our backstore, however far its making or removal had got when the
// power failed, and what others made is never changed.
package lio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"ipxe-all-ready/internal/agent/target"
	"ipxe-all-ready/internal/fault"
)

// Options of a Backend.
type Options struct {
	Root     string // of the kernel's target tree; empty is DefaultRoot
	Portal   string // address:port that targets are served at; empty is DefaultPortal
	Parallel int    // targets made at the same time in one Ensure; zero is 4
	Sync     bool   // every write waits for the medium; see storeAttributes
}

// Where LIO is by default, and where its targets are served.
const (
	DefaultRoot   = "/sys/kernel/config/target"
	DefaultPortal = "0.0.0.0:3260"
)

// Backend is this host's LIO.
type Backend struct {
	o  Options
	fs tree

	hba  sync.Mutex // held while an HBA number is taken or given back
	port sync.Mutex // held while a portal is opened or closed: the port is taken while its last one closes
}

// New touches nothing.
func New(o Options) *Backend {
	if o.Root == "" {
		o.Root = DefaultRoot
	}
	if o.Portal == "" {
		o.Portal = DefaultPortal
	}
	if o.Parallel == 0 {
		o.Parallel = 4
	}
	return &Backend{o: o, fs: mounted(o.Root)}
}

// Traits of LIO. Its targets live in the kernel: no restart of a program takes
// them away.
func (b *Backend) Traits() target.Traits {
	return target.Traits{Name: "lio", LUN: 0, Persistent: true, Sizes: true, Linger: linger}
}

// linger is the kernel's nopin_timeout and nopin_response_timeout, 15 and 30 s,
// and a while.
const linger = 50 * time.Second

// Ping succeeds when the kernel's iSCSI target is there. Its life is that of the
// fabric's folder: it is made anew when the module was unloaded.
func (b *Backend) Ping(context.Context) (string, error) {
	if err := b.fabric(); err != nil {
		return "", err
	}
	life, err := b.fs.Identity(fabricDir)
	return life, step(err, "look at the iscsi fabric")
}

// fabric makes sure that the iSCSI fabric is registered: making its folder loads
// the kernel's module. On a host without targetcli nobody else does.
func (b *Backend) fabric() error {
	if _, err := b.fs.Identity(fabricDir); err == nil {
		return nil
	}
	if _, err := b.fs.Identity(coreDir); err != nil {
		return fault.Wrap(fault.Unavailable, err,
			"the kernel's target is not at %s: is configfs mounted and target_core_mod loaded?", b.o.Root)
	}
	if err := b.fs.Mkdir(fabricDir); err != nil && !errors.Is(err, fs.ErrExist) {
		return fault.Wrap(fault.Unavailable, err,
			"the kernel's target has no iscsi fabric (%s): is iscsi_target_mod installed?", words(err))
	}
	return nil
}

// step is a refusal of the kernel's, with its words and what it was asked.
func step(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Internal, err, "lio: %s: %s", fmt.Sprintf(format, args...), words(err))
}

// words are the kernel's own, without the path that the operation names anyway.
func words(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
