// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

const uidOfOld = "ffffffff-0000-4000-8000-000000000000"

// forTeamA is a policy for a node and a namespace that consents to nothing.
const forTeamA = "node: {name: storage-0, uid: " + testNodeUID + "}\nnamespaces: [team-a]\n"

func TestConsent(t *testing.T) {
	disks := []Device{{Name: "d0", Path: "/dev/disk/by-id/wwn-0", Serial: "S0", SizeBytes: 8 << 30},
		{Name: "d1", Path: "/dev/disk/by-id/wwn-1", Serial: "S1", SizeBytes: 8 << 30}}
	files := []Device{{Name: "f0", FileSizeBytes: 1 << 30}, {Name: "f1", FileSizeBytes: 1 << 30}}
	elsewhere := Scratch{Directory: "/mnt/fast/zfs-benchmark", LimitBytes: 20 << 30}
	const (
		scratchPolicy = forTeamA + "scratch: {directory: /mnt/fast/zfs-benchmark, totalSize: 20Gi}\n"
		// txgAxis sets one parameter in all variants, and another in one of them.
		txgAxis = "moduleParameters: {l2arc_write_max: \"8388608\"}\nmatrix: {include: [{name: a}, {name: b, " +
			"moduleParameters: {zfs_txg_timeout: \"7\"}}]}\n"
	)
	tests := map[string]struct {
		spec     string
		node     Node
		policies map[string]string
		want     Granted
		// reason and message are the expected fields of the error.
		reason  string
		message []string
	}{
		"files need none": {spec: onFiles, want: Granted{Devices: files, Scratch: testDefaults().Scratch}},
		"disks, granted": {spec: onDisks, policies: map[string]string{"p": bothDisks},
			want: Granted{Devices: disks, Scratch: testDefaults().Scratch}},
		"disks, by two policies that agree": {
			spec: onDisks, policies: map[string]string{"p": bothDisks, "q": bothDisks},
			want: Granted{Devices: disks, Scratch: testDefaults().Scratch},
		},
		"disks, one by each of two policies": {
			spec: onDisks,
			policies: map[string]string{
				"p": strings.Replace(bothDisks, "- {path: /dev/disk/by-id/wwn-1, serial: S1, size: 8589934592}\n", "", 1),
				"q": strings.Replace(bothDisks, "- {path: /dev/disk/by-id/wwn-0, serial: S0, size: 8589934592}\n", "", 1),
			},
			want: Granted{Devices: disks, Scratch: testDefaults().Scratch},
		},
		"unsigned data may be overwritten": {
			spec: onDisks, policies: map[string]string{"p": strings.Replace(bothDisks, "serial: S1,", "serial: S1, "+
				"unsignedData: Overwrite,", 1)},
			want: Granted{
				Devices: []Device{disks[0], {Name: "d1", Path: "/dev/disk/by-id/wwn-1", Serial: "S1", SizeBytes: 8 << 30,
					OverwriteUnsigned: true}}, Scratch: testDefaults().Scratch,
			},
		},
		"outside Kubernetes a node has no UID": {
			spec: onDisks, node: Node{Name: "storage-0"}, policies: map[string]string{"p": bothDisks},
			want: Granted{Devices: disks, Scratch: testDefaults().Scratch},
		},
		"another scratch": {
			spec: onFiles, policies: map[string]string{"p": scratchPolicy}, want: Granted{Devices: files, Scratch: elsewhere},
		},
		"the smallest maxTimeout": {
			spec: onDisks, policies: map[string]string{"p": bothDisks + "maxTimeout: 4h\n", "q": bothDisks + "maxTimeout: 3h\n",
				"r": bothDisks},
			want: Granted{Devices: disks, Scratch: testDefaults().Scratch, MaxTimeout: 3 * time.Hour},
		},

		"module parameters, by a policy without devices": {
			spec: onFiles + txgAxis, policies: map[string]string{"p": forTeamA + "moduleParameters: [zfs_txg_timeout, " +
				"l2arc_write_max]"},
			want: Granted{Devices: files, Scratch: testDefaults().Scratch},
		},
		"module parameters, by two policies": {
			spec: onFiles + txgAxis, policies: map[string]string{"p": forTeamA + "moduleParameters: [zfs_txg_timeout]",
				"q": forTeamA + "moduleParameters: [l2arc_write_max]"},
			want: Granted{Devices: files, Scratch: testDefaults().Scratch},
		},
		"module parameters without a policy": {
			spec: onFiles + txgAxis, reason: v1alpha1.ReasonNoPolicy,
			message: []string{
				"No BenchmarkDevicePolicy lets namespace team-a set the OpenZFS module parameters l2arc_write_max, " +
					"zfs_txg_timeout on node storage-0.",
				"moduleParameters: [l2arc_write_max, zfs_txg_timeout]}}",
			},
		},
		"module parameters, one not listed": {
			spec: onFiles + txgAxis, policies: map[string]string{"p": forTeamA + "moduleParameters: [l2arc_write_max]"},
			reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"set the OpenZFS module parameters zfs_txg_timeout on node storage-0. The storage " +
				"administrator could add them to spec.moduleParameters of BenchmarkDevicePolicy p: [zfs_txg_timeout]."},
		},
		"module parameters for another namespace": {
			spec: onFiles + txgAxis, policies: map[string]string{"p": strings.Replace(forTeamA, "team-a", "team-b", 1) +
				"moduleParameters: [zfs_txg_timeout, l2arc_write_max]"},
			reason: v1alpha1.ReasonNoPolicy, message: []string{"set the OpenZFS module parameters l2arc_write_max, " +
				"zfs_txg_timeout"},
		},
		"module parameters of a node that was replaced": {
			spec: onFiles + txgAxis, policies: map[string]string{"p": strings.Replace(forTeamA, testNodeUID, uidOfOld, 1) +
				"moduleParameters: [zfs_txg_timeout, l2arc_write_max]"},
			reason: v1alpha1.ReasonNoPolicy, message: []string{"set the OpenZFS module parameters l2arc_write_max, " +
				"zfs_txg_timeout"},
		},

		"a rarely used filesystem, allowed": {
			spec: rarelyUsed, policies: map[string]string{"p": bothDisks + "filesystems: [f2fs]\n", "q": forTeamA +
				"filesystems: [jfs]"},
			want: Granted{Devices: disks, Scratch: testDefaults().Scratch},
		},
		"a rarely used filesystem, not mentioned": {
			spec: rarelyUsed, policies: map[string]string{"p": bothDisks + "filesystems: [jfs]\n"},
			reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{
				"No BenchmarkDevicePolicy lets namespace team-a use f2fs on node storage-0, whose kernel would load a module " +
					"that few people look after. " +
					"The storage administrator could add f2fs to spec.filesystems of BenchmarkDevicePolicy p.",
			},
		},
		"a rarely used filesystem for another namespace": {
			spec: rarelyUsed, policies: map[string]string{"p": bothDisks, "q": strings.Replace(forTeamA, "team-a", "team-b", 1) +
				"filesystems: [f2fs, jfs]"},
			reason: v1alpha1.ReasonPolicyMismatch, message: []string{"use f2fs, jfs on node storage-0"},
		},
		"a rarely used filesystem on a volume of files": {
			spec: rarelyUsedVolume, reason: v1alpha1.ReasonNoPolicy,
			message: []string{"use bcachefs on node storage-0", "filesystems: [bcachefs]"},
		},

		"md arrays, allowed": {
			spec: onArrays, policies: map[string]string{"p": bothDisks + "mdArrays: Allowed\n"},
			want: Granted{Devices: disks, Scratch: testDefaults().Scratch},
		},
		"md arrays, allowed by another policy": {
			spec: onArrays, policies: map[string]string{"p": bothDisks, "q": forTeamA + "mdArrays: Allowed"},
			want: Granted{Devices: disks, Scratch: testDefaults().Scratch},
		},
		"md arrays, not mentioned": {
			spec: onArrays, policies: map[string]string{"p": bothDisks}, reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{
				"No BenchmarkDevicePolicy lets namespace team-a make md arrays on node storage-0, and the baselines mirror, " +
					"stripe need them. " +
					"The storage administrator could set spec.mdArrays of BenchmarkDevicePolicy p to Allowed.",
			},
		},
		"md arrays, forbidden": {
			spec: oneArray, policies: map[string]string{"p": bothDisks + "mdArrays: Forbidden\n"},
			reason:  v1alpha1.ReasonPolicyMismatch,
			message: []string{"and the baseline mirror needs one."},
		},
		"md arrays for another namespace": {
			spec: onArrays, policies: map[string]string{"p": bothDisks, "q": strings.Replace(forTeamA, "team-a", "team-b", 1) +
				"mdArrays: Allowed"},
			reason: v1alpha1.ReasonPolicyMismatch, message: []string{"make md arrays on node storage-0"},
		},
		"an md array of disks of different sizes": {
			spec: oneArray, policies: map[string]string{"p": strings.Replace(bothDisks, "S1, size: 8589934592",
				"S1, size: 8607760384", 1) + "mdArrays: Allowed\n"},
			reason: v1alpha1.ReasonPolicyMismatch, message: []string{"The disks d0, d1 of the raid1 array of baseline mirror " +
				"are not of one size, to 16Mi"},
		},

		"storage classes, by two policies": {
			spec: onClasses, policies: map[string]string{"p": forTeamA + "storageClasses: [{name: fast, totalSize: 8Gi}]",
				"q": forTeamA + "storageClasses: [{name: slow, totalSize: 1Gi}]"},
			want: Granted{Devices: files, Scratch: testDefaults().Scratch},
		},
		"a storage class, by the policy with more room": {
			spec: onClass, policies: map[string]string{"p": forTeamA + "storageClasses: [{name: fast, totalSize: 1Gi}]",
				"q": forTeamA + "storageClasses: [{name: fast, totalSize: 4096Mi}]"},
			want: Granted{Devices: files, Scratch: testDefaults().Scratch},
		},
		"storage classes without a policy": {
			spec: onClasses, reason: v1alpha1.ReasonNoPolicy,
			message: []string{
				"No BenchmarkDevicePolicy lets namespace team-a claim volumes of the StorageClasses fast (8Gi of baseline " +
					"larger), slow (1Gi of baseline nfs) for node storage-0.",
				"storageClasses: [{name: fast, totalSize: 8Gi}, {name: slow, totalSize: 1Gi}]}}",
			},
		},
		"storage classes, one not listed": {
			spec: onClasses, policies: map[string]string{"p": forTeamA + "storageClasses: [{name: fast, totalSize: 8Gi}]"},
			reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"StorageClasses slow (1Gi of baseline nfs) for node storage-0. The storage administrator could " +
				"add them to spec of BenchmarkDevicePolicy p: storageClasses: [{name: slow, totalSize: 1Gi}]."},
		},
		"a storage class for another namespace": {
			spec: onClass, policies: map[string]string{"p": strings.Replace(forTeamA, "team-a", "team-b", 1) +
				"storageClasses: [{name: fast, totalSize: 8Gi}]"},
			reason: v1alpha1.ReasonNoPolicy, message: []string{"fast (4Gi of baseline today)"},
		},
		"a storage class for a node that was replaced": {
			spec: onClass, policies: map[string]string{"p": strings.Replace(forTeamA, testNodeUID, uidOfOld, 1) +
				"storageClasses: [{name: fast, totalSize: 8Gi}]"},
			reason: v1alpha1.ReasonNoPolicy, message: []string{"fast (4Gi of baseline today)"},
		},
		"a claim beyond what the policies let be claimed": {
			spec: onClasses,
			policies: map[string]string{"p": forTeamA + "storageClasses: [{name: fast, totalSize: 1Gi}, {name: slow, " +
				"totalSize: 1Gi}]", "q": forTeamA + "storageClasses: [{name: fast, totalSize: 4Gi}]"},
			reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"Baseline larger claims 8Gi of StorageClass fast, and BenchmarkDevicePolicy q lets namespace " +
				"team-a claim at most 4Gi for node storage-0: make its size smaller"},
		},
		"an image, listed": {
			spec: scripted, policies: map[string]string{"p": forTeamA + "images: [\"tools:1\", \"data:1\"]"},
			want: Granted{Devices: files, Scratch: testDefaults().Scratch},
		},
		"images, by two policies": {
			spec: scripted, policies: map[string]string{"p": forTeamA + "images: [\"tools:1\"]", "q": forTeamA +
				"images: [\"data:1\"]"}, want: Granted{Devices: files, Scratch: testDefaults().Scratch},
		},
		"images without a policy": {
			spec: scripted, reason: v1alpha1.ReasonNoPolicy,
			message: []string{`No BenchmarkDevicePolicy lets namespace team-a use the container images "tools:1", "data:1" on node storage-0.`, `images: ["tools:1", "data:1"]}}`},
		},
		"images, one with another tag": {
			spec: scripted, policies: map[string]string{"p": forTeamA + "images: [\"tools:1\", \"data:11\"]"},
			reason:  v1alpha1.ReasonPolicyMismatch,
			message: []string{`use the container image "data:1" on node storage-0. The storage administrator could add to spec.images of BenchmarkDevicePolicy p: ["data:1"].`},
		},
		"images for another namespace": {
			spec: scripted, policies: map[string]string{"p": strings.Replace(forTeamA, "team-a", "team-b", 1) +
				"images: [\"tools:1\", \"data:1\"]"}, reason: v1alpha1.ReasonNoPolicy,
			message: []string{`use the container images "tools:1", "data:1" on node storage-0`},
		},
		"a claim, listed": {
			spec: fromClaims, policies: map[string]string{"p": forTeamA + "persistentVolumeClaims: [given, other]"},
			want: Granted{Devices: files, Scratch: testDefaults().Scratch},
		},
		"claims, by two policies": {
			spec: fromClaims, policies: map[string]string{"p": forTeamA + "persistentVolumeClaims: [given]", "q": forTeamA +
				"persistentVolumeClaims: [other]"},
			want: Granted{Devices: files, Scratch: testDefaults().Scratch},
		},
		"claims without a policy": {
			spec: fromClaims, reason: v1alpha1.ReasonNoPolicy,
			message: []string{`No BenchmarkDevicePolicy lets namespace team-a read the PersistentVolumeClaims "given", "other" on node storage-0.`, `persistentVolumeClaims: ["given", "other"]}}`},
		},
		"claims, one of another name": {
			spec: fromClaims, policies: map[string]string{"p": forTeamA + "persistentVolumeClaims: [given, others]"},
			reason:  v1alpha1.ReasonPolicyMismatch,
			message: []string{`read the PersistentVolumeClaim "other" on node storage-0. The storage administrator could add to spec.persistentVolumeClaims of BenchmarkDevicePolicy p: ["other"].`},
		},
		"claims for another namespace": {
			spec: fromClaims, policies: map[string]string{"p": strings.Replace(forTeamA, "team-a", "team-b", 1) +
				"persistentVolumeClaims: [given, other]"}, reason: v1alpha1.ReasonNoPolicy,
			message: []string{`read the PersistentVolumeClaims "given", "other" on node storage-0`},
		},
		"claims for another node": {
			spec: fromClaims, policies: map[string]string{"p": strings.Replace(forTeamA, testNodeUID, uidOfOld, 1) +
				"persistentVolumeClaims: [given, other]"}, reason: v1alpha1.ReasonNoPolicy,
			message: []string{`read the PersistentVolumeClaims "given", "other" on node storage-0`},
		},

		"no policy at all": {
			spec: onDisks, reason: v1alpha1.ReasonNoPolicy,
			message: []string{"No BenchmarkDevicePolicy lets namespace team-a overwrite d0 (/dev/disk/by-id/wwn-0), d1 " +
				"(/dev/disk/by-id/wwn-1) on node storage-0.", "lsblk -bdno SERIAL,SIZE"},
		},
		"a policy for another node": {
			spec: onDisks, policies: map[string]string{"p": strings.Replace(bothDisks, "storage-0", "storage-1", 1)},
			reason:  v1alpha1.ReasonNoPolicy,
			message: []string{"overwrite d0 (/dev/disk/by-id/wwn-0), d1"},
		},
		"a policy for one of two disks": {
			spec: onDisks, policies: map[string]string{"p": strings.Replace(bothDisks, "- {path: /dev/disk/by-id/wwn-1, "+
				"serial: S1, size: 8589934592}\n", "", 1)},
			reason: v1alpha1.ReasonNoPolicy, message: []string{"overwrite d1 (/dev/disk/by-id/wwn-1) on node storage-0"},
		},
		"a longer path is another disk": {
			spec: onDisks, policies: map[string]string{"p": strings.ReplaceAll(bothDisks, "wwn-1,", "wwn-12,")},
			reason: v1alpha1.ReasonNoPolicy, message: []string{"d1 (/dev/disk/by-id/wwn-1)"},
		},
		"a policy for other namespaces": {
			spec: onDisks, policies: map[string]string{"p": strings.Replace(bothDisks, "team-a", "team-b", 1)},
			reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"BenchmarkDevicePolicy p lists d0 (/dev/disk/by-id/wwn-0), d1 (/dev/disk/by-id/wwn-1) on node " +
				"storage-0, but not for namespace team-a: add it to spec.namespaces."},
		},
		"a policy for a node that was replaced": {
			spec: onDisks, policies: map[string]string{"p": strings.Replace(bothDisks, testNodeUID, uidOfOld, 1)},
			reason:  v1alpha1.ReasonPolicyMismatch,
			message: []string{"for a node storage-0 with UID " + uidOfOld + ", and this one has UID " + testNodeUID},
		},
		"policies that contradict each other about a disk": {
			spec: onDisks, policies: map[string]string{"p": bothDisks, "q": strings.Replace(bothDisks, "S1", "S2", 1)},
			reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"BenchmarkDevicePolicies p and q contradict each other about the serial, the size, the " +
				"unsigned data or the content of /dev/disk/by-id/wwn-1"},
		},
		"policies that contradict each other about unsigned data": {
			spec: onDisks, policies: map[string]string{"p": bothDisks,
				"q": strings.Replace(bothDisks, "serial: S1,", "serial: S1, unsignedData: Overwrite,", 1)},
			reason: v1alpha1.ReasonPolicyMismatch, message: []string{"BenchmarkDevicePolicies p and q contradict each other " +
				"about"},
		},
		"policies that contradict each other about content": {
			spec: onDisks, policies: map[string]string{"p": bothDisks,
				"q": strings.Replace(bothDisks, "serial: S1,", "serial: S1, content: Full,", 1)},
			reason: v1alpha1.ReasonPolicyMismatch, message: []string{"BenchmarkDevicePolicies p and q contradict each other " +
				"about"},
		},
		"policies that contradict each other about scratch": {
			spec: onFiles, policies: map[string]string{"p": scratchPolicy,
				"q": strings.Replace(scratchPolicy, "20Gi", "10Gi", 1)}, reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"BenchmarkDevicePolicies p and q set different scratch directories or sizes"},
		},
		"a policy that is not valid": {
			spec: onDisks, policies: map[string]string{"p": strings.Replace(bothDisks, "S1, size: 8589934592", "S1, size: 0",
				1)}, reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"BenchmarkDevicePolicy p is not valid: spec.devices[1].size"},
		},
		"files beyond the default limit": {
			spec:   strings.Replace(onFiles, "f0, file: {size: 1Gi}", "f0, file: {size: 1025Mi}", 1),
			reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"The file devices need 2148532224 bytes, the scratch directory /var/lib/zfs-benchmark of node " +
				"storage-0 may hold 2147483648"},
		},
		"a timeout beyond the policy's": {
			spec: onDisks, policies: map[string]string{"p": bothDisks + "maxTimeout: 1h\n"},
			reason:  v1alpha1.ReasonPolicyMismatch,
			message: []string{"spec.timeout is 2h0m0s, BenchmarkDevicePolicy p allows at most 1h0m0s."},
		},
		"a disk in parts": {
			spec: split("4Gi"), policies: map[string]string{"p": bothDisks},
			want: Granted{Devices: []Device{
				disks[0], {Name: "d1", Path: "/dev/disk/by-id/wwn-1", Serial: "S1", SizeBytes: 8 << 30,
					Partitions: []Partition{{"slog", 4 << 30}, {"l2arc", 0}}},
			}, Scratch: testDefaults().Scratch},
		},
		"parts that leave no room for the last one": {
			spec: split("8127Mi"), policies: map[string]string{"p": bothDisks}, reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"The partitions of device d1 do not fit on it: the policy promises a disk of 8589934592 bytes."},
		},
		"parts larger than the disk": {
			spec: split("9Gi"), policies: map[string]string{"p": bothDisks}, reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"The partitions of device d1 do not fit on it"},
		},
		"disks of different sizes in a mirror": {
			spec: onDisks, policies: map[string]string{"p": strings.Replace(bothDisks, "S1, size: 8589934592",
				"S1, size: 8607760384", 1)}, reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"The disks d0, d1 of a mirror vdev are not of one size"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.node == (Node{}) {
				tt.node = testNode()
			}
			var policies []v1alpha1.BenchmarkDevicePolicy
			for name, spec := range tt.policies {
				policies = append(policies, policy(t, name, spec))
			}
			in := Input{Benchmark: benchmark(t, tt.spec), Node: tt.node, Policies: policies, Defaults: testDefaults()}
			got, err := Consent(in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("granted (-want +got):\n%s", diff)
			}
			checkConsentError(t, err, tt.reason, tt.message)
		})
	}
}

