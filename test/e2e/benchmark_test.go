// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// benchmark builds a ZfsBenchmark for the node under test.
type benchmark struct{ obj *v1alpha1.ZfsBenchmark }

// newBenchmark starts with the node, OpenZFS's defaults and no devices.
func newBenchmark(name string) benchmark {
	return benchmark{&v1alpha1.ZfsBenchmark{
		ObjectMeta: metav1.ObjectMeta{Namespace: benchNamespace, Name: name},
		Spec: v1alpha1.ZfsBenchmarkSpec{
			Nodes: v1alpha1.NodesSpec{Names: []string{suite.node.Name}},
			Pool:  &v1alpha1.PoolSpec{},
		},
	}}
}

// disks joins n disks of the suite, from the first, into one vdev.
func (b benchmark) disks(layout v1alpha1.VdevType, n int) benchmark {
	return b.onDisks(layout, suite.disks[:n]...)
}

// onDisks joins these disks into one vdev.
func (b benchmark) onDisks(layout v1alpha1.VdevType, disks ...disk) benchmark {
	vdev := v1alpha1.Vdev{Type: layout}
	for i, d := range disks {
		name := fmt.Sprintf("d%d", i)
		b.obj.Spec.Devices = append(b.obj.Spec.Devices, v1alpha1.Device{Name: name, Path: d.path})
		vdev.Devices = append(vdev.Devices, name)
	}
	b.obj.Spec.Pool.Vdevs = append(b.obj.Spec.Pool.Vdevs, vdev)
	return b
}

// layout names a layout of n disks of the suite, from the first.
func (b benchmark) layout(name v1alpha1.PoolLayout, n int) benchmark {
	b.disks(v1alpha1.VdevStripe, n)
	pool := b.obj.Spec.Pool
	pool.Layout, pool.Devices, pool.Vdevs = name, pool.Vdevs[0].Devices, nil
	return b
}

// logAndCache splits a disk into a log with an ashift of its own and a cache.
func (b benchmark) logAndCache(d disk, ashift int32) benchmark {
	size := resource.MustParse("128Mi")
	b.obj.Spec.Devices = append(b.obj.Spec.Devices,
		v1alpha1.Device{Name: "ssd", Path: d.path,
			Partitions: []v1alpha1.Partition{{Name: "slog", Size: &size}, {Name: "l2arc"}}})
	b.obj.Spec.Pool.Log = []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"slog"}, Ashift: &ashift}}
	b.obj.Spec.Pool.Cache = []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"l2arc"}}}
	return b
}

// files stripes over n file devices of this size.
func (b benchmark) files(n int, size string) benchmark {
	vdev := v1alpha1.Vdev{Type: v1alpha1.VdevStripe}
	for i := range n {
		name := fmt.Sprintf("f%d", i)
		b.obj.Spec.Devices = append(b.obj.Spec.Devices,
			v1alpha1.Device{Name: name, File: &v1alpha1.FileDevice{Size: resource.MustParse(size)}})
		vdev.Devices = append(vdev.Devices, name)
	}
	b.obj.Spec.Pool.Vdevs = append(b.obj.Spec.Pool.Vdevs, vdev)
	return b
}

// volume measures on a zvol instead of a filesystem.
func (b benchmark) volume(size string) benchmark {
	b.obj.Spec.Dataset = &v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume,
		Volume: &v1alpha1.VolumeSpec{Size: resource.MustParse(size)}}
	return b
}

// property sets a dataset property.
func (b benchmark) property(name string, value v1alpha1.PropertyValue) benchmark {
	if b.obj.Spec.Dataset == nil {
		b.obj.Spec.Dataset = &v1alpha1.DatasetSpec{}
	}
	if b.obj.Spec.Dataset.Properties == nil {
		b.obj.Spec.Dataset.Properties = v1alpha1.DatasetProperties{}
	}
	b.obj.Spec.Dataset.Properties[name] = value
	return b
}

// repetitions measures n times.
func (b benchmark) repetitions(n int32) benchmark {
	b.obj.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: n}
	return b
}

// fio adds a workload; change adjusts it.
func (b benchmark) fio(
	name string, rw v1alpha1.FioRW, bs, size string, change ...func(*v1alpha1.FioWorkload),
) benchmark {
	w := &v1alpha1.FioWorkload{RW: rw, BS: bs, Size: resource.MustParse(size)}
	for _, c := range change {
		c(w)
	}
	b.obj.Spec.Workloads = append(b.obj.Spec.Workloads, v1alpha1.Workload{Name: name, Fio: w})
	return b
}

// seqBytes is what seqWrite writes and seqRead reads.
const seqBytes = 16 << 20

// seqWrite adds a small sequential write.
func (b benchmark) seqWrite() benchmark {
	return b.fio("seq-write", v1alpha1.FioWrite, "128k", seqSize())
}

// seqRead adds a small sequential read.
func (b benchmark) seqRead() benchmark { return b.fio("seq-read", v1alpha1.FioRead, "128k", seqSize()) }

func seqSize() string { return strconv.Itoa(seqBytes) }
