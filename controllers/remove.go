// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// remove deletes exactly the object that was read, not a later one with the same name. It succeeds if the object is
// gone already.
func (r *Reconciler) remove(ctx context.Context, object client.Object, how metav1.DeletionPropagation) error {
	uid := object.GetUID()
	err := r.Delete(ctx, object, client.PropagationPolicy(how), client.Preconditions{UID: &uid})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %s: %w", object, object.GetName(), err)
	}
	return nil
}
