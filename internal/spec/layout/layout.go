// SPDX-License-Identifier: Apache-2.0

// Package layout makes the vdevs of a pool whose layout is given by name. It is pure.
package layout

import (
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

var all = []v1alpha1.PoolLayout{
	v1alpha1.LayoutStripe, v1alpha1.LayoutMirror, v1alpha1.LayoutRaidz1, v1alpha1.LayoutRaidz2, v1alpha1.LayoutRaidz3,
	v1alpha1.LayoutDraid1, v1alpha1.LayoutDraid2, v1alpha1.LayoutDraid3,
}

// Vdevs are the data vdevs of a pool, in either form. They are nil if the short form does not say which they are: the
// rules of the CRD refuse such a pool, and say why.
func Vdevs(p v1alpha1.PoolSpec) []v1alpha1.Vdev {
	if len(p.Vdevs) > 0 || p.Layout == "" {
		return p.Vdevs
	}
	width := widthOf(p)
	if !slices.Contains(all, p.Layout) || p.Draid != nil && !IsDraid(p.Layout) ||
		width < 1 || len(p.Devices) == 0 || len(p.Devices)%width != 0 {
		return nil
	}
	if p.Layout == v1alpha1.LayoutStripe {
		if width != 1 {
			return nil
		}
		width = len(p.Devices) // To OpenZFS, each device of a stripe is a vdev.
	}
	var vdevs []v1alpha1.Vdev
	for devices := range slices.Chunk(p.Devices, width) {
		vdevs = append(vdevs, v1alpha1.Vdev{Type: v1alpha1.VdevType(strings.ToLower(string(p.Layout))),
			Devices: slices.Clone(devices), Draid: p.Draid.DeepCopy()})
	}
	return vdevs
}

// Expand is a pool with its vdevs in place of its layout. A pool whose layout makes no vdevs stays as it is.
func Expand(p v1alpha1.PoolSpec) v1alpha1.PoolSpec {
	if vdevs := Vdevs(p); p.Layout != "" && len(p.Vdevs) == 0 && vdevs != nil {
		p.Vdevs, p.Layout, p.Width, p.Devices, p.Draid = vdevs, "", nil, nil, nil
	}
	return p
}

// widthOf is how many devices each vdev of a layout has.
func widthOf(p v1alpha1.PoolSpec) int {
	switch {
	case p.Width != nil:
		return int(*p.Width)
	case p.Layout == v1alpha1.LayoutMirror:
		return 2
	case p.Layout == v1alpha1.LayoutStripe:
		return 1
	}
	return len(p.Devices)
}

// IsDraid says whether vdevs of this layout have a group width and distributed spares.
func IsDraid(l v1alpha1.PoolLayout) bool {
	return l == v1alpha1.LayoutDraid1 || l == v1alpha1.LayoutDraid2 || l == v1alpha1.LayoutDraid3
}
