// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// Labels and annotations of the objects that the manager makes, in addition to v1alpha1.LabelBenchmarkUID.
const (
	// LabelNodeHash is NodeHash of the node's name, which may be longer than a label's value.
	LabelNodeHash = "zfsbench.io/node-hash"
	// LabelManagedBy and ManagedBy mark everything that the manager makes; its cache holds no other objects of these
	// kinds.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedBy      = "zfs-benchmark-operator"
	// LabelComponent is ComponentRunner, ComponentCleanup or ComponentDiscovery on Jobs and their pods, ComponentHolder on
	// pods of claims, and ComponentImages on pods of images.
	LabelComponent     = "app.kubernetes.io/component"
	ComponentRunner    = "runner"
	ComponentCleanup   = "cleanup"
	ComponentHolder    = "holder"
	ComponentImages    = "images"
	ComponentDiscovery = "discovery"
	// LabelTrial is the index of the trial that a claim is for.
	LabelTrial = "zfsbench.io/trial"
	// AnnotationSuspend on the progress ConfigMap requests that the runner stops after the current trial. The value
	// "true" requests it, "false" withdraws the request; without the annotation it was never requested.
	AnnotationSuspend = "zfsbench.io/suspend"
	// AnnotationForget on the progress ConfigMap is a copy of the benchmark's annotation forget-devices. If the
	// benchmark no longer exists, a cluster administrator sets it.
	AnnotationForget = "zfsbench.io/forget-devices"
	// AnnotationBenchmark on a lease is NAMESPACE/NAME of its holder, for humans.
	AnnotationBenchmark = "zfsbench.io/benchmark"
)

// FieldOwner is the manager's name in server-side apply.
const FieldOwner = "zfs-benchmark-operator"

// The keys of the ConfigMaps in the runner namespace.
const (
	KeyPlan      = "plan.json"
	KeyProgress  = "progress.json"
	KeyOwnership = "ownership.json"
	// KeyClaim is the runner's request in the progress ConfigMap, and the manager's answer in a separate ConfigMap.
	KeyClaim = "claim.json"
)

// basePrefix is the prefix of the names of all objects of a run.
const basePrefix = "zb-"

// hashDigits is how many hex digits of a hash are in a name: 64 bits.
const hashDigits = 16

// BaseName is the prefix of the names of all objects of one plan on one node.
func BaseName(benchmarkUID, nodeName, planDigest string) string {
	return basePrefix + shortHash(benchmarkUID+"/"+nodeName+"/"+planDigest)
}

// IsBaseName says whether BaseName could have made this name. Of all ConfigMaps, only a plan has such a name.
func IsBaseName(name string) bool {
	digits, found := strings.CutPrefix(name, basePrefix)
	return found && len(digits) == hashDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// NodeHash stands for a node's name in labels and names.
func NodeHash(nodeName string) string { return shortHash(nodeName) }

// ProgressName is the name of the progress ConfigMap.
func ProgressName(base string) string { return base + "-progress" }

// ClaimName is the name of the ConfigMap with the manager's answers about claims.
func ClaimName(base string) string { return base + "-claim" }

// ResultsName is the name of the results ConfigMap with the given number, from 0.
func ResultsName(base string, shard int) string { return base + "-results-" + strconv.Itoa(shard) }

// RunJobName is the name of the Job that executes the plan.
func RunJobName(base string) string { return base + "-run" }

// CleanupJobName is the name of the Job that removes what a runner left on the node.
func CleanupJobName(base string) string { return base + "-cleanup" }

// ImagePodName is the name of the pod that holds the files of images.
func ImagePodName(base string) string { return base + "-images" }

// Labels are on every object of one benchmark on one node.
func Labels(benchmarkUID, nodeName string) map[string]string {
	return map[string]string{
		v1alpha1.LabelBenchmarkUID: benchmarkUID,
		LabelNodeHash:              NodeHash(nodeName),
		LabelManagedBy:             ManagedBy,
	}
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:hashDigits]
}
