// SPDX-License-Identifier: Apache-2.0

// Package memory_test measures how much memory the manager's program needs for the largest benchmark that it accepts.
package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

const (
	// limitBytes is what the chart gives the manager.
	limitBytes = 512 << 20
	// repetitions of 16 variants are 6,544 trials: of 6,554 the manager says that they are too many.
	repetitions = 409
	node        = "storage-0"
	namespace   = "zfsbench-runners"
	patience    = 20 * time.Minute
)

// BenchmarkManager runs the manager's program on an API server of its own, in a control group with the memory that the
// chart gives it, and has it report on as many trials as it accepts, first while they run and then at the end. It
// prints the most memory that the group had, and fails if the kernel killed the manager.
func BenchmarkManager(b *testing.B) {
	m := start(b)
	for range b.N {
		benchmark := m.accept()
		run := m.run(benchmark)
		m.putTrials(run)
		m.report(run, result.StateRunning)
		m.wait(benchmark, v1alpha1.ConditionResultsPublished)
		m.report(run, result.StateComplete)
		m.endJob(run)
		m.wait(benchmark, v1alpha1.ConditionComplete)
		b.ReportMetric(float64(len(run.Plan.Trials)), "trials")
		b.ReportMetric(m.peakMebibytes(), "MiB-peak")
		b.ReportMetric(limitBytes>>20, "MiB-limit")
	}
}

// measured is the manager's program and the API server that it works on.
type measured struct {
	client.Client
	b       *testing.B
	process *os.Process
	group   string
	log     string
}

func (m *measured) must(err error) {
	m.b.Helper()
	if err != nil {
		m.b.Fatal(err)
	}
}

func start(b *testing.B) *measured {
	b.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		b.Skip("KUBEBUILDER_ASSETS is not set: `make devcluster && bin/devcluster assets` builds kube-apiserver and etcd " +
			"and prints where they are")
	}
	dir := b.TempDir()
	m := &measured{b: b, group: limitedGroup(b), log: filepath.Join(dir, "log")}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"../../config/crd/bases"}, ErrorIfCRDPathMissing: true}
	restConfig, err := environment.Start()
	m.must(err)
	b.Cleanup(func() { _ = environment.Stop() })
	scheme := runtime.NewScheme()
	m.must(clientgoscheme.AddToScheme(scheme))
	m.must(v1alpha1.AddToScheme(scheme))
	m.Client, err = client.New(restConfig, client.Options{Scheme: scheme})
	m.must(err)
	m.must(m.Create(b.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))

	program, kubeconfig := filepath.Join(dir, "manager"), filepath.Join(dir, "kubeconfig")
	m.must(os.WriteFile(kubeconfig, environment.KubeConfig, 0o600))
	build := exec.CommandContext(b.Context(), "go", "build", "-o", program, "../../cmd/manager")
	build.Stderr = os.Stderr
	m.must(build.Run())
	output, err := os.Create(m.log)
	m.must(err)
	command := exec.CommandContext(b.Context(), "sh", "-c", `echo $$ > "$0" && exec "$@"`,
		filepath.Join(m.group, "cgroup.procs"), program,
		"-config=../../config/manager/config.yaml", "-metrics-bind-address=0", "-health-probe-bind-address=0")
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "ZFSBENCH_MEMORY_LIMIT="+strconv.Itoa(limitBytes))
	command.Stderr = output
	m.must(command.Start())
	m.process = command.Process
	ended := make(chan struct{})
	go func() { // else a manager that was killed would still be there for Signal
		defer close(ended)
		_ = command.Wait()
	}()
	b.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
	})
	return m
}

// limitedGroup makes a control group with limitBytes of memory and returns its directory.
func limitedGroup(b *testing.B) string {
	b.Helper()
	group, limit := "/sys/fs/cgroup/memory/zfsbench-manager-test", "memory.limit_in_bytes"
	if _, err := os.Stat(filepath.Dir(group)); err != nil {
		group, limit = "/sys/fs/cgroup/zfsbench-manager-test", "memory.max"
	}
	if err := os.Mkdir(group, 0o755); err != nil {
		b.Skipf("no control group can be made here: %v", err)
	}
	b.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			b.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(group, limit), []byte(strconv.Itoa(limitBytes)), 0o600); err != nil {
		b.Skipf("no control group can be limited here: %v", err)
	}
	return group
}

// accept creates the largest benchmark that is permitted.
func (m *measured) accept() *v1alpha1.ZfsBenchmark {
	m.b.Helper()
	allowed := map[string]string{v1alpha1.LabelNodeAllowed: "true"}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, Labels: allowed}}
	m.must(m.Create(m.b.Context(), n))
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	m.must(m.Status().Update(m.b.Context(), n))
	sizes := []v1alpha1.AxisValueName{
		"512", "1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M", "8M", "16M",
	}
	benchmark := &v1alpha1.ZfsBenchmark{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "largest"},
		Spec: v1alpha1.ZfsBenchmarkSpec{
			Nodes:   v1alpha1.NodesSpec{Names: []string{node}},
			Devices: []v1alpha1.Device{{Name: "f0", File: &v1alpha1.FileDevice{Size: resource.MustParse("1Gi")}}},
			Pool:    &v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"f0"}}}},
			Matrix: &v1alpha1.MatrixSpec{Axes: []v1alpha1.Axis{{
				Name: "recordsize", Property: "recordsize", PropertyValues: sizes,
			}}},
			Repetitions: &v1alpha1.RepetitionsSpec{Min: repetitions},
			Workloads: []v1alpha1.Workload{{
				Name: "seq-write", Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("64Mi")},
			}},
		},
	}
	m.must(m.Create(m.b.Context(), benchmark))
	return benchmark
}

