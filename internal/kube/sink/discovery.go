// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"
	"encoding/json"
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// DiscoveryRequest is what the manager wants a discovery to know. Base is then the name of its ConfigMap.
func (k *Kubernetes) DiscoveryRequest(ctx context.Context) (jobspec.DiscoveryRequest, error) {
	const operation = "read what to discover"
	var request jobspec.DiscoveryRequest
	document, err := k.get(ctx, operation, k.Base, jobspec.KeyDiscovery)
	if err != nil {
		return request, err
	}
	if err := json.Unmarshal([]byte(document), &request); err != nil {
		return request, fmt.Errorf("%s: %w", operation, err)
	}
	return request, nil
}

// PutInventory sends what a discovery found.
func (k *Kubernetes) PutInventory(ctx context.Context, found v1alpha1.NodeInventory) error {
	const operation = "send what was discovered"
	document, err := result.EncodeInventory(found)
	if err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return k.patch(ctx, operation, k.Base, textPatch(jobspec.KeyInventory, document))
}
