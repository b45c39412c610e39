// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// errForeign says that the results ConfigMap's name is taken by an object that is not this benchmark's.
var errForeign = errors.New("it exists and is not this benchmark's")

// publish reports on the results, in status and in the results ConfigMap, while the benchmark runs and at its end. It
// runs after the conditions are set, because the report states them. If writing the report fails for now, status is not
// written either: no condition appears before the report.
func (r *Reconciler) publish(ctx context.Context, s *scope) (bool, error) {
	key := s.reportKey()
	if key == "" {
		return false, nil
	}
	if key == s.reading.published {
		// An earlier status update that said so may have failed with a conflict.
		s.recordPublished()
		return false, nil
	}
	if left := readInterval - s.now.Sub(s.reading.refused); key == s.reading.reported && left > 0 {
		s.requeueWithin(left)
		return false, nil
	}
	cms, err := r.buildReport(ctx, s, key)
	if err == nil {
		err = r.writeReports(ctx, s.benchmark, cms)
	}
	s.reading.published, s.reading.refused = "", s.now
	var unreportable *reportError
	switch {
	case err == nil:
		s.reading.published, s.reading.refused = key, time.Time{}
		s.recordPublished()
	case errors.Is(err, errForeign):
		s.setPublished(false, v1alpha1.ReasonNameConflict, sentence(fmt.Sprintf(
			"%v, so it is left alone; the numbers are in status. Delete or rename it to have the results written.", err)))
	case refusedForGood(err), errors.As(err, &unreportable):
		s.setPublished(false, v1alpha1.ReasonPublishFailed,
			sentence(fmt.Sprintf("The results could not be written; the numbers are in status. %v.", err)))
	default:
		s.reading.refused = time.Time{}
		s.unsaved = true
		return true, fmt.Errorf("publish: %w", err)
	}
	return false, nil
}

// recordPublished sets the condition that says where the results are.
func (s *scope) recordPublished() {
	name := jobspec.ResultsConfigMapName(s.benchmark)
	s.status().ResultsConfigMap = name
	s.setPublished(true, v1alpha1.ReasonPublished, fmt.Sprintf("The results are in ConfigMap %s.", name))
}

// writeReports writes the ConfigMaps of a report. The first one is written last, so that it never names others that do
// not exist.
func (r *Reconciler) writeReports(
	ctx context.Context, benchmark *v1alpha1.ZfsBenchmark, cms []*corev1.ConfigMap,
) error {
	for _, cm := range slices.Backward(cms) {
		if err := r.writeReport(ctx, benchmark, cm); err != nil {
			return err
		}
	}
	return nil
}

// refusedForGood means that the API denies the request and will do so again: no permission, no quota, a terminating
// namespace, an object too large.
func refusedForGood(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		apierrors.IsNotFound(err)
}

// writeReport creates a ConfigMap of the report, or updates the one that this benchmark made before. It reads from the
// API, because the cache does not hold users' ConfigMaps. It never touches an object of somebody else: the update names
// the version that was read.
func (r *Reconciler) writeReport(ctx context.Context, benchmark *v1alpha1.ZfsBenchmark, want *corev1.ConfigMap) error {
	var have corev1.ConfigMap
	err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(want), &have)
	if apierrors.IsNotFound(err) {
		if err := r.Create(ctx, want, client.FieldOwner(jobspec.FieldOwner)); err != nil {
			return fmt.Errorf("create results %s: %w", want.Name, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("get results %s: %w", want.Name, err)
	}
	if !jobspec.IsReportOf(benchmark, &have) {
		return fmt.Errorf("ConfigMap %s: %w", want.Name, errForeign)
	}
	if maps.Equal(have.Data, want.Data) {
		return nil
	}
	have.Data = want.Data
	if err := r.Update(ctx, &have, client.FieldOwner(jobspec.FieldOwner)); err != nil {
		return fmt.Errorf("update results %s: %w", want.Name, err)
	}
	return nil
}
