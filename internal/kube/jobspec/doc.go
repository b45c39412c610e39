// SPDX-License-Identifier: Apache-2.0

// Package jobspec builds every Kubernetes object the manager makes: what a run on one node needs in the runner
// namespace, the node's lease and the results ConfigMaps of the user. It is pure: builders return new objects with
// names that follow from benchmark, node and plan alone.
package jobspec
