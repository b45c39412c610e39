// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

// poolOperations plays the operations on the pool of each variant, in their order, and reports the first variant that
// they do not fit: a mistake in the spec tends to be in many.
func poolOperations(expanded []matrix.Variant, s v1alpha1.ZfsBenchmarkSpec, path *field.Path) field.ErrorList {
	if !slices.ContainsFunc(s.Workloads, func(w v1alpha1.Workload) bool { return w.OnPool() != nil }) {
		return nil
	}
	errs := leavesPools(s, path)
	for _, v := range expanded {
		of := ""
		if len(expanded) > 1 {
			of = " of variant " + v.Name
		}
		pool := newPlayedPool(v, s.Devices, of)
		var faults field.ErrorList
		for i, w := range s.Workloads {
			if w.OnPool() != nil {
				faults = append(faults, pool.play(w, path.Index(i).Child(whereOnPool(w)))...)
			}
		}
		if len(faults) > 0 {
			return append(errs, faults...)
		}
	}
	return errs
}

// leavesPools refuses operations that change a pool which the repetitions of a variant share.
func leavesPools(s v1alpha1.ZfsBenchmarkSpec, path *field.Path) field.ErrorList {
	if s.Repetitions == nil || s.Repetitions.FreshPool != v1alpha1.FreshPoolPerVariant {
		return nil
	}
	var errs field.ErrorList
	for i, w := range s.Workloads {
		if o := w.OnPool(); o != nil && o.Scrub == nil && o.Trim == nil && o.Reimport == nil {
			errs = append(errs, field.Forbidden(path.Index(i).Child(whereOnPool(w)), "with freshPool PerVariant, repetitions "+
				"share a pool: an operation that changes it needs freshPool PerRepetition"))
		}
	}
	return errs
}

// playedPool is the state of a variant's pool after the operations so far.
type playedPool struct {
	of string
	// baseline replaces the pool, or is nil; array is its md array, or nil.
	baseline *v1alpha1.Baseline
	array    *playedVdev
	// claimed says that the dataset is a volume of the CSI driver, volume that it is one of OpenZFS: files and what is
	// received have no place in them. filled is the level it was filled to last, sent are the workloads that have sent it.
	claimed, volume bool
	filled          int32
	sent            []string
	devices         map[string]v1alpha1.Device
	// uses are the names that have, or had, a place in the pool; vdevs says in which of its redundant vdevs a device is.
	uses  map[string]int
	vdevs map[string]*playedVdev
}

type playedVdev struct {
	tolerance int
	offline   []string
}

func (v playedVdev) isOffline(name string) bool { return slices.Contains(v.offline, name) }

func newPlayedPool(v matrix.Variant, ds []v1alpha1.Device, of string) *playedPool {
	p := &playedPool{of: of, baseline: v.Baseline, claimed: v.ClaimsFromDriver(), devices: map[string]v1alpha1.Device{},
		uses: map[string]int{}, vdevs: map[string]*playedVdev{}}
	for _, d := range parts(ds) {
		p.devices[d.Name] = d
	}
	p.volume = v.Dataset != nil && v.Dataset.Type == v1alpha1.DatasetVolume
	if v.Baseline != nil {
		p.placeBaseline(*v.Baseline)
	}
	if v.Pool == nil {
		return p
	}
	p.uses = uses(v.Pool)
	for _, spec := range slices.Concat(v.Pool.Vdevs, v.Pool.Special, v.Pool.Dedup) {
		played := &playedVdev{tolerance: LossTolerance(spec)}
		for _, name := range spec.Devices {
			p.vdevs[name] = played
		}
	}
	return p
}

// whereOnPool is the field of a workload that says what it does with the pool.
func whereOnPool(w v1alpha1.Workload) string {
	if w.During != nil {
		return "during"
	}
	return "pool"
}

// play applies a workload's operation to the pool, or reports why it is not possible.
func (p *playedPool) play(w v1alpha1.Workload, path *field.Path) field.ErrorList {
	o := w.OnPool()
	if p.baseline != nil {
		if errs := p.onBaseline(*o, path); len(errs) > 0 {
			return errs
		}
	}
	switch {
	case p.claimed && (o.Snapshot != nil || o.Reimport != nil || o.Fill != nil || o.Send != nil || o.Clone != nil):
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("snapshot, reimport, fill, send and clone are not "+
			"possible on a persistent volume%s, which is the driver's: leave one of the two out", p.of))}
	case p.volume && (o.Fill != nil || o.Send != nil || o.Clone != nil):
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("it needs a dataset that is a filesystem, and the "+
			"dataset of the pool%s is a volume: leave one of the two out", p.of))}
	case o.Fill != nil:
		return p.fill(*o.Fill, path.Child("fill", "percent"))
	case o.Send != nil:
		return p.send(w.Name, *o.Send, path.Child("send", "since"))
	case o.Trim != nil:
		return p.trim(path.Child("trim"))
	case o.Offline != nil:
		return p.offline(o.Offline.Device, path.Child("offline", "device"))
	case o.Online != nil:
		return p.online(o.Online.Device, path.Child("online", "device"))
	case o.Replace != nil:
		return p.replace(*o.Replace, path.Child("replace"))
	}
	return nil
}

