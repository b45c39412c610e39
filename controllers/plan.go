// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"reflect"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/jobspec"
	"zfsbench.io/operator/internal/plan"
)

// planDefaults are what a plan takes where no policy says otherwise.
func (r *Reconciler) planDefaults() plan.Defaults {
	return plan.Defaults{Scratch: plan.Scratch{Directory: r.Config.Scratch.Directory, LimitBytes: r.Config.Scratch.SizeLimit.Value()}}
}

// planRun plans the benchmark for a node, from the policies of now.
func (r *Reconciler) planRun(s *scope, n *nodeRun) (*jobspec.Run, error) {
	p, err := plan.Build(plan.Input{
		Benchmark: s.benchmark,
		Node:      plan.Node{Name: n.name, UID: n.uid},
		Policies:  s.policies,
		Volumes:   s.volumesOn(n.name),
		Defaults:  r.planDefaults(),
	})
	if err != nil {
		return nil, err
	}
	run := jobspec.NewRun(r.Config.RunnerNamespace, p)
	return &run, nil
}

// refuseConsent says which consent the benchmark lacks on a node, or nil. A run that has its plan must still have the consent that plan was made with.
func (r *Reconciler) refuseConsent(s *scope, n *nodeRun, node plan.Node) *refusal {
	granted, err := plan.Consent(s.benchmark, node, s.policies, r.planDefaults())
	var missing *plan.ConsentError
	switch {
	case errors.As(err, &missing):
		return &refusal{reason: missing.Reason, message: missing.Message, revoked: true}
	case err != nil:
		return &refusal{reason: v1alpha1.ReasonPolicyMismatch, message: err.Error() + ".", revoked: true}
	case n != nil && n.started() && !reflect.DeepEqual(granted.Devices, n.run.Plan.Devices):
		return &refusal{reason: v1alpha1.ReasonPolicyMismatch, revoked: true,
			message: fmt.Sprintf("The policies for node %s promise other serials or sizes than when the benchmark was planned.", node.Name)}
	}
	return nil
}
