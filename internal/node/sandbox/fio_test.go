// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/fio"
)

// runRealFio runs a workload with the real fio as the runner does.
func runRealFio(t *testing.T, w v1alpha1.FioWorkload, change func(*Command)) (Result, fio.Report, error) {
	t.Helper()
	needRoot(t)
	cmd := shell(t, "")
	job, err := fio.JobFile(w, fio.Target{Directory: TargetDir, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cmd.Output, "job.fio"), []byte(job), 0o644); err != nil {
		t.Fatal(err)
	}
	needs := fio.NeedsOf(w)
	cmd.Argv, cmd.IOUring = fio.Argv(OutputDir+"/job.fio", OutputDir+"/fio.json"), needs.IOUring
	cmd.Limits = Limits{Tasks: needs.Tasks, DataBytes: needs.DataBytes}
	if change != nil {
		change(&cmd)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	ended, err := Run(t.Context(), cmd)
	if err != nil {
		t.Fatalf("%v (these tests need fio: apt-get install fio)\n%s", err, &stderr)
	}
	output, err := os.Open(filepath.Join(cmd.Output, "fio.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	defer func() { _ = output.Close() }()
	report, err := fio.ParseOutput(output)
	return ended, report, err
}

// TestRealFio proves that filter and limits leave fio all it needs, up to the most that the API takes.
func TestRealFio(t *testing.T) {
	tests := map[string]v1alpha1.FioWorkload{
		"psync":   {RW: "randrw", BS: "4k", Size: resource.MustParse("1Mi"), NumJobs: 2},
		"sync":    {RW: "write", BS: "64k", Size: resource.MustParse("1Mi"), Sync: "Sync", Fsync: 4},
		"pvsync2": {RW: "write", BS: "4k", Size: resource.MustParse("1Mi")},
		"mmap":    {RW: "randrw", BS: "4k", Size: resource.MustParse("4Mi"), IOEngine: "mmap", NumJobs: 2},
		"libaio":  {RW: "randrw", BS: "4k", Size: resource.MustParse("4Mi"), IOEngine: "libaio", IODepth: 1024},
		"posixaio": {RW: "randrw", BS: "4k", Size: resource.MustParse("4Mi"), IOEngine: "posixaio", IODepth: 1024,
			NumJobs: 2},
		"io_uring": {RW: "randrw", BS: "4k", Size: resource.MustParse("4Mi"), IOEngine: "io_uring", IODepth: 1024,
			NumJobs: 2},
		"largest blocks": {RW: "write", BS: "64M", Size: resource.MustParse("128Mi"), IOEngine: "libaio", IODepth: 12},
		"most jobs":      {RW: "write", BS: "4k", Size: resource.MustParse("4Ki"), NumJobs: 1000},
		"compressible, etc": {RW: "write", BS: "4k", Size: resource.MustParse("1Mi"),
			BufferCompressPercentage: new(int32(50)), DedupePercentage: new(int32(50))},
	}
	for name, w := range tests {
		t.Run(name, func(t *testing.T) {
			ended, report, err := runRealFio(t, w, nil)
			if err != nil || ended.ExitCode != 0 || len(report.Jobs) != 1 || report.Jobs[0].Errno != 0 {
				t.Errorf("%+v, error %v, notes %q", ended, err, report.Notes)
			}
		})
	}
}

// TestInterruptedFio proves that fio hears the signal as the first process of its namespace, also when it is sent at
// once, and says what it has done by then.
func TestInterruptedFio(t *testing.T) {
	w := v1alpha1.FioWorkload{
		RW: "randrw", BS: "4k", Size: resource.MustParse("1Mi"), NumJobs: 2, TimeBased: new(true),
		Runtime: &metav1.Duration{Duration: 5 * time.Minute},
	}
	for name, after := range map[string]time.Duration{"at once": 0, "later": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{})
			ended, report, err := runRealFio(t, w, func(cmd *Command) {
				cmd.Interrupt = over
				cmd.Ready = func() { time.AfterFunc(after, func() { close(over) }) }
			})
			if ended.ExitCode != fio.InterruptedCode || ended.Signal != 0 {
				t.Errorf("ended %+v, want exit code %d", ended, fio.InterruptedCode)
			}
			if after > 0 && (err != nil || report.Jobs[0].Read == nil ||
				report.Jobs[0].Read.RuntimeNanoseconds > int64(time.Minute)) {
				t.Errorf("report %+v, %v", report, err)
			}
		})
	}
}

// TestRealFioWithoutWhatItNeeds proves that the limits bite, and how fio says so.
func TestRealFioWithoutWhatItNeeds(t *testing.T) {
	tests := map[string]struct {
		workload v1alpha1.FioWorkload
		change   func(*Command)
	}{
		"io_uring": {
			v1alpha1.FioWorkload{RW: "write", BS: "4k", Size: resource.MustParse("1Mi"), IOEngine: "io_uring"},
			func(c *Command) { c.IOUring = false },
		},
		"memory": {
			v1alpha1.FioWorkload{RW: "write", BS: "64M", Size: resource.MustParse("1Gi"), IOEngine: "libaio", IODepth: 16},
			func(c *Command) { c.Limits.DataBytes = 0 },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ended, report, err := runRealFio(t, tt.workload, tt.change)
			if err == nil && ended.ExitCode == 0 {
				t.Errorf("fio ended well: %+v", report.Jobs)
			}
		})
	}
}
