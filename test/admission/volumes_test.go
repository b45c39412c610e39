// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// heldVolume is a PersistentVolume that is claimed in a namespace.
func heldVolume(t *testing.T, name, namespace string) *corev1.PersistentVolume {
	t.Helper()
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"a": "b"},
			Finalizers: []string{"example.com/holds"}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			StorageClassName:              "fast",
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
				Driver: "csi.example.com", VolumeHandle: name,
			}},
		},
	}
	if namespace != "" {
		volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: namespace, Name: "zb-1", UID: "u"}
	}
	if err := apiserver(t).admin.Create(t.Context(), volume); err != nil {
		t.Fatal(err)
	}
	return volume
}

// TestVolumes: even a manager that may do everything only keeps volumes that are claimed in its namespace.
func TestVolumes(t *testing.T) {
	const (
		elsewhere = "only PersistentVolumes that are claimed in its namespace of claims"
		toRetain  = "to Retain, and to nothing else"
		oneField  = "changes nothing of a PersistentVolume but its reclaimPolicy"
		neither   = "neither makes nor deletes PersistentVolumes"
	)
	config := apiserver(t).configAs(managerUser)
	config.Impersonate.Groups = append(config.Impersonate.Groups, "system:masters")
	manager, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ours := heldVolume(t, "ours", "zfsbench-claims")
	awaitVolumePolicy(t, manager, ours)
	tests := map[string]struct {
		namespace string
		change    func(*corev1.PersistentVolume)
		want      string
	}{
		"keep it":              {"zfsbench-claims", func(*corev1.PersistentVolume) {}, ""},
		"of another namespace": {"team", func(*corev1.PersistentVolume) {}, elsewhere},
		"claimed by nobody":    {"", func(*corev1.PersistentVolume) {}, elsewhere},
		"take it over": {"team", func(v *corev1.PersistentVolume) {
			v.Spec.ClaimRef.Namespace = "zfsbench-claims"
		}, elsewhere},
		"have it deleted": {"zfsbench-claims", func(v *corev1.PersistentVolume) {
			v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimDelete
			v.Labels["a"] = "c"
		}, toRetain},
		"have it recycled": {"zfsbench-claims", func(v *corev1.PersistentVolume) {
			v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRecycle
		}, toRetain},
		"give it away":  {"zfsbench-claims", func(v *corev1.PersistentVolume) { v.Spec.ClaimRef = nil }, oneField},
		"another claim": {"zfsbench-claims", func(v *corev1.PersistentVolume) { v.Spec.ClaimRef.Name = "zb-2" }, oneField},
		"another class": {"zfsbench-claims", func(v *corev1.PersistentVolume) { v.Spec.StorageClassName = "slow" }, oneField},
		"mount options": {"zfsbench-claims", func(v *corev1.PersistentVolume) {
			v.Spec.MountOptions = []string{"ro"}
		}, oneField},
		"another size": {"zfsbench-claims", func(v *corev1.PersistentVolume) {
			v.Spec.Capacity[corev1.ResourceStorage] = resource.MustParse("2Gi")
		}, oneField},
		"its finalizer": {"zfsbench-claims", func(v *corev1.PersistentVolume) { v.Finalizers = nil }, oneField},
		"a label":       {"zfsbench-claims", func(v *corev1.PersistentVolume) { v.Labels["a"] = "c" }, oneField},
		"no labels":     {"zfsbench-claims", func(v *corev1.PersistentVolume) { v.Labels = nil }, oneField},
		"an annotation": {"zfsbench-claims", func(v *corev1.PersistentVolume) {
			v.Annotations = map[string]string{"a": "b"}
		}, oneField},
		"an owner": {"zfsbench-claims", func(v *corev1.PersistentVolume) {
			v.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "n", UID: "u"}}
		}, oneField},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			volume := heldVolume(t, "v-"+strings.ReplaceAll(name, " ", "-"), tt.namespace)
			volume.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
			tt.change(volume)
			check(t, manager.Update(t.Context(), volume), tt.want)
		})
	}
	t.Run("delete it", func(t *testing.T) { check(t, manager.Delete(t.Context(), ours, client.DryRunAll), neither) })
	t.Run("make one", func(t *testing.T) {
		volume := ours.DeepCopy()
		volume.ObjectMeta = metav1.ObjectMeta{Name: "made"}
		check(t, manager.Create(t.Context(), volume, client.DryRunAll), neither)
	})
	t.Run("somebody else", func(t *testing.T) {
		volume := heldVolume(t, "theirs", "team")
		volume.Labels["a"] = "c"
		check(t, apiserver(t).admin.Update(t.Context(), volume), "")
	})
}

// awaitVolumePolicy waits until the policy takes effect.
func awaitVolumePolicy(t *testing.T, manager client.Client, volume *corev1.PersistentVolume) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true,
		func(ctx context.Context) (bool, error) {
			return manager.Delete(ctx, volume, client.DryRunAll) != nil, nil
		})
	if err != nil {
		t.Fatal(err)
	}
}
