// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"reflect"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
)

// planInput is the input for planning a node, and for checking its consent.
func (r *Reconciler) planInput(s *scope, node plan.Node) plan.Input {
	return plan.Input{
		Benchmark: s.benchmark, NamespaceUID: s.namespaceUID, Node: node, Policies: s.policies,
		Chosen: s.chosenOn(node.Name), Storage: s.storages[node.Name], Volumes: s.volumesOn(node.Name),
		Defaults: plan.Defaults{
			Scratch:     plan.Scratch{Directory: r.Config.Scratch.Directory, LimitBytes: r.Config.Scratch.SizeLimit.Value()},
			MaxTimeout:  r.Config.MaxTimeout.Duration,
			FileDevices: r.Config.FileDevices,
		},
	}
}

// planRun plans the benchmark for a node, from the current policies.
func (r *Reconciler) planRun(s *scope, n *nodeRun) (*jobspec.Run, error) {
	p, err := plan.Build(r.planInput(s, plan.Node{Name: n.name, UID: n.uid}))
	if err != nil {
		return nil, err
	}
	run := jobspec.NewRun(r.Config.RunnerNamespace, p)
	return &run, nil
}

// refuseConsent returns what consent the benchmark lacks on a node, or nil. A run with a plan must still have the
// consent that the plan was made with. The limits of the configuration apply to new runs only, so that an upgrade or a
// changed configuration does not end a run.
func (r *Reconciler) refuseConsent(s *scope, n *nodeRun, node plan.Node) *refusal {
	in := r.planInput(s, node)
	if n != nil && n.started() {
		in.Defaults.MaxTimeout, in.Defaults.FileDevices = 0, plan.FileDevicesAllowed
	}
	granted, err := plan.Consent(in)
	var missing *plan.ConsentError
	switch {
	case errors.As(err, &missing):
		return &refusal{reason: missing.Reason, message: missing.Message, revoked: true}
	case err != nil:
		return &refusal{reason: v1alpha1.ReasonPolicyMismatch, message: err.Error() + ".", revoked: true}
	case n != nil && n.started() && !reflect.DeepEqual(granted.Devices, n.run.Plan.Devices):
		return &refusal{reason: v1alpha1.ReasonPolicyMismatch, revoked: true,
			message: fmt.Sprintf("The policies for node %s list other serial numbers or sizes than when the benchmark "+
				"was planned.",
				node.Name)}
	}
	return nil
}
