// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report"
)

// TestCSIPaths measures a dataset, a claim to one, ext4 on a zvol and a claim to that, on one mirror: each claim has
// what its direct counterpart has, what the driver costs is a number with an interval, and afterwards there is neither
// a volume nor a pool.
func TestCSIPaths(t *testing.T) {
	csiDriver(t)
	obj := readSample(t, filepath.Join("testdata", "csi.yaml"))
	benchmark{obj}.apply(t)
	awaitTrials(t, obj)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)

	properties := propertiesByVariant(t, docs)
	assertAlike(t, properties, "path=dataset", "path=pvc-zfs", "type", "recordsize", "compression", "logbias", "quota",
		"reservation", "refquota", "refreservation")
	assertAlike(t, properties, "path=zvol-ext4", "path=pvc-ext4", "type", "volblocksize", "compression", "logbias",
		"volsize", "refreservation")
	assertClaims(t, document(resultsData(t, obj), report.JSONKey))
	assertCompared(t, docs, "path=pvc-zfs", "path=zvol-ext4", "path=pvc-ext4")

	remove(t, obj)
	assertNothingLeft(t, obj)
	awaitNoVolumes(t)
	assertNoClaims(t, obj)
}

// propertiesByVariant are what `zfs get` said while each was measured. Every trial must have measured everything.
func propertiesByVariant(t *testing.T, docs documents) map[string]map[string]string {
	t.Helper()
	found := map[string]map[string]string{}
	for _, trial := range docs.trials {
		if trial.Failure != nil || len(trial.Samples) != 2 {
			t.Fatalf("trial %d of %s: %d samples, failure %+v", trial.Index, trial.Variant, len(trial.Samples), trial.Failure)
		}
		found[trial.Variant] = trial.Samples[0].Pool.DatasetProperties
	}
	return found
}

// assertAlike holds a claim's volume against the dataset that the benchmark made itself.
func assertAlike(t *testing.T, all map[string]map[string]string, direct, claimed string, names ...string) {
	t.Helper()
	for _, name := range names {
		if want, got := all[direct][name], all[claimed][name]; got != want || want == "" {
			t.Errorf("%s is %q of %s and %q of %s", name, want, direct, got, claimed)
		}
	}
}

// assertClaims wants every trial of a claim, and no other, to name its volume and the dataset of that.
func assertClaims(t *testing.T, text string) {
	t.Helper()
	var results struct {
		Nodes []struct {
			Trials []struct {
				Variant string `json:"variant"`
				Claim   *struct {
					Driver  string `json:"driver"`
					Volume  string `json:"volume"`
					Dataset string `json:"dataset"`
				} `json:"claim"`
			} `json:"trials"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal([]byte(text), &results); err != nil || len(results.Nodes) != 1 {
		t.Fatalf("%s: %d nodes, %v", report.JSONKey, len(results.Nodes), err)
	}
	volumes := map[string]bool{}
	for _, trial := range results.Nodes[0].Trials {
		c := trial.Claim
		if isClaim := strings.HasPrefix(trial.Variant, "path=pvc-"); isClaim != (c != nil) {
			t.Errorf("%s: claim %+v", trial.Variant, c)
		}
		if c == nil {
			continue
		}
		if c.Driver != csiDriverName || !strings.HasPrefix(c.Dataset, "zfsbench-") ||
			!strings.HasSuffix(c.Dataset, "/"+c.Volume) || volumes[c.Volume] {
			t.Errorf("%s: claim %+v after %v", trial.Variant, *c, slices.Collect(maps.Keys(volumes)))
		}
		volumes[c.Volume] = true
	}
}

// assertCompared wants a ratio to the dataset with its interval, for each variant and workload.
func assertCompared(t *testing.T, docs documents, variants ...string) {
	t.Helper()
	for _, variant := range variants {
		for _, workload := range []string{"seq-write", "seq-read"} {
			i := slices.IndexFunc(docs.json.Comparisons, func(c report.Comparison) bool {
				return c.Variant == variant && c.Workload == workload
			})
			if i < 0 {
				t.Errorf("%s of %s is not compared", workload, variant)
				continue
			}
			if c := docs.json.Comparisons[i]; c.Reference != "path=dataset" || c.Ratio <= 0 || c.Interval95 == nil {
				t.Errorf("%s of %s: %+v", workload, variant, c)
			}
		}
	}
}

// assertNoClaims proves that the benchmark left nothing outside of the runner namespace either.
func assertNoClaims(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	ofBenchmark := client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(obj.UID)}
	lists := map[string]client.ObjectList{"StorageClasses": &storagev1.StorageClassList{},
		"PersistentVolumeClaims": &corev1.PersistentVolumeClaimList{}, "Pods": &corev1.PodList{}}
	for kind, list := range lists {
		if err := suite.client.List(context.Background(), list, ofBenchmark); err != nil {
			t.Fatal(err)
		}
		if n := meta.LenList(list); n > 0 {
			t.Errorf("%d %s of %s are left", n, kind, obj.Name)
		}
	}
	volumes := &corev1.PersistentVolumeList{}
	if err := suite.client.List(context.Background(), volumes); err != nil {
		t.Fatal(err)
	}
	for _, v := range volumes.Items {
		if v.Spec.CSI != nil && v.Spec.CSI.Driver == csiDriverName {
			t.Errorf("PersistentVolume %s (%s) of %s is left", v.Name, v.Status.Phase, v.Spec.StorageClassName)
		}
	}
}