// onClasses are files beside volumes of two StorageClasses that exist, onClass has the first of them only.
const (
	onClass   = onFiles + "baselines:\n- {name: today, persistentVolume: {storageClassName: fast, size: 4Gi}}\n"
	onClasses = onClass + "- {name: larger, persistentVolume: {storageClassName: fast, size: 8Gi}}\n- {name: nfs, " +
		"persistentVolume: {storageClassName: slow, size: 1Gi}}\n"
)

// onArrays are two md arrays of the same disks, oneArray is the first of them.
const (
	rarelyUsed = `
nodes: {names: [storage-0]}
devices: [{name: d0, path: /dev/disk/by-id/wwn-0}, {name: d1, path: /dev/disk/by-id/wwn-1}]
workloads: [{name: w, fio: {rw: write, bs: 128k, size: 1Gi}}]
baselines:
- {name: flash, filesystem: {type: f2fs, device: d0}}
- {name: journal, filesystem: {type: jfs, device: d1}}
- {name: usual, filesystem: {type: xfs, device: d1}}
`
	rarelyUsedVolume = `
nodes: {names: [storage-0]}
devices: [{name: f0, file: {size: 1Gi}}]
pool: {vdevs: [{type: stripe, devices: [f0]}]}
dataset: {type: Volume, volume: {size: 256Mi, filesystem: {type: bcachefs}}}
workloads: [{name: w, fio: {rw: write, bs: 128k, size: 64Mi}}]
`
	oneArray = `
nodes: {names: [storage-0]}
devices: [{name: d0, path: /dev/disk/by-id/wwn-0}, {name: d1, path: /dev/disk/by-id/wwn-1}]
workloads: [{name: w, fio: {rw: write, bs: 128k, size: 1Gi}}]
baselines:
- {name: mirror, filesystem: {type: ext4, md: {level: raid1, devices: [d0, d1]}}}
`
	onArrays = oneArray + "- {name: stripe, raw: {md: {level: raid0, devices: [d0, d1]}}}\n"
)

