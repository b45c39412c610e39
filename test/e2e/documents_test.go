// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report"
	"zfsbench.io/operator/internal/result"
)

// documents are what a user finds in the results ConfigMap.
type documents struct {
	summary string
	csv     [][]string
	json    report.Report
	trials  []result.Trial
}

// readDocuments reads the results ConfigMap as a user would.
func readDocuments(t *testing.T, obj *v1alpha1.ZfsBenchmark) documents {
	t.Helper()
	data := resultsData(t, obj)
	d := documents{summary: document(data, report.MarkdownKey)}
	if err := json.Unmarshal([]byte(document(data, report.JSONKey)), &d.json); err != nil {
		t.Fatalf("%s: %v", report.JSONKey, err)
	}
	rows, err := csv.NewReader(strings.NewReader(document(data, report.CSVKey))).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", report.CSVKey, err)
	}
	d.csv = rows
	for _, node := range d.json.Nodes {
		d.trials = append(d.trials, node.Trials...)
	}
	return d
}

// resultsData joins the data of NAME-results and, when the documents are large, NAME-results-1 and so on.
func resultsData(t *testing.T, obj *v1alpha1.ZfsBenchmark) map[string]string {
	t.Helper()
	data := map[string]string{}
	name := obj.Name + "-results"
	for n := 1; ; n++ {
		configMap := &corev1.ConfigMap{}
		err := suite.client.Get(context.Background(), client.ObjectKey{Namespace: obj.Namespace, Name: name}, configMap)
		if n > 1 && apierrors.IsNotFound(err) {
			return data
		}
		if err != nil {
			t.Fatalf("read results: %v\n%s", err, describe(obj))
		}
		maps.Copy(data, configMap.Data)
		name = fmt.Sprintf("%s-results-%d", obj.Name, n)
	}
}

// document is a document in one piece, or its pieces KEY.000, KEY.001 and so on, joined.
func document(data map[string]string, key string) string {
	if whole, ok := data[key]; ok {
		return whole
	}
	var text strings.Builder
	for _, k := range slices.Sorted(maps.Keys(data)) {
		if strings.HasPrefix(k, key+".") {
			text.WriteString(data[k])
		}
	}
	return text.String()
}

// first is the trial with index 0.
func (d documents) first(t *testing.T) result.Trial {
	t.Helper()
	i := slices.IndexFunc(d.trials, func(trial result.Trial) bool { return trial.Index == 0 })
	if i < 0 {
		t.Fatalf("the first trial is not in the results: %d are", len(d.trials))
	}
	return d.trials[i]
}

// assertStatusMatchesDocuments holds status, results.json, results.csv and summary.md of a benchmark of one trial
// against each other.
func assertStatusMatchesDocuments(t *testing.T, got *v1alpha1.ZfsBenchmark) {
	t.Helper()
	docs := readDocuments(t, got)
	if want := len(got.Status.Results) + 1; len(docs.csv) != want {
		t.Errorf("results.csv has %d lines, want a header and one for each of %d results", len(docs.csv), want-1)
	}
	for _, r := range got.Status.Results {
		direction := sampleDirection(t, docs.first(t), r)
		if r.BandwidthBytesPerSecond != int64(math.Round(direction.BandwidthBytesPerSecond)) ||
			r.IOPS != int64(math.Round(direction.IOPS)) {
			t.Errorf("%s %s: status says %d B/s and %d IOPS, results.json %f and %f",
				r.Workload, r.Operation, r.BandwidthBytesPerSecond, r.IOPS, direction.BandwidthBytesPerSecond, direction.IOPS)
		}
		if r.P99LatencyNanoseconds != direction.Latency.P99Nanoseconds {
			t.Errorf("%s %s: status says p99 %d ns, results.json %d",
				r.Workload, r.Operation, r.P99LatencyNanoseconds, direction.Latency.P99Nanoseconds)
		}
		if !strings.Contains(docs.summary, r.Workload) {
			t.Errorf("summary.md does not mention %s:\n%s", r.Workload, docs.summary)
		}
	}
}

// sampleDirection finds what a result in the status was made from.
func sampleDirection(t *testing.T, trial result.Trial, r v1alpha1.ResultStatus) result.Operation {
	t.Helper()
	for _, s := range trial.Samples {
		if s.Workload != r.Workload {
			continue
		}
		direction := s.Read
		if r.Operation == v1alpha1.OperationWrite {
			direction = s.Write
		}
		if direction != nil {
			return *direction
		}
	}
	t.Fatalf("results.json has no %s of %s", r.Operation, r.Workload)
	return result.Operation{}
}

// assertFacts proves that a result carries what its numbers depend on, and that the bytes reached the devices.
func assertFacts(t *testing.T, got *v1alpha1.ZfsBenchmark) {
	t.Helper()
	node := got.Status.Nodes[0]
	if node.OpenZFSModule == "" || node.OpenZFSUserland == "" || node.Kernel == "" || node.ARCMaxBytes <= 0 {
		t.Errorf("node facts are missing: %+v", node)
	}
	for _, s := range readDocuments(t, got).first(t).Samples {
		if s.Pool.Health != "ONLINE" || len(s.Pool.Ashift) == 0 || s.Pool.SizeBytes <= 0 {
			t.Errorf("%s: pool facts are missing: %+v", s.Workload, s.Pool)
		}
		if s.NodeCPUSeconds <= 0 || s.ToolCPUSeconds <= 0 || s.JobFile == "" || len(s.Argv) == 0 {
			t.Errorf("%s: CPU seconds %f and %f, job file %q, argv %q",
				s.Workload, s.NodeCPUSeconds, s.ToolCPUSeconds, s.JobFile, s.Argv)
		}
		// The data is incompressible, so at least its size is written. A cold read has to fetch it from disks; files are in
		// the node's page cache.
		if (s.DeviceReadBytes > 0) != (s.DeviceReads > 0) || (s.DeviceWrittenBytes > 0) != (s.DeviceWrites > 0) {
			t.Errorf("%s: the devices read %d bytes in %d requests and wrote %d in %d",
				s.Workload, s.DeviceReadBytes, s.DeviceReads, s.DeviceWrittenBytes, s.DeviceWrites)
		}
		if s.Write != nil && s.DeviceWrittenBytes < s.Write.Bytes*9/10 {
			t.Errorf("%s wrote %d bytes, but only %d reached the devices", s.Workload, s.Write.Bytes, s.DeviceWrittenBytes)
		}
		onDisks := got.Spec.Devices[0].File == nil
		if s.Read != nil && onDisks && s.CacheState == string(v1alpha1.CacheCold) && s.DeviceReadBytes < s.Read.Bytes*9/10 {
			t.Errorf("%s read %d bytes cold, but only %d came from the devices", s.Workload, s.Read.Bytes, s.DeviceReadBytes)
		}
	}
}
