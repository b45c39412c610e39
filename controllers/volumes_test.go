// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// onHosts is the affinity that provisioners of local volumes write.
func onHosts(hosts ...string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
		{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn,
			Values: hosts}}},
	}}}
}

func makeVolume(
	name string, source corev1.PersistentVolumeSource, affinity *corev1.VolumeNodeAffinity,
) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, PersistentVolumeSource: source,
			NodeAffinity: affinity,
		},
	}
}

func localVolume(name, path string, hosts ...string) *corev1.PersistentVolume {
	return makeVolume(name, corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: path}}, onHosts(hosts...))
}

func csiVolume(handle string, attributes map[string]string) corev1.PersistentVolumeSource {
	return corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "example", VolumeHandle: handle,
		VolumeAttributes: attributes}}
}

// TestIndexVolume keeps its answers when all that the cache does not need is left out.
func TestIndexVolume(t *testing.T) {
	tests := map[string]struct {
		volume *corev1.PersistentVolume
		want   []string
	}{
		"local": {localVolume("a", "/mnt/disks/a", "n1", "n0", "n1"), []string{"host:n0", "host:n1"}},
		"hostPath": {makeVolume("a", corev1.PersistentVolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: "/dev/sdb"},
		}, nil), []string{"host:*"}},
		"NFS": {makeVolume("a", corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Path: "/x"}}, nil), nil},
		"CSI device": {makeVolume("a", csiVolume("pvc-1", map[string]string{"device": "/dev/sdb", "x": "y"}), onHosts("n0")),
			[]string{"host:n0"}},
		"CSI handle": {makeVolume("a", csiVolume("vol-0123456789abcdef0", nil), nil),
			[]string{"handle:vol0123456789abcdef0"}},
		"CSI handle with a path": {
			makeVolume("a", csiVolume("projects/p/zones/z/disks/data-disk-1", nil), nil),
			[]string{"handle:projectspzoneszdisksdatadisk1", "handle:datadisk1"},
		},
		"Fibre Channel": {makeVolume("a",
			corev1.PersistentVolumeSource{FC: &corev1.FCVolumeSource{WWIDs: []string{"3600508b400105e21"}}}, nil),
			[]string{"handle:3600508b400105e21"}},
	}
	for name, test := range tests {
		small, err := stripVolume(test.volume)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []*corev1.PersistentVolume{test.volume, small.(*corev1.PersistentVolume)} {
			if diff := cmp.Diff(test.want, indexVolume(v)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestMayBeOn(t *testing.T) {
	node := MakeNode("n0").Label(corev1.LabelHostname, "n0").Label("rank", "7").Obj()
	term := func(key string, op corev1.NodeSelectorOperator, values ...string) *corev1.VolumeNodeAffinity {
		a := onHosts()
		a.Required.NodeSelectorTerms[0].MatchExpressions = []corev1.NodeSelectorRequirement{{Key: key, Operator: op,
			Values: values}}
		return a
	}
	byField := onHosts()
	byField.Required.NodeSelectorTerms[0] = corev1.NodeSelectorTerm{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn,
			Values: []string{"n1"}}},
	}
	tests := map[string]struct {
		affinity *corev1.VolumeNodeAffinity
		want     bool
	}{
		"none":                   {nil, true},
		"this host":              {onHosts("n1", "n0"), true},
		"another host":           {onHosts("n1"), false},
		"another by field":       {byField, false},
		"a label it has":         {term("rank", corev1.NodeSelectorOpGt, "3"), true},
		"a label it has not":     {term("zone", corev1.NodeSelectorOpExists), false},
		"not in what it has not": {term("zone", corev1.NodeSelectorOpNotIn, "a"), true},
		"an operator of later":   {term("rank", "Like", "7"), true},
	}
	for name, test := range tests {
		if got := mayBeOn(makeVolume("v", corev1.PersistentVolumeSource{}, test.affinity), node); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

func TestRefuseVolumes(t *testing.T) {
	policy := v1alpha1.BenchmarkDevicePolicy{Spec: v1alpha1.BenchmarkDevicePolicySpec{
		Devices: []v1alpha1.PolicyDevice{{Path: testDisk, Serial: "vol0123456789"}},
	}}
	tests := map[string]struct {
		volume *corev1.PersistentVolume
		want   string
	}{
		"its path":        {localVolume("pv", testDisk), "is PersistentVolume pv (" + testDisk + ")"},
		"its path, slash": {localVolume("pv", testDisk+"/"), "is PersistentVolume pv"},
		"a partition":     {localVolume("pv", testDisk+"-part1"), "is PersistentVolume pv"},
		"its serial": {makeVolume("pv", csiVolume("vol-0123456789", nil), nil),
			"is PersistentVolume pv (handle vol0123456789)"},
		"its name":       {makeVolume("pv", csiVolume("zone/zfsbench-d0", nil), nil), "is PersistentVolume pv"},
		"another disk":   {localVolume("pv", testDisk+"0"), ""},
		"another handle": {makeVolume("pv", csiVolume("vol-0123456780", nil), nil), ""},
	}
	for name, test := range tests {
		s := &scope{benchmark: MakeBenchmark("a", "b").Disk(testDisk).Obj(),
			policies: []v1alpha1.BenchmarkDevicePolicy{policy}}
		s.volumes = map[string][]volumeNames{"n0": {namesOf(test.volume)}}
		refused := s.refuseVolumes("n0", []string{testDisk})
		if (refused == nil) != (test.want == "") ||
			refused != nil && (!strings.Contains(refused.message, test.want) || refused.reason != v1alpha1.ReasonDiskIsVolume) {
			t.Errorf("%s: %+v, want %q", name, refused, test.want)
		}
		if s.refuseVolumes("n1", []string{testDisk}) != nil {
			t.Errorf("%s: a volume of another node refuses", name)
		}
	}
}

func TestTooManyVolumesRefuse(t *testing.T) {
	s := &scope{benchmark: MakeBenchmark("a", "b").Disk(testDisk).Obj(), volumes: map[string][]volumeNames{}}
	for i := range plan.MaxVolumes + 1 {
		s.volumes["n0"] = append(s.volumes["n0"], volumeNames{name: "pv", paths: []string{"/mnt/" + strings.Repeat("x", i)}})
	}
	if refused := s.refuseVolumes("n0", []string{testDisk}); refused == nil ||
		!strings.Contains(refused.message, "1001 PersistentVolumes") {
		t.Errorf("refusal %+v", refused)
	}
	s.volumes["n0"] = s.volumes["n0"][1:]
	if refused := s.refuseVolumes("n0", []string{testDisk}); refused != nil {
		t.Errorf("refusal %+v", refused)
	}
}

// TestDisksOfPersistentVolumes waits until nobody names the disk, and then gives the runner the others to compare with.
func TestDisksOfPersistentVolumes(t *testing.T) {
	p := newPlay(t)
	host := p.nodeName("storage-0")
	inTheWay := localVolume(p.namespace+"-way", testDisk+"-part1", host)
	beside, elsewhere := localVolume(p.namespace+"-beside", "/mnt/disks/a", host),
		localVolume(p.namespace+"-elsewhere", testDisk, "another-node")
	for _, v := range []*corev1.PersistentVolume{beside, elsewhere, inTheWay} {
		p.must(p.Create(t.Context(), v))
		t.Cleanup(func() {
			p.must(client.IgnoreNotFound(p.Delete(context.Background(), v)))
			p.must(client.IgnoreNotFound(p.Patch(context.Background(), v,
				client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))))
		})
	}
	node := p.node("storage-0", func(n *corev1.Node) { n.Labels[corev1.LabelHostname] = host })
	p.policy(node)
	b := p.create(MakeBenchmark(p.namespace, "disk").Node(node.Name).Disk(testDisk).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonDiskIsVolume, testDisk, node.Name,
		inTheWay.Name)
	p.must(p.Delete(t.Context(), inTheWay))
	p.finish(inTheWay)
	eventually(t, func() error {
		p.touch(b, time.Now().String())
		if now := p.get(b); !isTrue(&now.Status, v1alpha1.ConditionAccepted) {
			return fmt.Errorf("conditions %+v", now.Status.Conditions)
		}
		return nil
	})
	r := p.runner(b, "storage-0")
	want := plan.Volume{Name: beside.Name, Path: "/mnt/disks/a"}
	if got := r.run.Plan.Volumes; !slices.Contains(got, want) || slices.ContainsFunc(got, func(v plan.Volume) bool {
		return v.Name == elsewhere.Name
	}) {
		t.Errorf("the plan has the volumes %+v, want %+v", got, want)
	}
}
