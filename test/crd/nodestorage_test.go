// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

func nodeStorage(name string, change func(*v1alpha1.NodeStorageStatus)) *v1alpha1.NodeStorage {
	n := &v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("NodeStorage"))
	n.Status = v1alpha1.NodeStorageStatus{NodeUID: "0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11", DiskCount: 1, BlankCount: 1}
	n.Status.NodeInventory = v1alpha1.NodeInventory{
		System: v1alpha1.NodeSystem{OpenZFS: "2.3.9-1", OpenZFSModule: "2.3.9-1", Kernel: "6.12.107", MemoryBytes: 1 << 30,
			ARCMaxBytes: 1 << 29, Tools: []v1alpha1.NodeTool{{Name: "zpool", Version: "2.3.9-1"}},
			Scratch: v1alpha1.NodeScratch{Directory: "/var/lib/zfsbench", Filesystem: "ext4", FreeBytes: 1}},
		Pools: []string{"tank"},
		Disks: []v1alpha1.NodeDisk{{Path: "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4", Device: "/dev/sda", Serial: "S1",
			SizeBytes: 4_000_787_030_016, Verdict: v1alpha1.DiskBlank}},
	}
	if change != nil {
		change(&n.Status)
	}
	return n
}

// TestNodeStorage stores a status in full, and refuses one that is beyond its bounds.
func TestNodeStorage(t *testing.T) {
	c := apiserver(t)
	stored := nodeStorage("storage-0", nil)
	status := stored.Status
	if err := c.Create(t.Context(), toUnstructured(t, stored)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		change func(*v1alpha1.NodeStorageStatus)
		field  string
	}{
		"a verdict that there is not": {func(s *v1alpha1.NodeStorageStatus) {
			s.Disks[0].Verdict = "Free"
		}, "status.disks[0].verdict"},
		"a long reason": {func(s *v1alpha1.NodeStorageStatus) {
			s.Disks[0].Reason = strings.Repeat("x", 257)
		}, "status.disks[0].reason"},
		"too many disks": {func(s *v1alpha1.NodeStorageStatus) {
			for range v1alpha1.MaxNodeDisks {
				s.Disks = append(s.Disks, s.Disks[0])
			}
		}, "status.disks"},
		"too many aliases": {func(s *v1alpha1.NodeStorageStatus) {
			s.Disks[0].Aliases = make([]string, v1alpha1.MaxDiskAliases+1)
		}, "status.disks[0].aliases"},
		"too many pools": {func(s *v1alpha1.NodeStorageStatus) {
			s.Pools = make([]string, v1alpha1.MaxNodePools+1)
		}, "status.pools"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := patchStatus(t, c, nodeStorage("storage-0", tt.change))
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), tt.field+":") {
				t.Errorf("error %v, want one at %s", err, tt.field)
			}
		})
	}
	if err := patchStatus(t, c, nodeStorage("storage-0", nil)); err != nil {
		t.Fatal(err)
	}
	var got unstructured.Unstructured
	got.SetGroupVersionKind(stored.GroupVersionKind())
	if err := c.Get(t.Context(), client.ObjectKey{Name: "storage-0"}, &got); err != nil {
		t.Fatal(err)
	}
	var found v1alpha1.NodeStorage
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(got.Object, &found); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(status, found.Status); diff != "" {
		t.Errorf("status (-sent +stored):\n%s", diff)
	}
}

func patchStatus(t *testing.T, c client.Client, n *v1alpha1.NodeStorage) error {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"status": n.Status})
	if err != nil {
		t.Fatal(err)
	}
	return c.Status().Patch(t.Context(), toUnstructured(t, n), client.RawPatch("application/merge-patch+json", patch))
}

func toUnstructured(t *testing.T, n *v1alpha1.NodeStorage) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(n)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}
