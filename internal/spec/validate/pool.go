// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxVdevs    = 32
	maxAuxVdevs = 8
	maxSpares   = 8
)

// pool checks a pool's layout by itself; places checks it against the devices.
func pool(p *v1alpha1.PoolSpec, path *field.Path) field.ErrorList {
	if p == nil {
		return field.ErrorList{field.Required(path, "pool is required: say how to build it from spec.devices")}
	}
	errs := fields.OptionalBetween(p.Ashift, 9, 16, path.Child("ashift"))
	errs = append(errs, fields.Count(len(p.Vdevs), 1, maxVdevs, path.Child("vdevs"))...)
	for _, r := range roles(p) {
		at := path.Child(r.name)
		if r.name != "vdevs" {
			errs = append(errs, fields.Count(len(r.vdevs), 0, maxAuxVdevs, at)...)
		}
		for i, v := range r.vdevs {
			errs = append(errs, vdev(v, at.Index(i))...)
			if r.name == "vdevs" && v.Ashift != nil {
				errs = append(errs, field.Forbidden(at, "vdevs have the pool's ashift: set pool.ashift"))
			}
		}
	}
	errs = append(errs, fields.Count(len(p.Spares), 0, maxSpares, path.Child("spares"))...)
	errs = append(errs, fields.Duplicates(p.Spares, path.Child("spares"))...)
	if len(p.Vdevs) > 0 {
		errs = append(errs, replication(p, path)...)
	}
	return append(errs, PoolProperties(p.Properties, path.Child("properties"))...)
}

// role is the vdevs of one kind, with the name of their field.
type role struct {
	name  string
	vdevs []v1alpha1.Vdev
}

// roles are all vdevs of a pool, spares aside, in the order of the fields.
func roles(p *v1alpha1.PoolSpec) []role {
	return []role{{"vdevs", p.Vdevs}, {"log", p.Log}, {"cache", p.Cache}, {"special", p.Special}, {"dedup", p.Dedup}}
}

// replication checks what zpool refuses without -f: get_replication in cmd/zpool/zpool_vdev.c compares every data, special and dedup vdev with the
// one before it, and leaves out log, cache and spares. Data vdevs of different types or widths that zpool would take are refused too.
func replication(p *v1alpha1.PoolSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	first := p.Vdevs[0]
	for _, v := range p.Vdevs[1:] {
		if v.Type != first.Type {
			errs = append(errs, field.Invalid(path.Child("vdevs"), v.Type, "vdevs must all be of one type: the numbers of a mixture say nothing about either"))
			break
		}
		if v.Type != v1alpha1.VdevStripe && len(v.Devices) != len(first.Devices) {
			errs = append(errs, field.Invalid(path.Child("vdevs"), len(v.Devices), "vdevs must all have the same number of devices: the numbers of a mixture say nothing about either"))
			break
		}
	}
	for _, v := range p.Log {
		if v.Type != v1alpha1.VdevStripe && v.Type != v1alpha1.VdevMirror {
			errs = append(errs, field.Invalid(path.Child("log"), v.Type, "log must be of type stripe or mirror: ZFS has no other intent log"))
		}
	}
	for _, v := range p.Cache {
		if v.Type != v1alpha1.VdevStripe {
			errs = append(errs, field.Invalid(path.Child("cache"), v.Type, "cache must be of type stripe: ZFS has no redundant cache"))
		}
	}
	errs = append(errs, asRedundant("special", p.Special, first, path.Child("special"))...)
	return append(errs, asRedundant("dedup", p.Dedup, first, path.Child("dedup"))...)
}

// asRedundant checks that special or dedup vdevs survive as many lost devices as the data vdevs.
func asRedundant(name string, vdevs []v1alpha1.Vdev, data v1alpha1.Vdev, path *field.Path) field.ErrorList {
	copies := LossTolerance(data) + 1
	use := "use type stripe"
	if copies > 1 {
		use = fmt.Sprintf("use type mirror with %d devices", copies)
	}
	var errs field.ErrorList
	for _, v := range vdevs {
		alike := v.Type == v1alpha1.VdevStripe || v.Type == v1alpha1.VdevMirror
		if !alike || LossTolerance(v)+1 != copies {
			errs = append(errs, field.Invalid(path, v.Type, name+" must survive the loss of as many devices as the data vdevs do: "+use))
		}
	}
	return errs
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

func vdev(v v1alpha1.Vdev, path *field.Path) field.ErrorList {
	errs := fields.OneOf(v.Type, path.Child("type"), v1alpha1.VdevStripe, v1alpha1.VdevMirror, v1alpha1.VdevRaidz1, v1alpha1.VdevRaidz2, v1alpha1.VdevRaidz3,
		v1alpha1.VdevDraid1, v1alpha1.VdevDraid2, v1alpha1.VdevDraid3)
	at := path.Child("devices")
	errs = append(errs, fields.Count(len(v.Devices), 1, maxDevices, at)...)
	errs = append(errs, fields.Duplicates(v.Devices, at)...)
	least := parity(v.Type) + 1
	if v.Type == v1alpha1.VdevMirror {
		least = 2
	}
	if len(v.Devices) < least {
		errs = append(errs, field.Invalid(at, len(v.Devices), fmt.Sprintf("devices must be at least %d for type %s", least, v.Type)))
	}
	errs = append(errs, fields.OptionalBetween(v.Ashift, 9, 16, path.Child("ashift"))...)
	return append(errs, draid(v, path.Child("draid"))...)
}

// draid checks the geometry as draid_config_by_type in cmd/zpool/zpool_vdev.c does.
func draid(v v1alpha1.Vdev, path *field.Path) field.ErrorList {
	if v.Draid == nil {
		return nil
	}
	if !strings.HasPrefix(string(v.Type), "draid") {
		return field.ErrorList{field.Forbidden(path, "draid is only for the types draid1, draid2 and draid3: remove it")}
	}
	errs := fields.OptionalBetween(v.Draid.Data, 1, maxDevices, path.Child("data"))
	errs = append(errs, fields.Between(v.Draid.Spares, 0, maxDevices, path.Child("spares"))...)
	data := int32(1)
	if v.Draid.Data != nil {
		data = *v.Draid.Data
	}
	if need := parity(v.Type) + int(data) + int(v.Draid.Spares); len(v.Devices) < need {
		errs = append(errs, field.Invalid(path, need, "draid needs as many devices as its data, parity and spares together: "+
			"give the vdev more devices, or draid less data or spares"))
	}
	return errs
}
