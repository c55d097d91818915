package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"ipxe-all-ready/internal/api"
)

// Agents lists the storage nodes; live asks each how it is.
func (c *ControlPlane) Agents(ctx context.Context, live bool) ([]api.Agent, error) {
	var out []api.Agent
	_, err := c.get(ctx, "/agents", url.Values{"live": {strconv.FormatBool(live)}}, nil, &out)
	return out, err
}

// ProbeAgent asks a node what it is; nothing is written.
func (c *ControlPlane) ProbeAgent(ctx context.Context, in api.ProbeAgent) (api.Probe, error) {
	var out api.Probe
	err := c.change(ctx, c.o.Timeout, http.MethodPost, "/agents/probe", nil, in, &out)
	return out, err
}

// RegisterAgent enters a node in the inventory.
func (c *ControlPlane) RegisterAgent(ctx context.Context, in api.PutAgent) (api.Agent, error) {
	var out api.Agent
	err := c.change(ctx, c.o.Timeout, http.MethodPost, "/agents", nil, in, &out)
	return out, err
}

// UpdateAgent replaces node in.ID's entry; an empty token keeps the stored one.
func (c *ControlPlane) UpdateAgent(ctx context.Context, in api.PutAgent) (api.Agent, error) {
	path := at("agents", in.ID)
	in.ID = ""
	var out api.Agent
	err := c.change(ctx, c.o.Timeout, http.MethodPut, path, nil, in, &out)
	return out, err
}

// DeleteAgent takes a node out of the inventory.
func (c *ControlPlane) DeleteAgent(ctx context.Context, id string) error {
	return c.change(ctx, c.o.Timeout, http.MethodDelete, at("agents", id), nil, nil, nil)
}

// Sessions lists who runs from a node now.
func (c *ControlPlane) Sessions(ctx context.Context, agent string) ([]api.AgentSession, error) {
	var out []api.AgentSession
	_, err := c.get(ctx, at("agents", agent, "sessions"), nil, nil, &out)
	return out, err
}

// Masters lists the golden images by node.
func (c *ControlPlane) Masters(ctx context.Context) (api.MastersByAgent, error) {
	var out api.MastersByAgent
	_, err := c.get(ctx, "/masters", nil, nil, &out)
	return out, err
}

// Targets lists what a node's iSCSI server shows.
func (c *ControlPlane) Targets(ctx context.Context, agent string) ([]api.Target, error) {
	var out []api.Target
	_, err := c.get(ctx, at("agents", agent, "luns"), nil, nil, &out)
	return out, err
}

// CreateTarget makes and exports a disk on a node; the ledger is not touched.
func (c *ControlPlane) CreateTarget(ctx context.Context, agent string, in api.DirectDisk) (api.LUNCreated, error) {
	var out api.LUNCreated
	err := c.change(ctx, c.o.Long, http.MethodPost, at("agents", agent, "luns", "disk"), nil, in, &out)
	return out, err
}

// CreateCDTarget exports an ISO that lies on a node.
func (c *ControlPlane) CreateCDTarget(ctx context.Context, agent string, in api.CreateCD) (api.LUNCreated, error) {
	var out api.LUNCreated
	err := c.change(ctx, c.o.Long, http.MethodPost, at("agents", agent, "luns", "cd"), nil, in, &out)
	return out, err
}

// DeleteTarget removes a node's target; the ledger is not touched.
func (c *ControlPlane) DeleteTarget(ctx context.Context, agent, iqn string, r Removal) (api.TargetDeleted, error) {
	q := r.query("delete_file", "ignore_missing")
	q.Set("iqn", iqn)
	var out api.TargetDeleted
	err := c.change(ctx, c.o.Long, http.MethodDelete, at("agents", agent, "luns"), q, nil, &out)
	return out, err
}

// ScanTargets exports every image of a node that has no target.
func (c *ControlPlane) ScanTargets(ctx context.Context, agent string) (api.Scan, error) {
	var out api.Scan
	err := c.change(ctx, c.o.Long, http.MethodPost, at("agents", agent, "luns", "scan"), nil, nil, &out)
	return out, err
}
