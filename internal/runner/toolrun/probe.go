// SPDX-License-Identifier: Apache-2.0

package toolrun

import (
	"context"
	"errors"
	"fmt"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools"
)

// Probe starts a tool in the sandbox as the preflight does, and returns its version.
func (t Runner) Probe(ctx context.Context, program tools.Program) (version string, err error) {
	probe := program.Probe()
	image, errImage := t.imageRoot(ctx, probe.Image)
	_, errSource := t.sourceRoot(ctx, probe.Source)
	if err := errors.Join(errImage, errSource); err != nil {
		return "", err
	}
	var out, stderr headWriter
	ended, err := t.Tool(ctx, sandbox.Command{
		Argv: probe.Argv, Self: probe.Self, Image: image, Target: t.Workspace.Target(),
		Root: t.Workspace.Sandbox(), UID: sandbox.User, GID: sandbox.User, Stdout: &out, Stderr: &stderr,
	})
	if err != nil && probe.Hint != "" {
		return "", fmt.Errorf("%w: %s", err, probe.Hint)
	}
	if err != nil {
		return "", err
	}
	if bad := endedBadly(program.Name(), ended); bad != nil && !probe.Fails {
		return "", fmt.Errorf("%w: %s", bad, tailOf(stderr.String()))
	}
	if version = probe.Version(out.String(), stderr.String()); version == "" {
		return "", fmt.Errorf("%s prints %.100q instead of its version", program.Name(), out.String()+stderr.String())
	}
	return version, nil
}
