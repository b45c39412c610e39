// SPDX-License-Identifier: Apache-2.0

package disks

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// IsDone says whether the list of a node is current, and not older than the last request for a discovery. The error
// says why it will not be soon. before is the NodeStorage before the request, empty without one: a discovery that had
// failed by then does not count.
func IsDone(s, before v1alpha1.NodeStorage) (bool, error) {
	current := Current(s)
	if current.Reason == v1alpha1.ReasonBenchmarkRuns {
		return false, fmt.Errorf("%s: a benchmark uses the node, which is looked at again after it", s.Name)
	}
	if s.Annotations[v1alpha1.AnnotationDiscover] != s.Status.ObservedRequest {
		return false, nil
	}
	again := !equal(current, Current(before)) || !s.Status.AttemptedAt.Equal(before.Status.AttemptedAt)
	if current.Reason == v1alpha1.ReasonDiscoveryFailed && again {
		return false, errors.New(s.Name + ": " + current.Message)
	}
	return isSeen(s) && current.Status == metav1.ConditionTrue, nil
}

// isSeen says whether the last discovery that was started has ended with a list.
func isSeen(s v1alpha1.NodeStorage) bool {
	status := s.Status
	return status.ObservedAt != nil && (status.AttemptedAt == nil || !status.ObservedAt.Before(status.AttemptedAt))
}

func equal(a, b metav1.Condition) bool {
	return a.Reason == b.Reason && a.Message == b.Message && a.LastTransitionTime.Equal(&b.LastTransitionTime)
}
