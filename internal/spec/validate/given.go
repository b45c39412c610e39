// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"crypto/sha256"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/spec/schema"
)

const (
	noPool  = "pool is required: say how to build it from spec.devices"
	noVdevs = "exactly one of vdevs and layout must be set: say how to build the pool from spec.devices"
)

// Variants returns the errors of variants that do not come straight from a benchmark, for example the variants of a
// plan. No API server has checked them, so it applies the rules of the CRDs as well as the rules of this package. It
// stops at the first faulty variant.
func Variants(vs []matrix.Variant, ds []v1alpha1.Device, ws []v1alpha1.Workload) field.ErrorList {
	var root *field.Path
	// A nil list would not be reported as too short.
	ds, ws = append([]v1alpha1.Device{}, ds...), append([]v1alpha1.Workload{}, ws...)
	errs := append(schema.Devices.Check(ds, root.Child("devices")), schema.Workloads.Check(ws, root.Child("workloads"))...)
	if len(errs) > 0 {
		return errs
	}
	errs = append(devices(ds, root.Child("devices")), workloads(ws, root.Child("workloads"))...)
	c := checker{}
	for i := 0; i < len(vs) && len(errs) == 0; i++ {
		v, at := vs[i], root.Child("variants").Key(vs[i].Name)
		var wrong field.ErrorList
		if v.Baseline == nil {
			wrong = c.variant(v, ds, ws)
		} else if wrong = c.part(schema.Baseline, v.Baseline, root.Child("baseline")); len(wrong) == 0 {
			wrong = baseline(*v.Baseline, parts(ds), root.Child("baseline"))
		}
		for _, e := range wrong {
			e.Field = at.Child(e.Field).String()
			errs = append(errs, e)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return onVariants(vs, v1alpha1.ZfsBenchmarkSpec{Devices: ds, Workloads: ws}, root.Child("workloads"))
}

// checker applies the CRD's rules to parts of variants, and only once to equal parts. It remembers digests, because the
// texts of all variants of a large plan take as much memory as the plan.
type checker map[[sha256.Size]byte]bool

// newChecker marks the parts of the spec as checked: they were checked when the spec was accepted.
func newChecker(s v1alpha1.ZfsBenchmarkSpec) checker {
	c := checker{}
	if s.Pool != nil {
		c.known(schema.Pool, s.Pool)
	}
	if s.Dataset != nil {
		c.known(schema.Dataset, s.Dataset)
	}
	c.known(schema.ModuleParameters, s.ModuleParameters)
	return c
}

func (c checker) known(part schema.Part, value any) {
	if text, err := schema.Encode(value); err == nil {
		c[key(part, text)] = true
	}
}

func key(part schema.Part, text []byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(part.Name()+" "), text...))
}

// part checks a part, unless it has already checked an equal one. So a fault is reported only for the first of several
// equal parts.
func (c checker) part(part schema.Part, value any, path *field.Path) field.ErrorList {
	text, err := schema.Encode(value)
	if err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	k := key(part, text)
	if c[k] {
		return nil
	}
	errs := part.CheckJSON(text, path)
	c[k] = true
	return errs
}

// pool checks a pool's layout by itself; places checks it against the devices.
func (c checker) pool(p *v1alpha1.PoolSpec, path *field.Path) field.ErrorList {
	if p == nil {
		return field.ErrorList{field.Required(path, noPool)}
	}
	if errs := c.part(schema.Pool, p, path); len(errs) > 0 || len(p.Vdevs) > 0 || p.Layout != "" {
		return errs
	}
	return field.ErrorList{field.Required(path, noVdevs)}
}
