// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// placeBaseline records the place of each device of a baseline. The devices of an md array count as one vdev.
func (p *playedPool) placeBaseline(b v1alpha1.Baseline) {
	array := b.Array()
	if array == nil {
		return
	}
	played := &playedVdev{tolerance: mdraid.LossTolerance(*array)}
	for _, name := range array.Devices {
		p.vdevs[name], p.uses[name] = played, 1
		p.array = played
	}
}

// onBaseline refuses operations that the baseline does not support. All others are checked as on a pool.
func (p *playedPool) onBaseline(o v1alpha1.PoolOperation, path *field.Path) field.ErrorList {
	refuse := func(text string) field.ErrorList {
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf(text, p.of)+": leave one of the two out")}
	}
	switch {
	case o.Trim != nil || o.Fill != nil:
		if p.baseline.Filesystem == nil {
			return refuse("it needs a filesystem, and there is none%s")
		}
	case o.Scrub == nil && o.Offline == nil && o.Online == nil && o.Replace == nil:
		return refuse("it does something with a pool, and there is none%s, which is a baseline")
	case p.array == nil || p.array.tolerance == 0:
		return refuse("it needs a pool, or an md array with redundancy, and there is none%s, which is a baseline")
	case o.Scrub != nil && len(p.array.offline) >= p.array.tolerance:
		return refuse("with so many devices offline, nothing redundant is left to compare in the md array%s")
	case o.Replace != nil && len(p.array.offline) > 0 && !p.isOffline(o.Replace.Device):
		return refuse("another device is offline in the md array%s, in whose place md would put the new one")
	}
	return nil
}

func (p *playedPool) isOffline(name string) bool {
	vdev := p.vdevs[name]
	return vdev != nil && vdev.isOffline(name)
}
