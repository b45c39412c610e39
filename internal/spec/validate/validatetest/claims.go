// SPDX-License-Identifier: Apache-2.0

package validatetest

import "strings"

// Claims are cases about volumes that are claimed from Kubernetes, and about the quota that makes a filesystem
// comparable with one.
func Claims() map[string]Case {
	claim := func(fields, properties string) string {
		return "{spec: {dataset: {type: PersistentVolume, persistentVolume: {" + fields + "}, properties: {" + properties +
			"}}}}"
	}
	const at, rounded = "spec.dataset.persistentVolume", "size must be whole MiB up to 1Gi, and whole GiB from there " +
		"to 64Ti"
	cases := map[string]Case{
		"zfs": {Patch: claim(`size: 4Gi, fsType: zfs`, `recordsize: 16K, sync: always`)},
		"ext4": {Patch: claim(`size: 4Gi, fsType: ext4, sparse: true`,
			`volblocksize: 64K, compression: zstd-3`)},
		"a block device":     {Patch: claim(`size: 4Gi, volumeMode: Block`, `volblocksize: 64K`)},
		"a filesystem, said": {Patch: claim(`size: 4Gi, fsType: xfs, volumeMode: Filesystem`, ``)},
		"MiB": {Patch: strings.Replace(claim(`size: 300Mi, fsType: xfs`, ``), "{spec: {",
			"{spec: {workloads: [{name: a, fio: {rw: write, size: 8Mi}}], ", 1)},
		"a quota":           {Patch: `{spec: {dataset: {quota: {size: 4Gi}}}}`},
		"a sparse quota":    {Patch: `{spec: {dataset: {quota: {size: 4097Mi, sparse: true}}}}`},
		"all kinds":         varied(`axes: [{name: path, values: [{name: dataset, dataset: {quota: {size: 4Gi}}}, {name: zvol, dataset: {type: Volume, volume: {size: 4Gi, filesystem: {type: ext4}}}}, {name: pvc-zfs, dataset: {type: PersistentVolume, persistentVolume: {size: 4Gi, fsType: zfs}}}, {name: pvc-ext4, dataset: {type: PersistentVolume, persistentVolume: {size: 4Gi, fsType: ext4}}}]}]`),
		"an existing class": {Patch: onBaselines(`{name: other, persistentVolume: {storageClassName: fast.local, size: 5Gi}}`)},
		"a class's device":  {Patch: onBaselines(`{name: other, persistentVolume: {storageClassName: fast, size: 5Gi, volumeMode: Block}}`)},
		"a claim without": {Patch: `{spec: {dataset: {type: PersistentVolume}}}`, Field: at,
			Message: "persistentVolume is required for type PersistentVolume"},
		"a claim elsewhere": {Patch: `{spec: {dataset: {persistentVolume: {size: 4Gi, fsType: zfs}}}}`, Field: at,
			Message: "persistentVolume is only for type PersistentVolume"},
		"neither": {Patch: claim(`size: 4Gi`, ``), Field: at, Message: "exactly one of fsType and volumeMode " +
			"Block must be set"},
		"both": {Patch: claim(`size: 4Gi, fsType: ext4, volumeMode: Block`, ``), Field: at,
			Message: "exactly one of fsType and volumeMode Block must be set"},
		"an odd size": {Patch: claim(`size: 1500Mi, fsType: zfs`, ``), Field: at + ".size", Message: rounded},
		"an odd small size": {Patch: strings.Replace(claim(`size: 1025Ki, fsType: zfs`, ``), "{spec: {",
			"{spec: {workloads: [{name: a, fio: {rw: write, size: 4Ki}}], ", 1), Field: at + ".size", Message: rounded},
		"another filesystem": {Patch: claim(`size: 4Gi, fsType: ntfs`, ``), Field: at + ".fsType",
			Message: `Unsupported value: "ntfs"`},
		"another mode": {Patch: claim(`size: 4Gi, fsType: ext4, volumeMode: Raw`, ``), Field: at + ".volumeMode",
			Message: `Unsupported value: "Raw"`},
		"records of a zvol": {Patch: claim(`size: 4Gi, fsType: ext4`, `recordsize: 16K`), Field: "spec.dataset.properties",
			Message: "recordsize is a property of type Filesystem only"},
		"blocks of a dataset": {Patch: claim(`size: 4Gi, fsType: zfs`, `volblocksize: 16K`), Field: "spec.dataset.properties",
			Message: "volblocksize is a property of type Volume only"},
		"not inherited": {Patch: claim(`size: 4Gi, fsType: ext4`, `volthreading: "off"`),
			Field: "spec.dataset.properties", Message: "volthreading is not a parameter of the driver"},
		"a quota of a volume": {Patch: `{spec: {dataset: {type: Volume, volume: {size: 4Gi}, quota: {size: 4Gi}}}}`,
			Field: "spec.dataset.quota", Message: "quota is only for type Filesystem"},
		"a quota too small": {Patch: `{spec: {workloads: [{name: a, fio: {rw: write, size: 4Ki}}], dataset: {quota: {size: 4Ki}}}}`, Field: "spec.dataset.quota.size", Message: "size must be a whole number of bytes from 1Mi to 64Ti"},
		"no class": {Patch: onBaselines(`{name: a, persistentVolume: {storageClassName: "", size: 5Gi}}`),
			Field: "spec.baselines[0].persistentVolume.storageClassName", Message: "storageClassName"},
		"a class's path": {Patch: onBaselines(`{name: a, persistentVolume: {storageClassName: ../x, size: 5Gi}}`),
			Field: "spec.baselines[0].persistentVolume.storageClassName", Message: "storageClassName"},
		"a class's size": {Patch: onBaselines(`{name: a, persistentVolume: {storageClassName: a, size: 1Ki}}`),
			Field: "spec.baselines[0].persistentVolume.size", Message: "size must be a whole number of bytes from 1Mi to 64Ti"},
		"a class and a disk": {Patch: onBaselines(
			`{name: a, raw: {device: d0}, persistentVolume: {storageClassName: a, size: 5Gi}}`), Field: "spec.baselines[0]",
			Message: "exactly one of filesystem, raw and persistentVolume must be set"},
	}
	const expanded = "the matrix is expanded by the controller"
	for name, c := range map[string]Case{
		"no room in a claim":    {Patch: `{spec: {dataset: {type: PersistentVolume, persistentVolume: {size: 1Gi, fsType: zfs}}, workloads: [{name: a, fio: {rw: write, size: 2Gi}}]}}`, Field: "spec.workloads", Message: "size x numJobs is more than dataset.persistentVolume.size"},
		"no room in a quota":    {Patch: `{spec: {dataset: {quota: {size: 1Gi}}, workloads: [{name: a, fio: {rw: write, size: 2Gi}}]}}`, Field: "spec.workloads", Message: "size x numJobs is more than dataset.quota.size"},
		"files in a device":     {Patch: `{spec: {dataset: {type: PersistentVolume, persistentVolume: {size: 1Gi, volumeMode: Block}}, workloads: [{name: a, tree: {}}]}}`, Field: "spec.workloads[0]", Message: "it makes files, and the variant is a block device"},
		"a snapshot of a claim": {Patch: `{spec: {dataset: {type: PersistentVolume, persistentVolume: {size: 1Gi, fsType: zfs}}, workloads: [{name: a, pool: {snapshot: {}}}]}}`, Field: "spec.workloads[0].pool", Message: "are not possible on a persistent volume"},
	} {
		cases[name] = goOnly(c, expanded)
	}
	return cases
}
