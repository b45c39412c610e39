// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

// fillOperation checks how a pool is to be filled.
func fillOperation(o v1alpha1.FillOperation, path *field.Path) field.ErrorList {
	errs := fields.Between(o.Percent, 1, maxFill, path.Child("percent"))
	errs = append(errs, fields.OneOf(o.Method, path.Child("method"), v1alpha1.FillSequential, v1alpha1.FillRandomOverwrites)...)
	errs = append(errs, fields.Between(o.OverwritePercent, 0, maxOverwrites, path.Child("overwritePercent"))...)
	if o.OverwritePercent != 0 && o.Method != v1alpha1.FillRandomOverwrites {
		errs = append(errs, field.Invalid(path, field.OmitValueType{}, "overwritePercent has a meaning only with method RandomOverwrites"))
	}
	return errs
}

// duringOperation checks what is done while a tool runs.
func duringOperation(w v1alpha1.Workload, path *field.Path) field.ErrorList {
	if w.Fio == nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, "during needs fio: no other tool can be ended before its time and say what it has measured")}
	}
	if w.Fio.HasPasses() || w.Fio.SteadyState != nil {
		return field.ErrorList{field.Invalid(path.Child("during"), field.OmitValueType{}, "during is of a workload without passes and steadyState: it is done once")}
	}
	set := 0
	for _, is := range []bool{w.During.Scrub != nil, w.During.Trim != nil, w.During.Online != nil, w.During.Replace != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return field.ErrorList{field.Invalid(path.Child("during"), field.OmitValueType{}, "exactly one operation must be set: scrub, trim, online or replace")}
	}
	return poolOperation(w.During.Operation(), path.Child("during"))
}

// fill wants each level to be above the one before.
func (p *playedPool) fill(o v1alpha1.FillOperation, path *field.Path) field.ErrorList {
	if o.Percent <= p.filled {
		return field.ErrorList{field.Invalid(path, o.Percent, fmt.Sprintf("the pool is filled to %d%% by a workload before: it must be more", p.filled))}
	}
	p.filled = o.Percent
	return nil
}

// send wants what is sent in part to have been sent before.
func (p *playedPool) send(workload string, o v1alpha1.SendOperation, path *field.Path) field.ErrorList {
	if o.Since != "" && !slices.Contains(p.sent, o.Since) {
		return field.ErrorList{field.Invalid(path, o.Since, "it must be the name of an earlier workload that sends, and that no other names")}
	}
	// Of a chain only the end can be gone on from: what has been received then has moved on.
	p.sent = append(slices.DeleteFunc(p.sent, func(name string) bool { return name == o.Since }), workload)
	return nil
}
