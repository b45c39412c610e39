// SPDX-License-Identifier: Apache-2.0

// Package e2e runs the product on a real cluster with real OpenZFS: the chart is installed, benchmarks are applied, and
// the node is inspected from a privileged pod. Everything is behind the build tag e2e.
//
// By default it uses the running development cluster. ZFSBENCH_E2E_KUBECONFIG names another cluster whose node
// ZFSBENCH_E2E_NODE has OpenZFS, and ZFSBENCH_E2E_DISKS, comma-separated paths below /dev/disk/by-id, names at least
// three blank disks of that node that may be overwritten.
package e2e
