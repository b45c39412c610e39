// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// Lease is the lock on a node: whoever creates it may run there until the node is clean again. Its name is the node's UID, so that a replaced node
// of the same name is another lock. Nothing owns it: it outlives the plan.
func Lease(namespace string, benchmark *v1alpha1.ZfsBenchmark, nodeName, nodeUID string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		TypeMeta: metav1.TypeMeta{APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{
			Name:        nodeUID,
			Namespace:   namespace,
			Labels:      Labels(string(benchmark.UID), nodeName),
			Annotations: map[string]string{AnnotationBenchmark: benchmark.Namespace + "/" + benchmark.Name},
		},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(string(benchmark.UID))},
	}
}