// trim refuses file devices: trimming frees the space that is reserved for them, and the pool could run out of space
// later.
func (p *playedPool) trim(path *field.Path) field.ErrorList {
	for name := range p.uses {
		if p.devices[name].File != nil {
			return field.ErrorList{field.Forbidden(path, fmt.Sprintf("the pool%s has file devices, which would lose the "+
				"space that is kept for them: trim pools of disks only", p.of))}
		}
	}
	return nil
}

func (p *playedPool) offline(name string, path *field.Path) field.ErrorList {
	vdev := p.vdevs[name]
	switch {
	case vdev == nil:
		return p.noPlace(name, path)
	case vdev.isOffline(name):
		return field.ErrorList{field.Invalid(path, name, "it is offline already")}
	case len(vdev.offline) >= vdev.tolerance:
		return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("its vdev%s survives the loss of %d devices, and "+
			"this would be one more", p.of, vdev.tolerance))}
	}
	vdev.offline = append(vdev.offline, name)
	return nil
}

func (p *playedPool) online(name string, path *field.Path) field.ErrorList {
	vdev := p.vdevs[name]
	if vdev == nil {
		return p.noPlace(name, path)
	}
	i := slices.Index(vdev.offline, name)
	if i < 0 {
		return field.ErrorList{field.Invalid(path, name, "it is not offline: an operation before has to take it offline")}
	}
	vdev.offline = slices.Delete(vdev.offline, i, i+1)
	return nil
}

func (p *playedPool) replace(o v1alpha1.ReplaceOperation, path *field.Path) field.ErrorList {
	vdev, old, with := p.vdevs[o.Device], p.devices[o.Device], p.devices[o.With]
	switch {
	case vdev == nil:
		return p.noPlace(o.Device, path.Child("device"))
	case vdev.tolerance == 0:
		return field.ErrorList{field.Invalid(path.Child("device"), o.Device, fmt.Sprintf("its vdev%s has no redundancy to "+
			"write another device from", p.of))}
	case with.Name == "":
		return field.ErrorList{field.Invalid(path.Child("with"), o.With, fmt.Sprintf("with names %s, which is not in "+
			"spec.devices", o.With))}
	case p.uses[o.With] > 0:
		return field.ErrorList{field.Invalid(path.Child("with"), o.With, fmt.Sprintf("it has, or had, a place in the "+
			"pool%s: take another device", p.of))}
	case (old.File == nil) != (with.File == nil):
		return field.ErrorList{field.Invalid(path.Child("with"), o.With, "a disk is replaced by a disk and a file by a "+
			"file: zpool mixes them only with -f")}
	case old.File != nil && with.File.Size.Cmp(old.File.Size) < 0:
		return field.ErrorList{field.Invalid(path.Child("with"), o.With, "it must be at least as large as the device that "+
			"it replaces")}
	}
	vdev.offline = slices.DeleteFunc(vdev.offline, func(name string) bool { return name == o.Device })
	delete(p.vdevs, o.Device)
	p.vdevs[o.With], p.uses[o.With] = vdev, 1
	return nil
}

func (p *playedPool) noPlace(name string, path *field.Path) field.ErrorList {
	return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("%s is in none of the %s%s", name, p.redundant(), p.of))}
}

// redundant says for messages where redundant devices are.
func (p *playedPool) redundant() string {
	if p.array != nil {
		return "devices of the md array"
	}
	return "vdevs, special or dedup of the pool"
}

// withoutReplacements are the devices that need a place in a pool: all but those that take the place of others later.
func withoutReplacements(ds []v1alpha1.Device, p *v1alpha1.PoolSpec, ws []v1alpha1.Workload) []v1alpha1.Device {
	if p == nil {
		return ds
	}
	later, used := v1alpha1.Replacements(ws), uses(p)
	return slices.DeleteFunc(slices.Clone(ds), func(d v1alpha1.Device) bool {
		return used[d.Name] == 0 && slices.Contains(later, d.Name)
	})
}
