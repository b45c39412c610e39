// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// readClaim reads the runner's request and the last answer. Only this manager writes answers, so an unreadable answer
// is simply written again.
func (n *nodeRun) readClaim() {
	if n.run == nil || n.progressMap == nil || !n.run.Plan.Claims() {
		return
	}
	for _, cm := range n.claimMaps {
		if cm.Name != jobspec.ClaimName(n.run.Base()) {
			continue
		}
		if answer, err := result.DecodeClaimAnswer([]byte(cm.Data[jobspec.KeyClaim])); err == nil {
			n.claimAnswer = &answer
		}
	}
	text, ok := n.progressMap.Data[jobspec.KeyClaim]
	if !ok {
		return
	}
	request, err := result.DecodeClaimRequest([]byte(text))
	if err != nil {
		n.recordsError = fmt.Errorf("read %s of %s: %w", jobspec.KeyClaim, n.progressMap.Name, err)
		return
	}
	n.claimRequest = &request
}
