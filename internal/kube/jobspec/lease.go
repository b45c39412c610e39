// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// Lease is the lock on a node: its creator may run there until the node is clean again. Its name is the node's UID, so
// a new node with the same name has a new lock. It has no owner reference, because it must outlive the plan.
func Lease(namespace string, benchmark *v1alpha1.ZfsBenchmark, nodeName, nodeUID string) *coordinationv1.Lease {
	return newLease(namespace, nodeUID, benchmark, nodeName)
}

// DiskLease is the lock on a disk that several nodes may reach. Its name is made from the disk's world-wide name, which
// is the same on all of them. It is nil for a path without such a name: that disk is in one machine only.
func DiskLease(namespace string, benchmark *v1alpha1.ZfsBenchmark, nodeName, path string) *coordinationv1.Lease {
	name := plan.WorldWideName(path)
	if name == "" {
		return nil
	}
	return newLease(namespace, diskPrefix+name, benchmark, nodeName)
}

func newLease(namespace, name string, benchmark *v1alpha1.ZfsBenchmark, nodeName string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		TypeMeta: metav1.TypeMeta{APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Namespace:   namespace,
			Labels:      Labels(string(benchmark.UID), nodeName),
			Annotations: map[string]string{AnnotationBenchmark: benchmark.Namespace + "/" + benchmark.Name},
		},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(string(benchmark.UID))},
	}
}

const diskPrefix = "disk-"

// IsDiskLease says whether a lease of this name locks a disk; otherwise it locks a node.
func IsDiskLease(name string) bool { return strings.HasPrefix(name, diskPrefix) }