// eventually waits until check returns nil. When it does not, the manager's log says more.
func (m *measured) eventually(check func(ctx context.Context) error) {
	m.b.Helper()
	var last error
	look := func(ctx context.Context) (bool, error) {
		if err := m.process.Signal(syscall.Signal(0)); err != nil {
			return false, err
		}
		last = check(ctx)
		return last == nil, nil
	}
	if err := wait.PollUntilContextTimeout(m.b.Context(), time.Second, patience, true, look); err != nil {
		log, _ := os.ReadFile(m.log)
		m.b.Fatalf("%v, %v; the manager says:\n%s", err, last, log[max(0, len(log)-4096):])
	}
}

func (m *measured) wait(benchmark *v1alpha1.ZfsBenchmark, condition string) {
	m.b.Helper()
	m.eventually(func(ctx context.Context) error {
		var now v1alpha1.ZfsBenchmark
		if err := m.Get(ctx, client.ObjectKeyFromObject(benchmark), &now); err != nil {
			return err
		}
		if meta.IsStatusConditionTrue(now.Status.Conditions, condition) {
			return nil
		}
		return fmt.Errorf("%s is not True: %v", condition, now.Status.Conditions)
	})
}

// run waits for the plan and the Job.
func (m *measured) run(benchmark *v1alpha1.ZfsBenchmark) jobspec.Run {
	m.b.Helper()
	var run jobspec.Run
	m.eventually(func(ctx context.Context) error {
		var documents corev1.ConfigMapList
		labels := client.MatchingLabels(jobspec.Labels(string(benchmark.UID), node))
		if err := m.List(ctx, &documents, client.InNamespace(namespace), labels); err != nil {
			return err
		}
		for i := range documents.Items {
			if documents.Items[i].Data[jobspec.KeyPlan] == "" {
				continue
			}
			var err error
			if run, err = jobspec.ReadRun(&documents.Items[i]); err != nil {
				return err
			}
			return m.Get(ctx, key(jobspec.RunJobName(run.Base())), &batchv1.Job{})
		}
		var now v1alpha1.ZfsBenchmark
		err := m.Get(ctx, client.ObjectKeyFromObject(benchmark), &now)
		return fmt.Errorf("no plan: %v, %w", now.Status.Conditions, err)
	})
	return run
}

func key(name string) client.ObjectKey { return client.ObjectKey{Namespace: namespace, Name: name} }

// patch writes into a ConfigMap as a runner does.
func (m *measured) patch(name string, content any) {
	m.b.Helper()
	data, err := json.Marshal(content)
	m.must(err)
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	m.must(m.Patch(m.b.Context(), cm, client.RawPatch("application/merge-patch+json", data)))
}

// putTrials writes a result for each trial, like one that was captured.
func (m *measured) putTrials(run jobspec.Run) {
	m.b.Helper()
	file, err := os.Open("../../internal/report/testdata/trials/storage-0-0.json")
	m.must(err)
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(file)
	m.must(err)
	var captured result.Trial
	m.must(json.Unmarshal(text, &captured))
	captured.Samples = captured.Samples[:1]
	captured.Samples[0].CacheState = string(run.Plan.Runs()[0].Cache())
	shards := map[int]map[string][]byte{}
	for i, planned := range run.Plan.Trials {
		trial := captured
		trial.Index, trial.Variant, trial.Repetition = i, planned.Variant, planned.Repetition
		trial.PlanDigest, trial.Node = run.Digest, run.Plan.Node.Name
		data, err := result.EncodeTrialWithin(trial, plan.TrialBytes(run.Plan))
		m.must(err)
		shard := plan.ResultsShard(run.Plan, i)
		if shards[shard] == nil {
			shards[shard] = map[string][]byte{}
		}
		shards[shard][result.TrialKey(i)] = data
	}
	for shard, trials := range shards {
		m.patch(jobspec.ResultsName(run.Base(), shard), map[string]any{"binaryData": trials})
	}
}

func (m *measured) report(run jobspec.Run, state string) {
	m.b.Helper()
	data, err := result.EncodeProgress(result.Progress{
		Version: result.Version, PlanDigest: run.Digest, State: state, Completed: len(run.Plan.Trials),
		Started: time.Now().Add(-time.Minute), Updated: time.Now(),
	})
	m.must(err)
	m.patch(jobspec.ProgressName(run.Base()), map[string]any{"data": map[string]string{jobspec.KeyProgress: string(data)}})
}

// endJob does what the Job controller does at the end.
func (m *measured) endJob(run jobspec.Run) {
	m.b.Helper()
	var job batchv1.Job
	m.must(m.Get(m.b.Context(), key(jobspec.RunJobName(run.Base())), &job))
	now := metav1.Now()
	job.Status.StartTime = ptr.To(metav1.NewTime(now.Add(-time.Minute)))
	job.Status.CompletionTime, job.Status.Succeeded = &now, 1
	for _, kind := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: kind, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonCompletionsReached,
			LastTransitionTime: now, LastProbeTime: now,
		})
	}
	m.must(m.Status().Update(m.b.Context(), &job))
}

// peakMebibytes is the most memory that the manager's control group has had.
func (m *measured) peakMebibytes() float64 {
	m.b.Helper()
	text, err := os.ReadFile(filepath.Join(m.group, "memory.max_usage_in_bytes"))
	if os.IsNotExist(err) {
		text, err = os.ReadFile(filepath.Join(m.group, "memory.peak"))
	}
	m.must(err)
	peak, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	m.must(err)
	return peak / (1 << 20)
}
