// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

const mebibyte = 1 << 20

// Part is what becomes a vdev, or holds a baseline or a part of one: a file, a disk's only partition, or one of
// several.
type Part struct {
	Name      string
	SizeBytes int64
}

// Parts are the parts of a device in their order, with the sizes that they will have: the partition table takes a MiB
// at both ends of a disk. A part without room has a size of 0 or less.
func (d Device) Parts() []Part {
	if d.Path == "" {
		return []Part{{d.Name, d.FileSizeBytes}}
	}
	left := d.SizeBytes/mebibyte*mebibyte - 2*mebibyte
	if len(d.Partitions) == 0 {
		return []Part{{d.Name, left}}
	}
	var parts []Part
	for _, p := range d.Partitions {
		size := min(cmp.Or(p.SizeBytes, left), left)
		left -= cmp.Or(p.SizeBytes, left)
		parts = append(parts, Part{p.Name, size})
	}
	return parts
}

// IsIn says whether a device, or a part of it, is among the names.
func (d Device) IsIn(names []string) bool {
	return slices.ContainsFunc(d.Parts(), func(p Part) bool { return slices.Contains(names, p.Name) })
}

// DevicesOf are the devices that a variant uses, in the order of the plan, including devices that replace others later.
func (p Plan) DevicesOf(v Variant) []Device {
	used := p.PlacesOf(v)
	var devices []Device
	for _, d := range p.Devices {
		if d.IsIn(used) {
			devices = append(devices, d)
		}
	}
	return devices
}

// Places are the names of all devices and partitions that a variant uses at its beginning.
func (v Variant) Places() []string {
	if v.Baseline != nil {
		return v.Baseline.Devices()
	}
	return PoolDevices(v.Pool)
}

// PoolDevices are the names of all devices of a pool, in the order in which the spec names them.
func PoolDevices(pool v1alpha1.PoolSpec) []string {
	var names []string
	for _, vdev := range slices.Concat(pool.Vdevs, pool.Log, pool.Cache, pool.Special, pool.Dedup) {
		names = append(names, vdev.Devices...)
	}
	return append(names, pool.Spares...)
}
