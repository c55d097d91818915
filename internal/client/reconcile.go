package client

import (
	"context"
	"net/http"

	"ipxe-all-ready/internal/api"
)

// Findings compares ledger, bindings and nodes.
func (c *ControlPlane) Findings(ctx context.Context) ([]api.Finding, error) {
	var out api.Reconcile
	_, err := c.get(ctx, "/reconcile", nil, nil, &out)
	return out.Findings, err
}

// FixFindings repairs those named and returns how each went.
func (c *ControlPlane) FixFindings(ctx context.Context, ids []string) (api.FindingsFixed, error) {
	var out api.FindingsFixed
	err := c.change(ctx, c.o.Long, http.MethodPost, "/reconcile", nil, api.FixFindings{Fix: ids}, &out)
	return out, err
}
