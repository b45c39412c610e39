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

// installChart installs or upgrades the chart, with the images that were built from this checkout, as a user would: with helm.
func (e *environment) installChart(ctx context.Context) error {
	helm := os.Getenv("ZFSBENCH_E2E_HELM")
	if helm == "" {
		return errors.New("ZFSBENCH_E2E_HELM is not set: `make test-e2e` sets it to the pinned helm")
	}
	e.runnerImage = "localhost/zfsbench/runner:dev"
	cmd := exec.CommandContext(ctx, helm, "upgrade", "--install", "zfsbench", "../../charts/zfs-benchmark-operator",
		"--kubeconfig", e.kubeconfig, "--namespace", operatorNamespace, "--create-namespace", "--wait", "--timeout", "5m",
		"--values", "testdata/values.yaml",
		// The tag is always the same, so that only a change of the pod brings a new manager.
		"--set-string", fmt.Sprintf("manager.podAnnotations.e2e=run-%d", time.Now().Unix()))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("install the chart: %w", err)
	}
	return nil
}
