// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// annotationServed lists the namespaces that a node has served, the last one last.
	annotationServed = "zfsbench.io/served"
	// maxServed limits how many namespaces a record keeps. A dropped one counts as never served.
	maxServed = 64
	// queuePrefix is the prefix of the name of a node's queue record; the node's UID follows.
	queuePrefix = "queue-"
)

// QueueRecordName is the name of the Lease that records which namespaces a node has served.
func QueueRecordName(nodeUID string) string { return queuePrefix + nodeUID }

// QueueRecord records which namespaces a node has served, so that they take turns. It is a Lease although it locks
// nothing: then a watch shows it before it shows that the node's own Lease is gone. It is deleted with its node.
func QueueRecord(namespace, nodeName, nodeUID string, served []string) *coordinationv1.Lease {
	owner := metav1.OwnerReference{
		APIVersion: corev1.SchemeGroupVersion.String(), Kind: "Node", Name: nodeName, UID: types.UID(nodeUID),
	}
	return &coordinationv1.Lease{
		TypeMeta: metav1.TypeMeta{APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease"},
		ObjectMeta: metav1.ObjectMeta{
			Name:            QueueRecordName(nodeUID),
			Namespace:       namespace,
			Labels:          map[string]string{LabelNodeHash: NodeHash(nodeName), LabelManagedBy: ManagedBy},
			Annotations:     map[string]string{annotationServed: strings.Join(served, ",")},
			OwnerReferences: []metav1.OwnerReference{owner},
		},
	}
}

// Served returns the namespaces in a record, the last one served last. A nil record is empty. The number is limited,
// whoever wrote the record.
func Served(record *coordinationv1.Lease) []string {
	if record == nil || record.Annotations[annotationServed] == "" {
		return nil
	}
	return lastServed(strings.Split(record.Annotations[annotationServed], ","))
}

// WithServed adds a namespace that a node has just served.
func WithServed(served []string, namespace string) []string {
	others := slices.DeleteFunc(slices.Clone(served), func(name string) bool { return name == namespace })
	return lastServed(append(others, namespace))
}

func lastServed(served []string) []string { return served[max(0, len(served)-maxServed):] }
