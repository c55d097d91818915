package provision

import (
	"context"

	"ipxe-all-ready/internal/controlplane/audit"
	"ipxe-all-ready/internal/controlplane/ledger"
	"ipxe-all-ready/internal/fault"
	"ipxe-all-ready/internal/netboot"
)

// RegisterAgent enters a node in the inventory. The node is not asked: a site
// may be written down before it runs.
func (s *Service) RegisterAgent(ctx context.Context, a *ledger.Agent, client string) error {
	if err := unlisted(s.snapshot(), a.ID); err != nil {
		return err
	}
	return s.changeAgent(ctx, audit.OpAgentRegister, entryFields(a, client), func(tx *ledger.Tx) error {
		if err := unlisted(tx, a.ID); err != nil {
			return err
		}
		tx.PutAgent(a)
		return nil
	})
}

func unlisted(in inventory, id netboot.AgentID) error {
	if _, ok := in.Agent(id); ok {
		return fault.New(fault.Exists, "agent %s exists", id)
	}
	return nil
}

// UpdateAgent replaces a node's entry; without a token the stored one stays.
func (s *Service) UpdateAgent(ctx context.Context, a *ledger.Agent, client string) error {
	if _, err := findAgent(s.snapshot(), a.ID); err != nil {
		return err
	}
	return s.changeAgent(ctx, audit.OpAgentUpdate, entryFields(a, client), func(tx *ledger.Tx) error {
		old, err := findAgent(tx, a.ID)
		if err != nil {
			return err
		}
		next := *a
		if next.Token.IsZero() {
			next.Token = old.Token
		}
		tx.PutAgent(&next)
		return nil
	})
}

// DeleteAgent takes a node out of the inventory. While a worker's disk or CD
// is on it that is refused: nobody could remove them any more.
func (s *Service) DeleteAgent(ctx context.Context, id netboot.AgentID, client string) error {
	if _, err := findAgent(s.snapshot(), id); err != nil {
		return err
	}
	if err := agentIdle(s.snapshot(), id); err != nil {
		return err
	}
	return s.changeAgent(ctx, audit.OpAgentDelete, audit.Fields{Agent: id.String(), Client: client}, func(tx *ledger.Tx) error {
		if _, err := findAgent(tx, id); err != nil {
			return err
		}
		if err := agentIdle(tx, id); err != nil {
			return err
		}
		tx.DeleteAgent(id)
		return nil
	})
}

// changeAgent is an audited change of the inventory.
func (s *Service) changeAgent(ctx context.Context, what audit.Op, f audit.Fields, change func(*ledger.Tx) error) error {
	op, err := s.begin(ctx, what, f)
	if err != nil {
		return err
	}
	_, err = s.o.Ledger.Commit(detached(ctx), change)
	return op.end(ctx, err, nil)
}

// entryFields is what the trail keeps of an entry: whether a token came, never
// which.
func entryFields(a *ledger.Agent, client string) audit.Fields {
	return audit.Fields{Agent: a.ID.String(), Client: client, Extra: map[string]any{
		"base_url": a.BaseURL, "iscsi_server": a.ISCSIServer.String(), "role": map[string]bool{"disk": a.RoleDisk, "cd": a.RoleCD},
		"enabled": a.Enabled, "token_given": !a.Token.IsZero(),
	}}
}
