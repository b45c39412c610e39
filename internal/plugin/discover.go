// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/disks"
)

// follow waits until the lists of all nodes are current. before is what was known before a discovery was asked for.
func (o devicesOptions) follow(ctx context.Context, c cluster, node string, before storages) (storages, error) {
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	found, waiting := before, ""
	var lost error
	err := wait.PollUntilContextCancel(limited, o.poll, true, func(ctx context.Context) (bool, error) {
		current, err := c.storages(ctx, node)
		if isFinal(err) {
			return false, err
		}
		if err != nil {
			lost = err
			return false, nil //nolint:nilerr // the API server may answer again
		}
		found, lost = current, nil
		next, err := o.next(found, before)
		if next != "" && next != waiting {
			o.errf("Waiting for node %s.\n", next)
		}
		waiting = next
		return next == "" && err == nil, err
	})
	switch {
	case err == nil:
		return found, nil
	case ctx.Err() != nil:
		return found, exitCodeError{exitInterrupted, errors.New("interrupted: a discovery that runs goes on")}
	case limited.Err() != nil:
		why := fmt.Errorf("what the nodes have is not known within %s, or not current: %s", o.timeout, o.why(found, waiting))
		return found, exitCodeError{exitTimedOut, errors.Join(why, lost)}
	}
	return found, err
}

// isFinal says whether it is of no use to ask the API server again.
func isFinal(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || meta.IsNoMatchError(err)
}

// next is the name of the first node that has to be waited for; empty if there is none.
func (o devicesOptions) next(found, before storages) (string, error) {
	if len(found.missing) > 0 {
		name := found.missing[0]
		if !found.isComing(name) {
			return "", errors.New(disks.Missing(name, found.nodes))
		}
		return name, nil
	}
	for _, s := range found.items {
		old := v1alpha1.NodeStorage{}
		if b := before.find(s.Name); o.discover && b != nil {
			old = *b
		}
		done, err := disks.IsDone(s, old)
		if err != nil || !done {
			return s.Name, err
		}
	}
	return "", nil
}

// why says what is known about a node that was waited for in vain.
func (o devicesOptions) why(found storages, node string) string {
	if s := found.find(node); s != nil {
		return cmp.Or(disks.Note(*s, time.Now()), "the operator has not looked at node "+node+" since it was asked")
	}
	if node == "" {
		return "no node was found"
	}
	return disks.Missing(node, found.nodes)
}
