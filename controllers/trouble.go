// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
)

// loadTrouble reads what was said about pods that their nodes do not set up, for example because a volume cannot be mounted: the pods themselves do not tell. It is only for messages, so that it cannot be read holds nothing up.
func (r *Reconciler) loadTrouble(ctx context.Context, s *scope) {
	for _, n := range s.runs {
		for _, job := range []*batchv1.Job{n.job, n.cleanup} {
			pod := newest(podsOf(job, n.pods))
			if pod == nil {
				continue
			}
			if since, waits := notSetUp(pod); !waits || s.now.Sub(since) < podPatience {
				continue
			}
			var err error
			if n.trouble, err = r.lastWarning(ctx, nil, pod); err != nil {
				n.trouble = fmt.Sprintf("why cannot be read: %v", err)
			}
		}
	}
}