// scripted is on files, and needs two images.
const scripted = `
nodes: {names: [storage-0]}
devices: [{name: f0, file: {size: 1Gi}}, {name: f1, file: {size: 1Gi}}]
pool: {vdevs: [{type: mirror, devices: [f0, f1]}]}
workloads:
- {name: a, script: {image: "tools:1", command: [run], metrics: [{name: load, unit: Seconds}], size: 1Mi}}
- {name: b, script: {image: "tools:1", command: [run], metrics: [{name: load, unit: Seconds}], size: 1Mi}}
- {name: c, corpus: {image: {image: "data:1", size: 1Mi}}}
`

// fromClaims is on files, and copies two claims, one of them twice.
const fromClaims = `
nodes: {names: [storage-0]}
devices: [{name: f0, file: {size: 1Gi}}, {name: f1, file: {size: 1Gi}}]
pool: {vdevs: [{type: mirror, devices: [f0, f1]}]}
workloads:
- {name: a, corpus: {persistentVolumeClaim: {claimName: given, size: 1Mi}}}
- {name: b, corpus: {persistentVolumeClaim: {claimName: given, path: /b, size: 1Mi}}}
- {name: c, corpus: {persistentVolumeClaim: {claimName: other, size: 1Mi}}}
`

// split is a spec with a disk whose first partition has this size.
func split(first string) string {
	return `
nodes: {names: [storage-0]}
devices: [{name: d0, path: /dev/disk/by-id/wwn-0},
  {name: d1, path: /dev/disk/by-id/wwn-1, partitions: [{name: slog, size: ` + first + `}, {name: l2arc}]}]
pool: {vdevs: [{type: stripe, devices: [d0]}], log: [{type: stripe, devices: [slog], ashift: 13}],
  cache: [{type: stripe, devices: [l2arc]}]}
workloads: [{name: w, fio: {rw: write, bs: 128k, size: 1Gi}}]
`
}

