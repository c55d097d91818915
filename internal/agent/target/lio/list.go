package lio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"

	"ipxe-all-ready/internal/agent/target"
)

// List reads the whole tree. A target that vanishes meanwhile is left out.
func (b *Backend) List(ctx context.Context) ([]target.Target, error) {
	if err := b.fabric(); err != nil {
		return nil, err
	}
	entries, err := b.fs.List(fabricDir)
	if err != nil {
		return nil, step(err, "list targets")
	}
	var targets []target.Target
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "discovery_auth" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list targets: %w", err)
		}
		t, err := b.show(e.Name())
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
			continue
		}
		if err != nil {
			return nil, step(err, "read target %s", e.Name())
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// show reads one target with all its portal groups; others may have made several.
func (b *Backend) show(name string) (target.Target, error) {
	t := target.Target{Name: name}
	entries, err := b.fs.List(targetDir(name))
	if err != nil {
		return t, err
	}
	for _, e := range entries {
		if _, ok := numbered(e.Name(), "tpgt"); !ok {
			continue
		}
		g, err := b.look(path.Join(targetDir(name), e.Name()))
		if err != nil {
			return t, err
		}
		for _, l := range g.luns {
			t.LUNs = append(t.LUNs, l.shown)
		}
		t.Sessions = append(t.Sessions, g.sessions...)
		t.ACL = append(t.ACL, g.admitted()...)
	}
	return t, nil
}
