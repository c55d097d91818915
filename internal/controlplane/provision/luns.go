package provision

import (
	"context"

	"ipxe-all-ready/internal/api"
	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/image"
	"ipxe-all-ready/internal/iscsi"
	"ipxe-all-ready/internal/netboot"
)

// Targets lists what a node's iSCSI server shows, foreign targets included.
func (s *Service) Targets(ctx context.Context, id netboot.AgentID) ([]api.Target, error) {
	a, err := findAgent(s.snapshot(), id)
	if err != nil {
		return nil, err
	}
	return s.o.Folder(a).Targets(ctx)
}

// DirectDisk is a disk made on a node for no worker. Exactly one of Master and
// Size is set.
type DirectDisk struct {
	Agent  netboot.AgentID
	IQN    iscsi.IQN
	File   image.Name // zero: the node names it after the IQN
	Master image.Name
	Size   string // as it was written; checked by image.ParseSize
	Client string
}

// CreateTarget makes a disk on a node; the ledger does not hear of it.
func (s *Service) CreateTarget(ctx context.Context, d DirectDisk) (made api.LUNCreated, err error) {
	a, err := s.holder(d.Agent, diskRole)
	if err != nil {
		return made, err
	}
	f := audit.Fields{Agent: d.Agent.String(), Client: d.Client,
		Extra: given("iqn", d.IQN.String(), "filename", d.File.String(), "master", d.Master.String(), "size", d.Size)}
	err = s.direct(ctx, audit.OpLUNCreateDisk, f, func(ctx context.Context) error {
		made, err = s.o.Dial(a).CreateDisk(ctx, api.CreateLUN{
			IQN: d.IQN.String(), Filename: d.File.String(), Master: d.Master.String(), Size: d.Size,
		})
		return err
	})
	return made, err
}

// DirectCD is an ISO exported for no worker.
type DirectCD struct {
	Agent  netboot.AgentID
	ISO    image.Name
	IQN    iscsi.IQN // zero: the node names it after the ISO
	Client string
}

// CreateCDTarget exports an ISO on a node; the ledger does not hear of it.
func (s *Service) CreateCDTarget(ctx context.Context, d DirectCD) (made api.LUNCreated, err error) {
	a, err := s.holder(d.Agent, cdRole)
	if err != nil {
		return made, err
	}
	f := audit.Fields{Agent: d.Agent.String(), Client: d.Client, Extra: given("iso", d.ISO.String(), "iqn", d.IQN.String())}
	err = s.direct(ctx, audit.OpLUNCreateCD, f, func(ctx context.Context) error {
		made, err = s.o.Dial(a).CreateCD(ctx, api.CreateCD{ISO: d.ISO.String(), IQN: d.IQN.String()})
		return err
	})
	return made, err
}

// DeleteTarget removes a target of a node, whoever's it is: this is how a
// person clears what no ledger names. ignored reports that there was none and
// that this was to be passed over.
func (s *Service) DeleteTarget(ctx context.Context, id netboot.AgentID, iqn iscsi.IQN, r Removal) (ignored bool, err error) {
	a, err := findAgent(s.snapshot(), id)
	if err != nil {
		return false, err
	}
	f := audit.Fields{Agent: id.String(), Client: r.Client, Extra: map[string]any{
		"iqn": iqn.String(), "delete_file": r.DeleteFile, "ignore_missing": r.IgnoreMissing, "force": r.Force,
	}}
	err = s.direct(ctx, audit.OpLUNDelete, f, func(ctx context.Context) error {
		err := s.o.Dial(a).DeleteLUN(ctx, iqn.String(), r.DeleteFile, r.Force)
		if ignored = r.IgnoreMissing && fault.Is(err, fault.NotFound); ignored {
			return nil
		}
		return err
	})
	return ignored, err
}

// Scan makes a node export every image that has no target.
func (s *Service) Scan(ctx context.Context, id netboot.AgentID, client string) (out api.Scan, err error) {
	a, err := findAgent(s.snapshot(), id)
	if err != nil {
		return out, err
	}
	err = s.direct(ctx, audit.OpLUNScan, audit.Fields{Agent: id.String(), Client: client}, func(ctx context.Context) error {
		out, err = s.o.Folder(a).Scan(ctx)
		return err
	})
	return out, err
}

// direct is an audited change at a node that no ledger hears of.
func (s *Service) direct(ctx context.Context, what audit.Op, f audit.Fields, change func(context.Context) error) error {
	op, err := s.begin(ctx, what, f)
	if err != nil {
		return err
	}
	return op.end(ctx, change(detached(ctx)), nil)
}

// holder is a node that the inventory lets hold this kind of target.
func (s *Service) holder(id netboot.AgentID, r role) (*ledger.Agent, error) {
	a, err := findAgent(s.snapshot(), id)
	if err == nil {
		err = r.check(a)
	}
	return a, err
}

// given are the named members that are not empty.
func given(pairs ...string) map[string]any {
	m := make(map[string]any)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			m[pairs[i]] = pairs[i+1]
		}
	}
	return m
}
