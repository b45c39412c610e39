// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"cmp"
	"maps"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/layout"
)

// target is the spec's own pool, dataset and module parameters with changes made to them, one after the other: if two
// changes set the same field, the later one wins.
func target(spec v1alpha1.ZfsBenchmarkSpec, name string, changes ...v1alpha1.Overlay) Variant {
	v := Variant{Name: name, Pool: spec.Pool.DeepCopy(), Dataset: spec.Dataset.DeepCopy(),
		ModuleParameters: maps.Clone(spec.ModuleParameters)}
	if v.Dataset == nil {
		v.Dataset = &v1alpha1.DatasetSpec{}
	}
	for _, change := range changes {
		if change.Pool != nil {
			v.Pool = changedPool(v.Pool, change.Pool.DeepCopy())
		}
		if change.Dataset != nil {
			changeDataset(v.Dataset, change.Dataset.DeepCopy())
		}
		v.ModuleParameters = changedSettings(v.ModuleParameters, change.ModuleParameters)
	}
	v.Dataset.Type = cmp.Or(v.Dataset.Type, v1alpha1.DatasetFilesystem)
	if v.Pool != nil {
		*v.Pool = layout.Expand(*v.Pool)
	}
	return v
}

// changedPool is p, changed in place, or a pool of the change alone if there was none.
func changedPool(p *v1alpha1.PoolSpec, change *v1alpha1.PoolOverlay) *v1alpha1.PoolSpec {
	if p == nil {
		p = &v1alpha1.PoolSpec{}
	}
	if change.Ashift != nil {
		p.Ashift = change.Ashift
	}
	changeDataVdevs(p, change)
	p.Log = changedVdevs(p.Log, change.Log)
	p.Cache = changedVdevs(p.Cache, change.Cache)
	p.Special = changedVdevs(p.Special, change.Special)
	p.Dedup = changedVdevs(p.Dedup, change.Dedup)
	if change.Spares != nil {
		p.Spares = append([]string(nil), change.Spares...)
	}
	p.Properties = changedSettings(p.Properties, change.Properties)
	return p
}

// changeDataVdevs changes the data vdevs of p in place. A change in one form removes the other form, and a change of
// the layout removes what does not apply to the new one.
func changeDataVdevs(p *v1alpha1.PoolSpec, change *v1alpha1.PoolOverlay) {
	if change.Vdevs != nil {
		p.Layout, p.Width, p.Devices, p.Draid = "", nil, nil, nil
	} else if change.Layout != "" || change.Width != nil || change.Devices != nil || change.Draid != nil {
		p.Vdevs = nil
	}
	p.Vdevs = changedVdevs(p.Vdevs, change.Vdevs)
	if change.Layout == v1alpha1.LayoutStripe {
		p.Width = nil
	}
	if change.Layout != "" && !layout.IsDraid(change.Layout) {
		p.Draid = nil
	}
	p.Layout, p.Width = cmp.Or(change.Layout, p.Layout), cmp.Or(change.Width, p.Width)
	p.Draid = cmp.Or(change.Draid, p.Draid)
	if change.Devices != nil {
		p.Devices = append([]string(nil), change.Devices...)
	}
}

// changedVdevs is the list of a change, if it sets one. An empty list removes the vdevs and becomes nil, which is how a
// spec without them has it.
func changedVdevs(vdevs []v1alpha1.Vdev, change []v1alpha1.VdevOverlay) []v1alpha1.Vdev {
	if change == nil {
		return vdevs
	}
	var changed []v1alpha1.Vdev
	for _, v := range change {
		changed = append(changed, v1alpha1.Vdev(v))
	}
	return changed
}

// changeDataset changes d in place. A change of the type removes what only the former type has.
func changeDataset(d *v1alpha1.DatasetSpec, change *v1alpha1.DatasetOverlay) {
	if before := cmp.Or(d.Type, v1alpha1.DatasetFilesystem); change.Type != "" && change.Type != before {
		d.Volume, d.PersistentVolume, d.Quota, d.Children = nil, nil, nil, nil
	}
	d.Type = cmp.Or(change.Type, d.Type)
	if change.Volume != nil {
		d.Volume = (*v1alpha1.VolumeSpec)(change.Volume)
	}
	if change.PersistentVolume != nil {
		d.PersistentVolume = (*v1alpha1.PersistentVolumeSpec)(change.PersistentVolume)
	}
	if change.Quota != nil {
		d.Quota = (*v1alpha1.QuotaSpec)(change.Quota)
	}
	d.Properties = changedSettings(d.Properties, change.Properties)
	if change.Children != nil {
		d.Children = changedChildren(change.Children)
	}
}

// changedChildren is the list of a change. An empty list becomes nil, which is how a spec without children has it.
func changedChildren(change []v1alpha1.ChildOverlay) []v1alpha1.ChildDataset {
	var changed []v1alpha1.ChildDataset
	for _, c := range change {
		changed = append(changed, v1alpha1.ChildDataset{Name: c.Name,
			Properties: changedSettings(v1alpha1.DatasetProperties(nil), c.Properties)})
	}
	return changed
}

// changedSettings merges the properties or parameters of a change into a map, which it makes if there is none.
func changedSettings[M ~map[string]V, V, C ~string](settings M, change map[string]C) M {
	if settings == nil && len(change) > 0 {
		settings = M{}
	}
	for name, value := range change {
		settings[name] = V(value)
	}
	return settings
}
