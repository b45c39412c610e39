// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// operatorNamespace is where the chart puts the manager.
const operatorNamespace = "zfsbench-system"

// installChart installs or upgrades the chart, with the images that were built from this checkout, as a user would:
// with helm.
func (e *environment) installChart(ctx context.Context) error {
	e.runnerImage = "localhost/zfsbench/runner:dev"
	args := []string{
		"upgrade", "--install", "zfsbench", "../../charts/zfs-benchmark-operator",
		"--create-namespace", "--wait", "--timeout", "5m", "--values", "testdata/values.yaml",
		// The tag is always the same, so that only a change of the pod brings a new manager.
		"--set-string", fmt.Sprintf("manager.podAnnotations.e2e=run-%d", time.Now().Unix()),
	}
	if os.Getenv(csiManifests) != "" {
		args = append(args, "--set", "csi.enabled=true")
	}
	if err := e.helm(ctx, args...); err != nil {
		return fmt.Errorf("install the chart: %w", err)
	}
	return nil
}

// helm runs helm in the operator's namespace.
func (e *environment) helm(ctx context.Context, args ...string) error {
	helm := os.Getenv("ZFSBENCH_E2E_HELM")
	if helm == "" {
		return errors.New("ZFSBENCH_E2E_HELM is not set: `make test-e2e` sets it to the pinned helm")
	}
	cmd := exec.CommandContext(ctx, helm, append(args, "--kubeconfig", e.kubeconfig, "--namespace", operatorNamespace)...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}
