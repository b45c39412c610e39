// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// ofClass asks for n disks of the suite's class and joins them in a layout.
func (b benchmark) ofClass(layout v1alpha1.PoolLayout, n int) benchmark {
	device := v1alpha1.Device{Name: "d", Class: suiteClass, Count: ptr.To(int32(n))}
	b.obj.Spec.Devices = append(b.obj.Spec.Devices, device)
	b.obj.Spec.Pool.Layout = layout
	for _, d := range device.Numbered() {
		b.obj.Spec.Pool.Devices = append(b.obj.Spec.Pool.Devices, d.Name)
	}
	return b
}

// TestClass runs on the first disks of a class that a discovery has found blank, and finds them in status and results.
func TestClass(t *testing.T) {
	offered := suite.disks[:len(suite.disks)-1]
	if len(offered) < 3 {
		t.Skipf("it needs three disks beside the one without a policy, the node has %d", len(offered))
	}
	var free []string
	for _, d := range offered[1:] {
		free = append(free, d.path)
	}
	slices.Sort(free)
	putToUse(t, offered[0], diskStates()["ext4 signature"])
	discover(t)
	got := awaitComplete(t, newBenchmark("class").ofClass(v1alpha1.LayoutMirror, 2).seqWrite().apply(t))
	chosen := got.Status.Nodes[0].Disks
	if len(chosen) != 2 || chosen[0].Path != free[0] || chosen[1].Path != free[1] {
		t.Fatalf("chosen: %+v, want the first two of %v", chosen, free)
	}
	blank(t, offered[0]) // what this test put there is not what the benchmark left
	docs := readDocuments(t, got)
	for _, d := range chosen {
		if want := "- Disk " + d.Name + " of class " + suiteClass + ": " + d.Path; !strings.Contains(docs.summary, want) {
			t.Errorf("summary.md has no %q:\n%s", want, docs.summary)
		}
	}
}

// TestClassWithTooFewDisks waits, and says how many disks there are.
func TestClassWithTooFewDisks(t *testing.T) {
	obj := newBenchmark("class-too-few").ofClass(v1alpha1.LayoutMirror, 64).seqWrite().apply(t)
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonTooFewDisks, "class "+suiteClass+": 64 disks are needed")
}
