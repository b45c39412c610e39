// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// remove deletes exactly the object that was looked at, not a later one of the same name. One that is gone already is
// no error.
func (r *Reconciler) remove(ctx context.Context, object client.Object, how metav1.DeletionPropagation) error {
	uid := object.GetUID()
	err := r.Delete(ctx, object, client.PropagationPolicy(how), client.Preconditions{UID: &uid})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %s: %w", object, object.GetName(), err)
	}
	return nil
}
