// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/layout"
)

// role is the vdevs of one kind, with the name of their field.
type role struct {
	name  string
	vdevs []v1alpha1.Vdev
}

// roles are all vdevs of a pool, spares aside, in the order of the fields.
func roles(p *v1alpha1.PoolSpec) []role {
	return []role{data(p), {"log", p.Log}, {"cache", p.Cache}, {"special", p.Special}, {"dedup", p.Dedup}}
}

// storing are the vdevs whose redundancy zpool compares.
func storing(p *v1alpha1.PoolSpec) []role {
	return []role{data(p), {"special", p.Special}, {"dedup", p.Dedup}}
}

// data are the data vdevs of a pool in either form.
func data(p *v1alpha1.PoolSpec) role {
	if p.Layout != "" {
		return role{"devices", layout.Vdevs(*p)}
	}
	return role{"vdevs", p.Vdevs}
}

// LossTolerance is how many devices of a vdev may be lost without losing data.
func LossTolerance(v v1alpha1.Vdev) int {
	if v.Type == v1alpha1.VdevMirror {
		return len(v.Devices) - 1
	}
	return parity(v.Type)
}

// parity is the number of parity devices: 0 for stripe and mirror.
func parity(t v1alpha1.VdevType) int {
	switch t {
	case v1alpha1.VdevRaidz1, v1alpha1.VdevDraid1:
		return 1
	case v1alpha1.VdevRaidz2, v1alpha1.VdevDraid2:
		return 2
	case v1alpha1.VdevRaidz3, v1alpha1.VdevDraid3:
		return 3
	}
	return 0
}
