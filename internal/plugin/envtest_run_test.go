// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/report"
)

// set plays the manager: it sets conditions, each as TYPE, STATUS, REASON and MESSAGE.
func (s *server) set(t *testing.T, namespace string, progress *v1alpha1.Progress, conditions ...[4]string) {
	t.Helper()
	b := s.get(t, namespace)
	b.Status.Progress = progress
	for _, c := range conditions {
		b.Status.Conditions = append(b.Status.Conditions, metav1.Condition{Type: c[0], Status: metav1.ConditionStatus(c[1]),
			Reason: c[2], Message: c[3], LastTransitionTime: metav1.Now()})
		for i, other := range b.Status.Conditions {
			if other.Type == c[0] && i < len(b.Status.Conditions)-1 {
				b.Status.Conditions[i] = b.Status.Conditions[len(b.Status.Conditions)-1]
				b.Status.Conditions = b.Status.Conditions[:len(b.Status.Conditions)-1]
				break
			}
		}
	}
	if err := s.Status().Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func (s *server) get(t *testing.T, namespace string) *v1alpha1.ZfsBenchmark {
	t.Helper()
	b := &v1alpha1.ZfsBenchmark{}
	if err := s.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "b"}, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// publish writes results, as the manager does, and says in status where they are.
func (s *server) publish(t *testing.T, namespace, summary string) {
	t.Helper()
	b := s.get(t, namespace)
	chunks := report.Chunks(jobspec.ResultsConfigMapName(b), report.Output{Markdown: []byte(summary), JSON: []byte("{}")})
	if len(chunks) < 2 {
		t.Fatal("the summary fits into one ConfigMap")
	}
	for _, chunk := range chunks {
		if err := s.Create(t.Context(), jobspec.ReportConfigMap(b, chunk.Name, chunk.Data)); err != nil {
			t.Fatal(err)
		}
	}
	b.Status.ResultsConfigMap = chunks[0].Name
	if err := s.Status().Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

var (
	accepted = [4]string{v1alpha1.ConditionAccepted, "True", "Accepted", "Every node agrees."}
	running  = [4]string{v1alpha1.ConditionRunning, "True", "Running", "It runs."}
	finished = [4]string{v1alpha1.ConditionFinished, "True", "Complete", "It is complete."}
	complete = [4]string{v1alpha1.ConditionComplete, "True", "Complete", "All trials have results."}
)

func TestRun(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	file := filepath.Join(t.TempDir(), "report.md")
	c := begin(t.Context(), s.user, disk, "run", "-f", "-", "--namespace", namespace, "--report", file)
	c.wait(t, "Waiting: the operator has not looked at the benchmark yet.")
	s.set(t, namespace, nil, [4]string{v1alpha1.ConditionAccepted, "False", "NoPolicy", "Nobody offers d0."})
	c.wait(t, "Waiting (NoPolicy): Nobody offers d0.")
	trials := func(done int32) *v1alpha1.Progress {
		return &v1alpha1.Progress{Trials: v1alpha1.TrialCounts{Total: 2, Completed: done}, CurrentVariant: "default",
			CurrentRepetition: done + 1}
	}
	s.set(t, namespace, trials(0), accepted, running)
	c.wait(t, "Running: 0 of 2 trials done; variant default, repetition 1")
	s.set(t, namespace, trials(1))
	c.wait(t, "Running: 1 of 2 trials done; variant default, repetition 2")
	summary := strings.Repeat("A line of the report.\n", 20000)
	s.publish(t, namespace, summary)
	s.set(t, namespace, nil, finished, complete)
	c.wait(t, "Complete (Complete): All trials have results.")
	if code := <-c.code; code != 0 {
		t.Errorf("code %d: %s", code, &c.errOut)
	}
	if lines := strings.Count(c.errOut.String(), "\n"); lines != 6 {
		t.Errorf("%d lines:\n%s", lines, &c.errOut)
	}
	if c.out.String() != "zfsbenchmark.zfsbench.io/b created\n" {
		t.Errorf("stdout %q", &c.out)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != summary {
		t.Errorf("the report has %d bytes, want %d, error %v", len(text), len(summary), err)
	}
	// It can be had again, in another format, and a second benchmark of the name is refused.
	again := filepath.Join(t.TempDir(), "results.json")
	if code, _, stderr := run(t, s.user, "", "run", "b", "-n", namespace, "--report", again); code != 0 {
		t.Errorf("code %d: %s", code, stderr)
	}
	if text, err := os.ReadFile(again); err != nil || string(text) != "{}" {
		t.Errorf("report %q, error %v", text, err)
	}
	if code, _, stderr := run(t, s.user, disk, "run", "-f", "-", "-n", namespace); code != exitRefused ||
		!strings.Contains(stderr, `"b" already exists: follow it with`) {
		t.Errorf("code %d: %s", code, stderr)
	}
}

// TestOutcomes: every end has a code of its own.
func TestOutcomes(t *testing.T) {
	s := testServer(t)
	failed := func(reason string) [4]string { return [4]string{v1alpha1.ConditionFailed, "True", reason, "It broke."} }
	tests := map[string]struct {
		conditions [][4]string
		code       int
		want       string
	}{
		"failed":   {[][4]string{finished, failed("PoolFailed")}, exitFailed, "error: benchmark b failed"},
		"rejected": {[][4]string{finished, failed("InvalidSpec")}, exitRefused, "error: benchmark b is not valid"},
		"thresholds": {[][4]string{finished, complete, {v1alpha1.ConditionThresholdsMet, "False", "NotMet", "w is slow."}},
			exitNotMet, "error: benchmark b does not meet its thresholds"},
		"complete": {[][4]string{finished, complete}, 0, "All trials have results."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := s.namespace(t)
			if code, _, stderr := run(t, s.user, disk, "run", "-f", "-", "-n", namespace); code != 0 ||
				!strings.Contains(stderr, "kubectl zfsbench run b --namespace "+namespace+" --wait") {
				t.Fatalf("code %d: %s", code, stderr)
			}
			s.set(t, namespace, nil, test.conditions...)
			code, _, stderr := run(t, s.user, "", "run", "b", "-n", namespace, "--wait")
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("code %d, want %d and %q: %s", code, test.code, test.want, stderr)
			}
			code, _, stderr = run(t, s.user, "", "run", "b", "-n", namespace, "--report", filepath.Join(t.TempDir(), "r.md"))
			if code != max(test.code, exitError) || !strings.Contains(stderr, "there are no results") {
				t.Errorf("code %d with a report that does not exist: %s", code, stderr)
			}
		})
	}
}

// TestGivingUp: whoever stops waiting learns that the benchmark goes on.
func TestGivingUp(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	code, _, stderr := run(t, s.user, disk, "run", "-f", "-", "-n", namespace, "--wait", "--timeout", "50ms")
	advice := "goes on in the cluster\n  follow it: kubectl zfsbench run b --namespace " + namespace +
		" --wait\n  delete it: kubectl delete zfsbenchmark b --namespace " + namespace
	if code != exitTimedOut || !strings.Contains(stderr, advice) {
		t.Errorf("code %d: %s", code, stderr)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	c := begin(ctx, s.user, "", "run", "b", "-n", namespace, "--wait")
	c.wait(t, "Waiting")
	interrupt()
	if code := <-c.code; code != exitInterrupted || !strings.Contains(c.errOut.String(), advice) {
		t.Errorf("code %d: %s", code, &c.errOut)
	}
	c = begin(t.Context(), s.user, "", "run", "b", "-n", namespace, "--wait")
	c.wait(t, "Waiting")
	if err := s.Delete(t.Context(), s.get(t, namespace)); err != nil {
		t.Fatal(err)
	}
	if code := <-c.code; code != exitError || !strings.Contains(c.errOut.String(), "was deleted before it finished") {
		t.Errorf("code %d: %s", code, &c.errOut)
	}
}

// TestRunCreatesNothing: what is wrong is found before anything is created.
func TestRunCreatesNothing(t *testing.T) {
	s := testServer(t)
	namespace := s.namespace(t)
	tests := map[string]struct {
		text string
		args []string
		code int
		want string
	}{
		"a policy in the file": {disk, []string{"-f", "../../config/samples/policy.yaml"}, exitRefused,
			"config/samples/policy.yaml: it has a BenchmarkDevicePolicy"},
		"a rule in Go": {strings.Replace(disk, "pool:", "comparison: {reference: nobody}\n  matrix: {axes: [{name: r, "+
			"property: recordsize, propertyValues: [16K, 32K]}]}\n  pool:", 1), nil, exitRefused, "spec.comparison.reference"},
		"a timeout of nothing":  {disk, []string{"--timeout", "1h"}, exitError, "--timeout needs --wait or --report"},
		"a report of no format": {disk, []string{"--report", "report.txt"}, exitError, "must end in .md, .csv or .json"},
		"no benchmark":          {"", nil, exitRefused, "no ZfsBenchmark in -"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := run(t, s.user, test.text, append([]string{"run", "-f", "-", "-n", namespace}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("code %d, want %d and %q: %s", code, test.code, test.want, stderr)
			}
		})
	}
	var all v1alpha1.ZfsBenchmarkList
	if err := s.List(t.Context(), &all, client.InNamespace(namespace)); err != nil || len(all.Items) > 0 {
		t.Errorf("created %v, error %v", all.Items, err)
	}
}
