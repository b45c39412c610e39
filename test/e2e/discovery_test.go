// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// diskState is something that a disk is used for. Scripts get the disk as $1. Nothing writes to the disk once put has
// ended, so that the test can see what a discovery writes.
type diskState struct {
	put, undo string
	// reason is part of what the NodeStorage says.
	reason string
}

// The states of disks that a discovery must not call blank.
func diskStates() map[string]diskState {
	return map[string]diskState{
		"ext4 signature": {put: `mkfs.ext4 -q -F -E nodiscard "$1"`, undo: "true", reason: "ext4"},
		"mounted": {
			put: `mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$1"
mkdir -p /run/zfsbench-e2e-discovery
mount -o ro,noload "$1" /run/zfsbench-e2e-discovery`,
			undo:   "umount /run/zfsbench-e2e-discovery && rmdir /run/zfsbench-e2e-discovery",
			reason: "/run/zfsbench-e2e-discovery",
		},
		"imported pool": {
			put: `zpool create -f -m none -o cachefile=none zfsbench-e2e-discovery "$1"
zpool export zfsbench-e2e-discovery
zpool import -d /dev/disk/by-id -o readonly=on -o cachefile=none -N zfsbench-e2e-discovery`,
			undo:   "zpool export zfsbench-e2e-discovery",
			reason: "partition",
		},
		"logical volume": {
			put: `lvm pvcreate -q -y "$1"
lvm vgcreate -q zfsbench-e2e-discovery "$1"
lvm lvcreate -q -y -Zn -Wn -l 1 -n volume zfsbench-e2e-discovery`,
			undo:   "lvm vgchange -q -an zfsbench-e2e-discovery",
			reason: "dm-",
		},
	}
}

// TestDiscovery puts disks to use, two at a time, and asks for a discovery: the NodeStorage calls them InUse and says
// why, the last disk is blank, and nothing is written to any of them.
func TestDiscovery(t *testing.T) {
	states := diskStates()
	for _, names := range [][2]string{{"ext4 signature", "imported pool"}, {"mounted", "logical volume"}} {
		t.Run(strings.Join(names[:], " and "), func(t *testing.T) {
			used, free := suite.disks[:2], suite.disks[len(suite.disks)-1]
			for i, name := range names {
				putToUse(t, used[i], states[name])
			}
			unchanged := remember(t, append(slices.Clone(used), free)...)
			storage := discover(t)
			unchanged()
			for i, name := range names {
				found := diskOf(t, storage, used[i])
				if found.Verdict != v1alpha1.DiskInUse || !strings.Contains(found.Reason, states[name].reason) {
					t.Errorf("%s: %s, check %s: %q, want %s for %q", name, found.Verdict, found.Check, found.Reason,
						v1alpha1.DiskInUse, states[name].reason)
				}
			}
			if found := diskOf(t, storage, free); found.Verdict != v1alpha1.DiskBlank {
				t.Errorf("the blank disk: %s, check %s: %q", found.Verdict, found.Check, found.Reason)
			}
			inPool := slices.Contains(storage.Status.Pools, "zfsbench-e2e-discovery")
			if want := slices.Contains(names[:], "imported pool"); inPool != want {
				t.Errorf("pools %q", storage.Status.Pools)
			}
			if storage.Status.System.OpenZFS == "" || storage.Status.System.MemoryBytes == 0 {
				t.Errorf("system %+v", storage.Status.System)
			}
		})
	}
}

// TestPolicyStatus lists four devices that are as listed, of another serial number, in use, and not there.
func TestPolicyStatus(t *testing.T) {
	used, other, free := suite.disks[0], suite.disks[1], suite.disks[len(suite.disks)-1]
	putToUse(t, used, diskStates()["ext4 signature"])
	discover(t)
	swapped, gone := other.consent(), free.consent()
	swapped.Serial, gone.Path, gone.Serial = "another", free.path+"-gone", "gone"
	suite.grant(t, "e2e-discovery", v1alpha1.BenchmarkDevicePolicySpec{
		Devices: []v1alpha1.PolicyDevice{free.consent(), swapped, used.consent(), gone},
	})
	policy := &v1alpha1.BenchmarkDevicePolicy{}
	policy.Name = "e2e-discovery"
	want := map[string]v1alpha1.PolicyDeviceState{
		free.path: v1alpha1.PolicyDeviceVerified, other.path: v1alpha1.PolicyDeviceMismatch,
		used.path: v1alpha1.PolicyDeviceInUse, gone.Path: v1alpha1.PolicyDeviceMissing,
	}
	await(t, "the policy's status", func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(policy), policy)
		ready := meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.ConditionReady)
		if err != nil || ready == nil || ready.Status != metav1.ConditionFalse ||
			policy.Status.VerifiedDevices != "1/4" || len(policy.Status.Devices) != len(want) {
			return false, err
		}
		for _, device := range policy.Status.Devices {
			if want[device.Path] != device.State {
				return false, nil
			}
		}
		return true, nil
	}, func() string { return statusText(policy.Status) })
}

// putToUse makes a disk what a state says, until the test ends.
func putToUse(t *testing.T, d disk, state diskState) {
	t.Helper()
	t.Cleanup(func() { blank(t, d) })
	onNode(t, "sh", "-ec", state.put, "sh", d.path)
	t.Cleanup(func() { onNode(t, "sh", "-ec", state.undo, "sh", d.path) })
	onNode(t, "udevadm", "settle")
}

// discover asks for a discovery of the node under test and waits for what it finds.
func discover(t *testing.T) *v1alpha1.NodeStorage {
	t.Helper()
	return discoverOn(t, suite.node.Name)
}

// discoverOn is discover for any node that is labelled for the operator.
func discoverOn(t *testing.T, node string) *v1alpha1.NodeStorage {
	t.Helper()
	storage := &v1alpha1.NodeStorage{}
	request := fmt.Sprint(time.Now().UnixNano())
	asked := false
	await(t, "a discovery", func() (bool, error) {
		// The operator makes the object when it sees the label.
		err := suite.client.Get(context.Background(), types.NamespacedName{Name: node}, storage)
		if err != nil {
			return false, client.IgnoreNotFound(err)
		}
		if !asked {
			before := storage.DeepCopy()
			metav1.SetMetaDataAnnotation(&storage.ObjectMeta, v1alpha1.AnnotationDiscover, request)
			err := suite.client.Patch(context.Background(), storage, client.MergeFrom(before))
			asked = err == nil
			return false, err
		}
		s := storage.Status
		// A discovery that was under way when this one was asked for ended before this one began.
		return s.ObservedRequest == request && s.ObservedAt != nil && s.ObservedAt.After(s.AttemptedAt.Time) &&
			meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionCurrent), nil
	}, func() string { return statusText(storage.Status) })
	return storage
}

// diskOf is a disk of a NodeStorage, which must describe it as the node does.
func diskOf(t *testing.T, storage *v1alpha1.NodeStorage, d disk) v1alpha1.NodeDisk {
	t.Helper()
	i := slices.IndexFunc(storage.Status.Disks, func(found v1alpha1.NodeDisk) bool {
		return found.Path == d.path || slices.Contains(found.Aliases, d.path)
	})
	if i < 0 {
		t.Fatalf("no disk %s:\n%s", d.path, statusText(storage.Status))
	}
	found := storage.Status.Disks[i]
	if found.Serial != d.serial || found.SizeBytes != d.size {
		t.Errorf("%s has serial number %q and %d bytes, want %q and %d", d.path, found.Serial, found.SizeBytes, d.serial,
			d.size)
	}
	return found
}

func statusText(status any) string {
	text, err := yaml.Marshal(status)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
