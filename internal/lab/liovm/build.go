package liovm

import (
	"context"

	"ipxe-all-ready/internal/lab"
)

// Build makes the static binary of a main package of the checkout.
func Build(ctx context.Context, pkg, out string) error {
	return goTool(ctx, "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
}

// BuildTest makes the static test binary of a package, with a build tag.
func BuildTest(ctx context.Context, pkg, tag, out string) error {
	return goTool(ctx, "test", "-c", "-trimpath", "-tags", tag, "-o", out, pkg)
}

func goTool(ctx context.Context, args ...string) error {
	root, err := lab.Root()
	if err != nil {
		return err
	}
	_, err = run(ctx, root, nil, "go", args...)
	return err
}