func checkConsentError(t *testing.T, err error, reason string, messages []string) {
	t.Helper()
	if reason == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	var consent *ConsentError
	if !errors.As(err, &consent) {
		t.Fatalf("error = %v; want a ConsentError", err)
	}
	if consent.Reason != reason || (consent.Hint != "") != (reason == v1alpha1.ReasonNoPolicy) ||
		!strings.HasSuffix(consent.Message, consent.Hint) {
		t.Errorf("reason %s, hint %q, message %q; want reason %s", consent.Reason, consent.Hint, consent.Message, reason)
	}
	for _, m := range messages {
		if !strings.Contains(consent.Message, m) {
			t.Errorf("message %q\nlacks %q", consent.Message, m)
		}
	}
}

// TestHintForArraysIsAPolicy is the advice for who has disks, and no consent to arrays.
func TestHintForArraysIsAPolicy(t *testing.T) {
	b := benchmark(t, onArrays)
	variants, err := expand(b.Spec)
	if err != nil {
		t.Fatal(err)
	}
	err = grantArrays(variants, b.Namespace, testNode(), nil)
	checkConsentError(t, err, v1alpha1.ReasonNoPolicy, []string{"The storage administrator could apply this one: " +
		"{apiVersion"})
	var consent *ConsentError
	if !errors.As(err, &consent) {
		t.Fatal(err)
	}
	p, err := validate.ReadPolicy([]byte(consent.Hint))
	if err != nil {
		t.Fatal(err)
	}
	if err := grantArrays(variants, b.Namespace, testNode(), []v1alpha1.BenchmarkDevicePolicy{*p}); err != nil {
		t.Error(err)
	}
}

// TestHintIsAPolicy follows the advice: with serials and sizes filled in, the hint is a valid policy that consents.
func TestHintIsAPolicy(t *testing.T) {
	b := benchmark(t, onDisks)
	_, err := Consent(Input{Benchmark: b, Node: testNode(), Defaults: testDefaults()})
	var consent *ConsentError
	if !errors.As(err, &consent) {
		t.Fatal(err)
	}
	p, err := validate.ReadPolicy([]byte(strings.NewReplacer("SERIAL", "S0", "BYTES", "8589934592").Replace(consent.Hint)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Consent(Input{Benchmark: b, Node: testNode(), Policies: []v1alpha1.BenchmarkDevicePolicy{*p},
		Defaults: testDefaults()}); err != nil {
		t.Error(err)
	}
}
