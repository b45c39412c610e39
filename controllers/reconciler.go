// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/config"
)

// Reconciler reconciles ZfsBenchmarks.
type Reconciler struct {
	// Client reads from the cache and writes to the API. Of the runner namespace, the cache holds only what the manager
	// made (CacheOptions).
	client.Client
	// APIReader reads from the API itself: before decisions that a stale cache could get wrong, and for users' ConfigMaps.
	APIReader client.Reader
	Recorder  events.EventRecorder
	Config    config.Manager
	Clock     clock.PassiveClock
	Metrics   *Metrics
	// Version of the manager, for reports.
	Version string
	// MemoryLimit is how many bytes the manager may use; 0 means no limit.
	MemoryLimit int64

	cache runCache
}

// errStale says that the cache is behind the API. The newer version is on its way and starts the next reconcile.
var errStale = errors.New("the cached benchmark is not the newest")

// phase does one part of a reconcile; done ends it.
type phase func(context.Context, *scope) (done bool, err error)

// Reconcile looks, decides and acts for one benchmark, then writes its status.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (result ctrl.Result, err error) {
	s, err := r.load(ctx, req.NamespacedName)
	if err != nil || s == nil {
		return ctrl.Result{}, err
	}
	defer func() {
		if err = errors.Join(s.unlessStale(err), r.save(ctx, s)); err == nil {
			result.RequeueAfter = s.requeueAfter
		}
	}()
	for _, do := range []phase{
		r.serveClaims, r.serveImages, r.teardown, r.adopt, r.retire, r.accept, r.read, r.drive, r.conclude, r.publish,
		r.columns,
	} {
		if done, err := do(ctx, s); done || err != nil {
			return result, err
		}
	}
	return result, nil
}

// unlessStale returns the error, unless it only says that the cache is behind. Then it requeues instead.
func (s *scope) unlessStale(err error) error {
	if errors.Is(err, errStale) || apierrors.IsConflict(err) {
		s.requeueWithin(time.Second)
		return nil
	}
	return err
}

// requeueWithin makes sure that the next reconcile starts within d, whatever else happens.
func (s *scope) requeueWithin(d time.Duration) {
	if d > 0 && (s.requeueAfter == 0 || d < s.requeueAfter) {
		s.requeueAfter = d
	}
}
