// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// loadPodWarnings reads the last warning about pods that their nodes have not set up, for example because a volume
// cannot be mounted: the pod's status does not contain it. It is only for messages, so a failure to read it stops
// nothing.
func (r *Reconciler) loadPodWarnings(ctx context.Context, s *scope) {
	for _, n := range s.runs {
		pods := []*corev1.Pod{newest(podsOf(n.job, n.pods)), newest(podsOf(n.cleanup, n.pods)), n.imagePod}
		for _, pod := range pods {
			if pod == nil {
				continue
			}
			if since, waits := notSetUp(pod); !waits || s.now.Sub(since) < podPatience {
				continue
			}
			var err error
			if n.podWarning, err = r.lastWarning(ctx, nil, pod); err != nil {
				n.podWarning = fmt.Sprintf("why cannot be read: %v", err)
			}
		}
	}
}
