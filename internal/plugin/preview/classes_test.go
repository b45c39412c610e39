// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestClasses: a disk that is in use is not chosen, and without policies any disks are assumed.
func TestClasses(t *testing.T) {
	text := strings.Replace(disks, `    - {name: d0, path: /dev/disk/by-id/x}
    - {name: d1, path: /dev/disk/by-id/y}
`, "    - {name: d, class: hdd, count: 2}\n", 1)
	classes := strings.ReplaceAll(offer, "size: 1Gi", "size: 1Gi, class: hdd")
	classes = strings.Replace(classes, "s2, size: 1Gi, class: hdd", "s2, size: 1Gi", 1)
	in := Input{Benchmark: read(t, text)}
	p, err := Of(in)
	if err != nil || p.Refused() || p.Nodes[0].Consent != ConsentUnchecked {
		t.Fatalf("error %v, nodes %+v", err, p.Nodes)
	}
	in.Policies, in.Nodes = policies(t, classes), []corev1.Node{node("storage-0", "u0", "true")}
	if p, err = Of(in); err != nil || p.Refused() || p.Nodes[0].Consent != ConsentGiven {
		t.Fatalf("error %v, nodes %+v", err, p.Nodes)
	}
	storage := v1alpha1.NodeStorage{ObjectMeta: metav1.ObjectMeta{Name: "storage-0"}}
	storage.Status.NodeUID, storage.Status.ObservedAt = "u0", &metav1.Time{Time: time.Unix(1_800_000_000, 0)}
	storage.Status.Disks = []v1alpha1.NodeDisk{
		{Path: "/dev/disk/by-id/x", Serial: "s0", SizeBytes: 1 << 30, Verdict: v1alpha1.DiskInUse},
		{Path: "/dev/disk/by-id/y", Serial: "s1", SizeBytes: 1 << 30, Verdict: v1alpha1.DiskBlank}}
	in.Storages = []v1alpha1.NodeStorage{storage}
	p, err = Of(in)
	if err != nil || !strings.Contains(p.Nodes[0].Refused, "class hdd: 2 disks are needed, 1 free") {
		t.Errorf("error %v, nodes %+v", err, p.Nodes)
	}
}
