// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestCSIDriverIsAbsent takes the driver's CSIDriver away, as if it had never been installed: the benchmark waits and
// says what to install, and goes on once it is there. It is a dry run.
func TestCSIDriverIsAbsent(t *testing.T) {
	csiDriver(t)
	driver := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: csiDriverName}}
	if err := suite.client.Delete(t.Context(), driver); err != nil {
		t.Fatal(err)
	}
	install := func() {
		t.Helper()
		if err := suite.installCSIDriver(context.Background()); err != nil {
			t.Errorf("install the driver again: %v", err)
		}
	}
	t.Cleanup(install)
	b := claimBenchmark("csi-absent")
	b.obj.Spec.DryRun = true
	obj := b.apply(t)
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonDriverNotReady, csiDriverName+" is not in this cluster",
		"install OpenEBS zfs-localpv", "csi.driverNamespace")
	install()
	awaitComplete(t, obj)
}
