// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

// subjectPool is the subject that meets every fault at every point.
const subjectPool = "pool"

// subject is what a benchmark of the fault table measures or does.
type subject struct {
	name string
	// disks is how many disks it uses. The last one is the disk that is pulled or fails.
	disks int
	// allow consents to what it needs beside disks and scratch directory.
	allow func(*v1alpha1.BenchmarkDevicePolicySpec)
	// build gives a benchmark without devices and workloads what they run on.
	build func(benchmark, []disk) benchmark
	// broken are the reasons that it may fail with when a disk breaks, besides a pool's reasons.
	broken []string
	points []faultPoint
	// gone wants nothing to be left of what only this subject makes.
	gone func(*testing.T, *v1alpha1.ZfsBenchmark)
}

// meets says whether a fault is one of the table at this point.
func (s subject) meets(p faultPoint, f fault) bool {
	if f.inPool && !p.pool {
		return false
	}
	return s.name == subjectPool || !f.onPoolOnly
}

// subjects are those that can run here: a claimed volume needs the CSI driver.
func subjects() []subject {
	all := []subject{poolSubject(), arraySubject(), operationSubject()}
	if os.Getenv(csiManifests) != "" {
		all = append(all, claimSubject())
	}
	return all
}

// poolSubject is a pool on a disk, and fio.
func poolSubject() subject {
	return subject{name: subjectPool, disks: 1, points: poolPoints(), build: func(b benchmark, disks []disk) benchmark {
		return b.onDisks(v1alpha1.VdevStripe, disks...)
	}}
}

// mirrorBytes is the size of each partition of the subjects that mirror two disks: their syncs and scans are short.
const mirrorBytes = 256 << 20

// withPartition adds a partition to a disk of the benchmark.
func (b benchmark) withPartition(d disk, name string) benchmark {
	part := v1alpha1.Partition{Name: name, Size: resource.NewQuantity(mirrorBytes, resource.BinarySI)}
	for i := range b.obj.Spec.Devices {
		if b.obj.Spec.Devices[i].Path == d.path {
			b.obj.Spec.Devices[i].Partitions = append(b.obj.Spec.Devices[i].Partitions, part)
			return b
		}
	}
	device := v1alpha1.Device{Name: "disk-" + name, Path: d.path, Partitions: []v1alpha1.Partition{part}}
	b.obj.Spec.Devices = append(b.obj.Spec.Devices, device)
	return b
}

// The two sides of a mirror, and what replaces the second, on the first one's disk.
const mirrorLeft, mirrorRight, mirrorSpare = "left", "right", "spare"

// arraySubject is ext4 on an md mirror of two disks.
func arraySubject() subject {
	return subject{
		name: "md array", disks: 2, points: arrayPoints(), broken: []string{v1alpha1.ReasonBaselineFailed},
		allow: func(policy *v1alpha1.BenchmarkDevicePolicySpec) { policy.MDArrays = v1alpha1.MDArraysAllowed },
		build: func(b benchmark, disks []disk) benchmark {
			b = b.withPartition(disks[0], mirrorLeft).withPartition(disks[1], mirrorRight)
			b.obj.Spec.Pool = nil
			b.obj.Spec.Baselines = []v1alpha1.Baseline{{Name: onMirror, Filesystem: &v1alpha1.FilesystemBaseline{
				FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"},
				MD: &v1alpha1.MDArray{
					Level: v1alpha1.MDRaid1, Devices: []string{mirrorLeft, mirrorRight}, Bitmap: v1alpha1.MDBitmapInternal,
				},
			}}}
			return b
		},
	}
}

// operationSubject does something with a pool that is a mirror of two disks.
func operationSubject() subject {
	return subject{
		name: "pool operation", disks: 2, points: operationPoints(),
		build: func(b benchmark, disks []disk) benchmark {
			b = b.withPartition(disks[0], mirrorLeft).withPartition(disks[1], mirrorRight)
			mirror := v1alpha1.Vdev{Type: v1alpha1.VdevMirror, Devices: []string{mirrorLeft, mirrorRight}}
			b.obj.Spec.Pool.Vdevs = []v1alpha1.Vdev{mirror}
			return b
		},
	}
}

// claimSubject is a volume that the CSI driver makes in a pool on a disk.
func claimSubject() subject {
	return subject{
		name: "claimed volume", disks: 1, points: claimPoints(), broken: []string{v1alpha1.ReasonClaimFailed},
		build: func(b benchmark, disks []disk) benchmark {
			b = b.onDisks(v1alpha1.VdevStripe, disks...)
			b.obj.Spec.Dataset = &v1alpha1.DatasetSpec{
				Type: v1alpha1.DatasetPersistentVolume,
				PersistentVolume: &v1alpha1.PersistentVolumeSpec{
					Size: resource.MustParse("256Mi"), FSType: v1alpha1.FSTypeZFS,
				},
			}
			return b
		},
		gone: func(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
			t.Helper()
			awaitNoVolumes(t)
			assertNoClaims(t, obj)
		},
	}
}

// operate adds a workload that does something with the pool or array, after one that gives it something to do it with.
func operate(name string, change func(*v1alpha1.PoolOperation)) func(benchmark, []disk) benchmark {
	return func(b benchmark, _ []disk) benchmark {
		o := &v1alpha1.PoolOperation{}
		change(o)
		b = b.fio("write", v1alpha1.FioWrite, "128k", "32Mi")
		b.obj.Spec.Workloads[0].Cache = v1alpha1.CacheWarm
		b.obj.Spec.Workloads = append(b.obj.Spec.Workloads, v1alpha1.Workload{Name: name, Cache: v1alpha1.CacheWarm, Pool: o})
		return b
	}
}

// replaced replaces the second side of the mirror. The first disk has what takes its place.
func replaced(b benchmark, disks []disk) benchmark {
	return operate("replace", func(o *v1alpha1.PoolOperation) {
		o.Replace = &v1alpha1.ReplaceOperation{Device: mirrorRight, With: mirrorSpare}
	})(b.withPartition(disks[0], mirrorSpare), disks)
}

// reads is a workload that first writes so much, and then reads from it for so long.
func reads(size string, runtime time.Duration) func(benchmark, []disk) benchmark {
	return func(b benchmark, _ []disk) benchmark {
		return b.fio("steady", v1alpha1.FioRandRead, "16k", size, timeBased(runtime))
	}
}
