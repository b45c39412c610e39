// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/storage/csi/localpv"
)

func TestRefuseClaims(t *testing.T) {
	fields := map[string]localpv.Field{"poolName": {}, "thinProvision": {}, "fsType": {}, "recordsize": {},
		"compression": {Pattern: "^(on|off|lz4)$"}}
	definitions := func(version string) map[string]localpv.Definition {
		return map[string]localpv.Definition{
			localpv.NodesCRD:   {Name: localpv.NodesCRD, Versions: []localpv.DefinedVersion{{Name: "v1"}}},
			localpv.VolumesCRD: {Name: localpv.VolumesCRD, Versions: []localpv.DefinedVersion{{Name: version, Fields: fields}}},
		}
	}
	own := matrix.Variant{Name: "pvc", Dataset: &v1alpha1.DatasetSpec{
		Type:             v1alpha1.DatasetPersistentVolume,
		PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse("1Gi"), FSType: v1alpha1.FSTypeZFS},
		Properties:       v1alpha1.DatasetProperties{"recordsize": "16K", "compression": "lz4", "sync": "always"},
	}}
	foreign := matrix.Variant{Name: "other",
		Baseline: &v1alpha1.Baseline{PersistentVolume: &v1alpha1.PersistentVolumeBaseline{StorageClassName: "fast"}}}
	class := func(policy corev1.PersistentVolumeReclaimPolicy) map[string]*storagev1.StorageClass {
		return map[string]*storagev1.StorageClass{"fast": {Provisioner: "example.com/fast", ReclaimPolicy: ptr.To(policy)}}
	}
	whole := func() driverFacts {
		on := map[string]bool{"storage-0": true}
		return driverFacts{variants: []matrix.Variant{own, foreign}, installed: true, definitions: definitions("v1"),
			onNode: on, inNamespace: on, classes: class(corev1.PersistentVolumeReclaimDelete)}
	}
	tests := map[string]struct {
		off    bool
		change func(*driverFacts)
		want   string
	}{
		"all is there": {false, func(*driverFacts) {}, ""},
		"switched off": {true, func(*driverFacts) {}, "install the operator with csi.enabled=true"},
		"no roles":     {false, func(f *driverFacts) { f.denied = errors.New("forbidden") }, "may not read the objects"},
		"no driver": {false, func(f *driverFacts) {
			f.installed = false
		}, "is not in this cluster: install OpenEBS zfs-localpv"},
		"no definitions": {false, func(f *driverFacts) {
			f.definitions = nil
		}, "CustomResourceDefinition zfsnodes.zfs.openebs.io"},
		"definitions too new": {false, func(f *driverFacts) {
			f.definitions = definitions("v2")
		}, "serves v2, but this operator reads v1"},
		"a driver too old": {false, func(f *driverFacts) {
			f.variants[0].Dataset.Properties["compression"] = "zstd"
		}, "does not take compression=zstd"},
		"not on the node": {false, func(f *driverFacts) { f.onNode = nil }, "has not registered on node storage-0"},
		"in another namespace": {false, func(f *driverFacts) {
			f.inNamespace = nil
		}, "There is no ZFSNode storage-0 in namespace openebs"},
		"no such class": {false, func(f *driverFacts) { f.classes = nil }, "there is no StorageClass fast"},
		"a class that keeps": {false, func(f *driverFacts) {
			f.classes = class(corev1.PersistentVolumeReclaimRetain)
		}, "reclaimPolicy Retain"},
		"volumes made by hand": {false, func(f *driverFacts) {
			f.classes["fast"].Provisioner = "kubernetes.io/no-provisioner"
		}, "StorageClass fast makes no volumes"},
		"no provisioner at all": {false, func(f *driverFacts) { f.classes["fast"].Provisioner = "" }, "makes no volumes"},
		"another driver is fine": {false, func(f *driverFacts) {
			f.variants, f.installed, f.definitions = f.variants[1:], false, nil
		}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := whole()
			f.variants[0].Dataset = f.variants[0].Dataset.DeepCopy()
			tt.change(&f)
			r := &Reconciler{Config: config.Manager{CSI: config.CSI{Enabled: !tt.off, DriverNamespace: "openebs"}}}
			got := r.refuseClaims(&scope{driver: &f}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "storage-0"}})
			switch {
			case tt.want == "" && got != nil:
				t.Errorf("refused: %s", got.message)
			case tt.want != "" && (got == nil || got.reason != v1alpha1.ReasonDriverNotReady ||
				!strings.Contains(got.message, tt.want)):
				t.Errorf("refusal %+v, want %q", got, tt.want)
			}
		})
	}
}
