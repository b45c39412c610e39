// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"strings"
)

// Policies are cases about BenchmarkDevicePolicy, on the base Policy.
func Policies() map[string]Case {
	const (
		size      = "spec.devices[0].size"
		path      = "spec.devices[0].path"
		directory = "spec.scratch.directory"
		own       = "directory must be one of the operator's own that survives a reboot"
	)
	cases := map[string]Case{
		"the base":         {},
		"everything":       {Patch: `{spec: {scratch: {directory: /var/lib/zfs-benchmark, totalSize: 20Gi}, maxTimeout: 24h}}`},
		"no devices":       {Patch: `{spec: {devices: null}}`},
		"an unknown field": {Patch: `{spec: {nonsense: 1}}`, Message: "unknown field"},

		"no node name": {Patch: `{spec: {node: {name: ""}}}`, Field: "spec.node.name", Message: "name must be " +
			"the name of a node"},
		"a node that is no name": {Patch: `{spec: {node: {name: "storage_*"}}}`, Field: "spec.node.name",
			Message: "name must be the name of a node"},
		"no node UID": {Patch: `{spec: {node: {uid: ""}}}`, Field: "spec.node.uid", Message: "uid must be the " +
			"UID of the Node object"},
		"a node UID with a glob": {Patch: `{spec: {node: {uid: "*"}}}`, Field: "spec.node.uid", Message: "uid must be " +
			"the UID of the Node object"},
		"a node UID too long": {Patch: `{spec: {node: {uid: ` + strings.Repeat("a", 65) + `}}}`, Field: "spec.node.uid",
			Message: "may not be more than 64"},
		"no namespaces": {Patch: `{spec: {namespaces: []}}`, Field: "spec.namespaces",
			Message: "should have at least 1 items"},
		"a namespace twice": {Patch: `{spec: {namespaces: [a, a]}}`, Field: "spec.namespaces[1]",
			Message: "Duplicate value"},
		"a namespace with a glob": {Patch: `{spec: {namespaces: ["team-*"]}}`, Field: "spec.namespaces[0]",
			Message: "namespaces must be exact names of namespaces"},
		"a namespace left empty": {Patch: `{spec: {namespaces: [""]}}`, Field: "spec.namespaces[0]",
			Message: "namespaces must be exact names of namespaces"},

		"a path twice": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1}`,
			`{path: /dev/disk/by-id/a, serial: S2, size: 1}`), Field: "spec.devices[1]", Message: "Duplicate value"},
		"a path with a glob": {Patch: policyDevices(`{path: "/dev/disk/by-id/wwn-*", serial: S1, size: 1}`),
			Field: path, Message: "path must be a disk's stable path"},
		"a path by name": {Patch: policyDevices(`{path: /dev/sdb, serial: S1, size: 1}`), Field: path,
			Message: "path must be a disk's stable path"},
		"a partition": {Patch: policyDevices(`{path: /dev/disk/by-id/a-part2, serial: S1, size: 1}`),
			Field: path, Message: "path must be a whole disk, not a partition"},
		"a serial with spaces": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: "S 1", size: 1}`)},
		"no serial": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: "", size: 1}`),
			Field: "spec.devices[0].serial", Message: "serial must be printable ASCII"},
		"a serial with newline": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: "S1\n", size: 1}`),
			Field: "spec.devices[0].serial", Message: "serial must be printable ASCII"},
		"unsigned data to be overwritten": {Patch: policyDevices(
			`{path: /dev/disk/by-id/a, serial: S1, size: 1, unsignedData: Overwrite}`)},
		"unsigned data to be kept": {
			Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1, unsignedData: Keep}`),
			Field: "spec.devices[0].unsignedData", Message: `Unsupported value: "Keep"`,
		},
		"disks of a class": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1, class: nvme-gen4}`,
			`{path: /dev/disk/by-id/b, serial: S2, size: 1, class: nvme-gen4}`)},
		"a class with a glob": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1, class: "nvme*"}`),
			Field: "spec.devices[0].class", Message: "class must be lower-case letters"},
		"a class left empty": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1, class: ""}`),
			Field: "spec.devices[0].class", Message: "class must be lower-case letters"},
		"a class of 64 characters": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1, class: ` +
			strings.Repeat("a", 64) + `}`), Field: "spec.devices[0].class", Message: "may not be more than 63"},
		"the whole disk to be read": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1, content: Full}`)},
		"half of the disk to be read": {
			Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1, content: Half}`),
			Field: "spec.devices[0].content", Message: `Unsupported value: "Half"`,
		},
		"the whole disk to be read, and data to be overwritten": {
			Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 1, content: Full, unsignedData: Overwrite}`),
			Field: "spec.devices[0]", Message: "choose one",
		},
		"a size with a unit": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 8Gi}`)},
		"a size as a string": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: "8589934592"}`)},
		"a size of zero": {
			Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: 0}`), Field: size, Message: "size must be a " +
				"positive whole number of bytes",
			GoOnly: "a number in a field that also takes strings has no bounds in older API servers, so a rule would be too " +
				"costly",
		},
		"a size of zero, as a string": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: "0"}`), Field: size,
			Message: "should match"},
		"a negative size": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: "-1"}`),
			Field: size, Message: "should match"},
		"a size that is no quantity": {Patch: policyDevices(`{path: /dev/disk/by-id/a, serial: S1, size: big}`), Field: size,
			Message: "Invalid value"},

		"a parameter": {Patch: policyParameters("zfs_txg_timeout")},
		"a parameter twice": {Patch: policyParameters("a", "a"), Field: "spec.moduleParameters[1]",
			Message: "Duplicate value"},
		"a parameter with a glob": {Patch: policyParameters(`"zfs_*"`), Field: "spec.moduleParameters[0]",
			Message: "moduleParameters must be names of parameters"},
		"a parameter as a path": {Patch: policyParameters("../zfs"), Field: "spec.moduleParameters[0]",
			Message: "moduleParameters must be names of parameters"},
		"a parameter too long": {Patch: policyParameters(strings.Repeat("a", 65)), Field: "spec.moduleParameters[0]",
			Message: "may not be more than 64"},
		"65 parameters": {Patch: policyParameters(many(65, "a%d")), Field: "spec.moduleParameters",
			Message: "must have at most 64 items"},

		"a namespace's UID": {Patch: `{spec: {namespaceUIDs: [{name: team-a, uid: 1f0c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11}]}}`},
		"a UID of a namespace that has no consent": {
			Patch: `{spec: {namespaceUIDs: [{name: team-z, uid: a}]}}`, Field: "spec.namespaceUIDs",
			Message: "namespaceUIDs must name namespaces that are in spec.namespaces",
		},
		"two UIDs of a namespace": {
			Patch: `{spec: {namespaceUIDs: [{name: team-a, uid: a}, {name: team-a, uid: b}]}}`, Field: "spec.namespaceUIDs[1]",
			Message: "Duplicate value",
		},
		"a namespace's UID with a glob": {
			Patch: `{spec: {namespaceUIDs: [{name: team-a, uid: "*"}]}}`, Field: "spec.namespaceUIDs[0].uid",
			Message: "uid must be the UID of the Namespace object",
		},
		"a namespace's UID too long": {
			Patch: `{spec: {namespaceUIDs: [{name: team-a, uid: ` + strings.Repeat("a", 65) + `}]}}`,
			Field: "spec.namespaceUIDs[0].uid", Message: "may not be more than 64",
		},
		"file devices": {Patch: `{spec: {fileDevices: Allowed}}`},
		"file devices, perhaps": {Patch: `{spec: {fileDevices: Maybe}}`, Field: "spec.fileDevices",
			Message: `Unsupported value: "Maybe"`},

		"md arrays":    {Patch: `{spec: {mdArrays: Allowed}}`},
		"no md arrays": {Patch: `{spec: {mdArrays: Forbidden}}`},
		"md arrays, perhaps": {Patch: `{spec: {mdArrays: Maybe}}`, Field: "spec.mdArrays",
			Message: `Unsupported value: "Maybe"`},
		"filesystems": {Patch: `{spec: {filesystems: [f2fs, jfs, reiserfs, bcachefs]}}`},
		"a filesystem twice": {Patch: `{spec: {filesystems: [f2fs, f2fs]}}`, Field: "spec.filesystems[1]",
			Message: "Duplicate value"},
		"a filesystem for everybody": {Patch: `{spec: {filesystems: [ext4]}}`, Field: "spec.filesystems[0]",
			Message: `Unsupported value: "ext4"`},
		"storage classes": {Patch: policyClasses(`{name: fast, totalSize: 8Gi}`,
			`{name: slow.example, totalSize: 1Ti}`)},
		"a storage class twice": {Patch: policyClasses(`{name: fast, totalSize: 8Gi}`, `{name: fast, totalSize: 9Gi}`),
			Field: "spec.storageClasses[1]", Message: "Duplicate value"},
		"a storage class with a glob": {Patch: policyClasses(`{name: "fast-*", totalSize: 8Gi}`),
			Field: "spec.storageClasses[0].name", Message: "name must be the name of a StorageClass"},
		"a storage class without name": {Patch: policyClasses(`{name: "", totalSize: 8Gi}`),
			Field: "spec.storageClasses[0].name", Message: "name must be the name of a StorageClass"},
		"a storage class too long": {Patch: policyClasses(`{name: ` + strings.Repeat("a", 254) + `, totalSize: 8Gi}`),
			Field: "spec.storageClasses[0].name", Message: "may not be more than 253"},
		"a storage class of no size": {Patch: policyClasses(`{name: fast, totalSize: "0"}`),
			Field: "spec.storageClasses[0].totalSize", Message: "Invalid value", GoToo: "it also checks integers"},
		"a storage class of no size, an integer": goOnly(Case{Patch: policyClasses(`{name: fast, totalSize: 0}`),
			Field: "spec.storageClasses[0].totalSize", Message: "totalSize must be a positive whole number"},
			"the CRD's pattern is for texts"),
		"scratch of a negative size": goOnly(Case{
			Patch: `{spec: {scratch: {directory: /var/lib/x, totalSize: -1}}}`, Field: "spec.scratch.totalSize",
			Message: "totalSize must be a positive whole number"}, "the CRD's pattern is for texts"),
		"scratch below /mnt": {Patch: scratch("/mnt/fast/zfs-benchmark")},
		"scratch of its own": {Patch: scratch("/zfs-benchmark")},
		"scratch relative": {Patch: scratch("var/lib/x"), Field: directory, Message: "directory must be an " +
			"absolute path"},
		"scratch with ..": {Patch: scratch("/var/lib/../../etc"), Field: directory, Message: "directory must be " +
			"an absolute path"},
		"scratch with . ": {Patch: scratch("/var/lib/./x"), Field: directory, Message: "directory must be an " +
			"absolute path"},
		"scratch ending in /": {Patch: scratch("/var/lib/x/"), Field: directory, Message: "directory must be an " +
			"absolute path"},
		"scratch with a space": {Patch: scratch("/var/lib/a b"), Field: directory, Message: "directory must be an " +
			"absolute path"},
		"scratch is /": {Patch: scratch("/"), Field: directory, Message: "directory must be an absolute path"},
		"scratch too long": {Patch: scratch("/" + strings.Repeat("a", 255)), Field: directory,
			Message: "may not be more than 255"},
		"scratch of no size": {Patch: `{spec: {scratch: {directory: /var/lib/x, totalSize: "0"}}}`,
			Field: "spec.scratch.totalSize", Message: "Invalid value", GoToo: "it also checks integers"},
		"maxTimeout of zero": {Patch: `{spec: {maxTimeout: 0s}}`, Field: "spec.maxTimeout", Message: "maxTimeout " +
			"must be whole seconds from 1m to 720h, for example 24h"},
		"maxTimeout over a month": {Patch: `{spec: {maxTimeout: 1000h}}`, Field: "spec.maxTimeout", Message: "maxTimeout " +
			"must be whole seconds from 1m to 720h"},
		"images": {Patch: `{spec: {images: ["registry.example/tools/sqlite:3.46", "data@sha256:` +
			strings.Repeat("0f", 32) + `"]}}`},
		"an image twice": {Patch: `{spec: {images: ["a:1", "a:1"]}}`, Field: "spec.images[1]",
			Message: "Duplicate value"},
		"an image with a glob": {Patch: `{spec: {images: ["registry.example/*"]}}`, Field: "spec.images[0]",
			Message: "must be a container image with a tag or a digest"},
		"an image without a tag": {Patch: `{spec: {images: [sqlite]}}`, Field: "spec.images[0]", Message: "must be a " +
			"container image with a tag or a digest"},
		"claims": {Patch: `{spec: {persistentVolumeClaims: [given, given.2026]}}`},
		"a claim twice": {Patch: `{spec: {persistentVolumeClaims: [a, a]}}`,
			Field: "spec.persistentVolumeClaims[1]", Message: "Duplicate value"},
		"a claim with a glob": {Patch: `{spec: {persistentVolumeClaims: ["given-*"]}}`,
			Field: "spec.persistentVolumeClaims[0]", Message: "persistentVolumeClaims must be names of PersistentVolumeClaims"},
		"a claim of a namespace": {Patch: `{spec: {persistentVolumeClaims: [team-a/given]}}`,
			Field: "spec.persistentVolumeClaims[0]", Message: "persistentVolumeClaims must be names of PersistentVolumeClaims"},
		"a claim left empty": {Patch: `{spec: {persistentVolumeClaims: [""]}}`, Field: "spec.persistentVolumeClaims[0]",
			Message: "persistentVolumeClaims must be names of PersistentVolumeClaims"},
		"a claim's name too long": {Patch: `{spec: {persistentVolumeClaims: [` + strings.Repeat("a", 254) + `]}}`,
			Field: "spec.persistentVolumeClaims[0]", Message: "may not be more than 253"},
		"65 claims": {Patch: `{spec: {persistentVolumeClaims: [` + many(65, "a%d") + `]}}`,
			Field: "spec.persistentVolumeClaims", Message: "must have at most 64 items"},
		"65 images": {Patch: `{spec: {images: [` + many(65, "a:%d") + `]}}`, Field: "spec.images",
			Message: "must have at most 64 items"},
	}
	for _, dir := range []string{
		"/etc", "/etc/zfs", "/usr/local", "/bin", "/dev/shm", "/proc/1", "/sys", "/run/x", "/boot", "/tmp", "/tmp/x", "/root",
		"/var", "/var/lib", "/var/tmp", "/home", "/mnt",
		"/var/run/x", "/var/lib/kubelet", "/var/lib/kubelet/pods", "/var/lib/containerd/x", "/var/lib/etcd",
	} {
		cases["scratch is the system's "+dir] = Case{Patch: scratch(dir), Field: directory, Message: own}
	}
	for _, dir := range []string{"/etcetera/x", "/var/lib/kubelet-scratch", "/home/zfs", "/devices"} {
		cases["scratch is not the system's "+dir] = Case{Patch: scratch(dir)}
	}
	return cases
}

func policyDevices(devices ...string) string {
	return "{spec: {devices: [" + strings.Join(devices, ", ") + "]}}"
}

func policyParameters(names ...string) string {
	return "{spec: {moduleParameters: [" + strings.Join(names, ", ") + "]}}"
}

func policyClasses(classes ...string) string {
	return "{spec: {storageClasses: [" + strings.Join(classes, ", ") + "]}}"
}

func scratch(dir string) string {
	return fmt.Sprintf("{spec: {scratch: {directory: %q, totalSize: 20Gi}}}", dir)
}
