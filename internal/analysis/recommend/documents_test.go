// SPDX-License-Identifier: Apache-2.0

package recommend

import (
	"strings"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/testfiles"
)

func sources() map[string]Source {
	disks := []plan.Device{
		{Name: "d0", Path: "/dev/disk/by-id/wwn-0", SizeBytes: 1 << 40},
		{Name: "d1", Path: "/dev/disk/by-id/wwn-1", SizeBytes: 1 << 40},
		{Name: "ssd", Path: "/dev/disk/by-id/nvme-0", Partitions: []plan.Partition{{Name: "slog", SizeBytes: 4 << 30},
			{Name: "l2arc"}}}, {Name: "f0", FileSizeBytes: 2 << 30},
	}
	filesystem := onPool("layout=mirror,recordsize=16K", v1alpha1.VdevMirror, v1alpha1.DatasetProperties{
		"recordsize": "16K", "compression": "lz4", "dedup": "sha256,verify", "sync": "always", "logbias": "throughput",
	})
	filesystem.Pool.Ashift, filesystem.Pool.Properties = ptr.To(int32(12)), v1alpha1.PoolProperties{"autotrim": "on"}
	filesystem.Pool.Log = []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"slog"},
		Ashift: ptr.To(int32(13))}}
	filesystem.ModuleParameters = v1alpha1.ModuleParameters{"zfs_txg_timeout": "30"}
	volume := onPool("ext4-on-volume", v1alpha1.VdevStripe, v1alpha1.DatasetProperties{"volblocksize": "16K",
		"compression": "zstd-fast-10", "volthreading": "off"})
	volume.Pool.Vdevs[0].Devices = []string{"f0"}
	volume.Dataset.Volume = &v1alpha1.VolumeSpec{Size: resource.MustParse("1Gi"), Filesystem: &v1alpha1.FilesystemSpec{
		Type: "ext4", MkfsOptions: []v1alpha1.FilesystemOption{"blockSize=4096"},
		MountOptions: []v1alpha1.FilesystemOption{"noatime"},
	}}
	raw := onPool("raw", v1alpha1.VdevStripe, nil)
	raw.Dataset.Volume = &v1alpha1.VolumeSpec{Size: resource.MustParse("1Gi"), Sparse: true}
	return map[string]Source{
		"filesystem": {Namespace: "lab", Name: "layouts", Variant: filesystem, Devices: disks,
			NodeIDs: []string{"storage-0", "id-7"}},
		"volume": {Namespace: "lab", Name: "layouts", Variant: volume, Devices: disks, NodeIDs: []string{"storage-0"}},
		"raw":    {Namespace: "lab", Name: "layouts", Variant: raw, Devices: disks, NodeIDs: []string{"storage-0"}},
	}
}

func TestDocumentsGolden(t *testing.T) {
	for name, source := range sources() {
		class, err := StorageClass(source)
		if err != nil {
			t.Fatal(err)
		}
		testfiles.Compare(t, "storageclass-"+name+".yaml", class)
		if err := yaml.UnmarshalStrict([]byte(class), &storagev1.StorageClass{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		create, err := ZpoolCreate(source)
		if err != nil {
			t.Fatal(err)
		}
		testfiles.Compare(t, "zpool-create-"+name+".txt", create)
	}
}

func TestFilesystemThatTheDriverDoesNotMake(t *testing.T) {
	s := sources()["volume"]
	s.Variant.Dataset.Volume.Filesystem.Type = "f2fs"
	if _, err := StorageClass(s); err == nil || !strings.Contains(err.Error(), "the driver makes no f2fs on a volume") {
		t.Errorf("%v", err)
	}
}
