// SPDX-License-Identifier: Apache-2.0

// Package jobspec builds every Kubernetes object that the manager makes: what a run on one node needs in the runner
// namespace, the node's lease, and the user's results ConfigMaps. It is pure: builders return new objects, and their
// names depend only on benchmark, node and plan.
package jobspec
