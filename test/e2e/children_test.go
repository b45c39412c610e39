// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestDatasetsAtOnce runs jobs of one workload in three datasets of one pool at once, in repetitions that share the
// pool: each job is measured by itself, in a dataset with properties of its own, which is new for each repetition, and
// nothing is left.
func TestDatasetsAtOnce(t *testing.T) {
	studies(t)
	b := newBenchmark("datasets").disks(v1alpha1.VdevStripe, 1)
	b.obj.Spec.Dataset = &v1alpha1.DatasetSpec{
		Properties: v1alpha1.DatasetProperties{"compression": "off", "recordsize": "64K"},
		Children: []v1alpha1.ChildDataset{
			{Name: "db", Properties: v1alpha1.DatasetProperties{"recordsize": "16K", "atime": "off"}},
			{Name: "log", Properties: v1alpha1.DatasetProperties{"sync": "always"}},
		},
	}
	b.obj.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: 2, Order: v1alpha1.OrderSequential,
		FreshPool: v1alpha1.FreshPoolPerVariant}
	b.obj.Spec.Workloads = []v1alpha1.Workload{{Name: "together", Fio: &v1alpha1.FioWorkload{
		RW: v1alpha1.FioRandRW, BS: v1alpha1.BSRecordsize, Size: resource.MustParse("4Mi"), Jobs: []v1alpha1.FioJob{
			{Name: "users"}, {Name: "db", Dataset: "db"},
			{Name: "log", Dataset: "log", RW: v1alpha1.FioWrite, BS: "8k", Size: ptr.To(resource.MustParse("1Mi"))},
		},
	}}}
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 2 {
		t.Fatalf("%d trials in place of 2", len(docs.trials))
	}
	for _, trial := range docs.trials {
		sample := trial.Samples[0]
		var operations []string
		for _, p := range sample.Operations() {
			operations = append(operations, p.Name)
		}
		if want := []string{"read", "write", "usersRead", "usersWrite", "dbRead", "dbWrite",
			"logWrite"}; !slices.Equal(operations, want) {
			t.Errorf("operations %q, want %q", operations, want)
		}
		for _, job := range []string{"bs=16384", "bs=65536", "directory=/children/db", "directory=/children/log"} {
			if !strings.Contains(sample.JobFile, job) {
				t.Errorf("the job file has no %s:\n%s", job, sample.JobFile)
			}
		}
		for _, want := range []struct{ child, property, value string }{
			{"", "recordsize", "65536"}, {"db", "recordsize", "16384"}, {"db", "atime", "off"}, {"db", "compression", "off"},
			{"log", "sync", "always"}, {"log", "recordsize", "65536"},
		} {
			if got := sample.Pool.PropertiesOf(want.child)[want.property]; got != want.value {
				t.Errorf("dataset %q has %s=%q, want %q", want.child, want.property, got, want.value)
			}
		}
		// Whatever the repetition before wrote is gone: the files of this one are all there is.
		if used := sample.Pool.PropertiesOf("db")["logicalreferenced"]; len(used) > len("4294967") {
			t.Errorf("child db holds %s bytes", used)
		}
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}
