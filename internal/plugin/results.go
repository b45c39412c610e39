// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/report"
)

// document reads a document of a benchmark's results, which may be in several ConfigMaps.
func (c cluster) document(ctx context.Context, b *v1alpha1.ZfsBenchmark, key string) (string, error) {
	if published := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionResultsPublished); published != nil &&
		published.Status != "True" {
		return "", errors.New(published.Message)
	}
	if b.Status.ResultsConfigMap == "" {
		return "", errors.New("there are no results")
	}
	var objects []map[string]string
	for {
		name := report.ChunkName(b.Status.ResultsConfigMap, len(objects))
		var cm corev1.ConfigMap
		err := c.Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: name}, &cm)
		if err == nil && jobspec.IsReportOf(b, &cm) {
			objects = append(objects, cm.Data)
			continue
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return "", err
		}
		break // One more than there are, or somebody else's of that name.
	}
	document, found := report.Document(objects, key)
	if !found {
		return "", fmt.Errorf("ConfigMap %s has no %s", b.Status.ResultsConfigMap, key)
	}
	return document, nil
}
