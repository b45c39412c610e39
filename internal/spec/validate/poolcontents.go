// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
)

// fill requires each level to be above the one before.
func (p *playedPool) fill(o v1alpha1.FillOperation, path *field.Path) field.ErrorList {
	if o.Percent <= p.filled {
		return field.ErrorList{field.Invalid(path, o.Percent, fmt.Sprintf("the pool is filled to %d%% by a workload "+
			"before: it must be more", p.filled))}
	}
	p.filled = o.Percent
	return nil
}

// send requires that since names an earlier send.
func (p *playedPool) send(workload string, o v1alpha1.SendOperation, path *field.Path) field.ErrorList {
	if o.Since != "" && !slices.Contains(p.sent, o.Since) {
		return field.ErrorList{field.Invalid(path, o.Since, "it must be the name of an earlier workload that sends, and "+
			"that no other names")}
	}
	// Only the end of a chain can be continued: the received dataset no longer matches earlier sends.
	p.sent = append(slices.DeleteFunc(p.sent, func(name string) bool { return name == o.Since }), workload)
	return nil
}
