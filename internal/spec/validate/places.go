// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

// SizeToleranceBytes is the largest difference in size between the devices of one redundant vdev that zpool accepts
// without -f (ZPOOL_FUZZ in cmd/zpool/zpool_vdev.c).
const SizeToleranceBytes = 16 << 20

// places checks that every device has exactly one place in the pool, every name in the pool is a device, and zpool
// takes the mixture.
func places(p *v1alpha1.PoolSpec, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	named := byName(ds)
	errs := unknown(p, named, path.Child("pool"))
	errs = append(errs, onePlace(p, ds, path)...)
	errs = append(errs, mixture(p, named, path.Child("pool"))...)
	return append(errs, fileSizes(p, named, path.Child("pool"))...)
}

func byName(ds []v1alpha1.Device) map[string]v1alpha1.Device {
	all := map[string]v1alpha1.Device{}
	for _, d := range ds {
		all[d.Name] = d
	}
	return all
}

// unknown reports names that are not devices.
func unknown(p *v1alpha1.PoolSpec, byName map[string]v1alpha1.Device, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(role string, names []string) {
		for _, n := range names {
			if _, ok := byName[n]; !ok {
				errs = append(errs, field.Invalid(path.Child(role), n,
					fmt.Sprintf("%s names %s, which is not in spec.devices", role, n)))
			}
		}
	}
	for _, r := range roles(p) {
		for _, v := range r.vdevs {
			check(r.name, v.Devices)
		}
	}
	check("spares", p.Spares)
	return errs
}

// onePlace reports devices that have no place in the pool, or more than one.
func onePlace(p *v1alpha1.PoolSpec, ds []v1alpha1.Device, path *field.Path) field.ErrorList {
	used := uses(p)
	var errs field.ErrorList
	for _, d := range ds {
		switch n := used[d.Name]; {
		case n == 0:
			errs = append(errs, field.Invalid(path.Child("devices"), d.Name, fmt.Sprintf("device %s has no place in the "+
				"pool: use it or remove it", d.Name)))
		case n > 1:
			errs = append(errs, field.Invalid(path.Child("pool"), d.Name, fmt.Sprintf("pool uses device %s more than once: "+
				"every device has one place", d.Name)))
		}
	}
	return errs
}

// uses counts the places of each name in a pool.
func uses(p *v1alpha1.PoolSpec) map[string]int {
	used := map[string]int{}
	for _, r := range roles(p) {
		for _, v := range r.vdevs {
			// A name given twice in one vdev is reported there.
			for _, n := range slices.Compact(slices.Sorted(slices.Values(v.Devices))) {
				used[n]++
			}
		}
	}
	for _, n := range slices.Compact(slices.Sorted(slices.Values(p.Spares))) {
		used[n]++
	}
	return used
}

// placed are the devices that have a place in the pool. A variant need not use all devices of the benchmark.
func placed(p *v1alpha1.PoolSpec, ds []v1alpha1.Device) []v1alpha1.Device {
	if p == nil {
		return nil
	}
	used := uses(p)
	return slices.DeleteFunc(slices.Clone(ds), func(d v1alpha1.Device) bool { return used[d.Name] == 0 })
}

// mixture reports disks and files side by side in vdevs whose redundancy zpool compares.
func mixture(p *v1alpha1.PoolSpec, byName map[string]v1alpha1.Device, path *field.Path) field.ErrorList {
	var disks, files bool
	for _, r := range storing(p) {
		for _, v := range r.vdevs {
			for _, n := range v.Devices {
				d, known := byName[n]
				disks = disks || known && d.File == nil
				files = files || d.File != nil
			}
		}
	}
	if disks && files {
		return field.ErrorList{field.Invalid(path, "", "vdevs, special and dedup must be all of disks or all of files: "+
			"zpool mixes them only with -f")}
	}
	return nil
}

// fileSizes reports files of one vdev whose sizes differ by more than zpool accepts without -f. The sizes of disks are
// known only from policies.
func fileSizes(p *v1alpha1.PoolSpec, byName map[string]v1alpha1.Device, path *field.Path) field.ErrorList {
	sizes := map[string]int64{}
	for n, d := range byName {
		if d.File != nil {
			sizes[n], _ = fields.Bytes(d.File.Size)
		}
	}
	if role, v := UnequalSizes(p, sizes); v != nil {
		return field.ErrorList{field.Invalid(path.Child(role), v.Type, "devices of one vdev must be of one size, to 16Mi: "+
			"zpool takes others only with -f")}
	}
	return nil
}

// UnequalSizes returns the first redundant data, special or dedup vdev whose devices differ in size by more than zpool
// accepts without -f, with the name of its field in the pool; nil if there is none. sizes are in bytes, by the device's
// name; a device without one is not compared.
func UnequalSizes(p *v1alpha1.PoolSpec, sizes map[string]int64) (string, *v1alpha1.Vdev) {
	for _, r := range storing(p) {
		for i, v := range r.vdevs {
			if v.Type == v1alpha1.VdevStripe {
				continue
			}
			var known []int64
			for _, n := range v.Devices {
				if size, ok := sizes[n]; ok {
					known = append(known, size)
				}
			}
			if len(known) > 0 && slices.Max(known)-slices.Min(known) > SizeToleranceBytes {
				return r.name, &r.vdevs[i]
			}
		}
	}
	return "", nil
}
