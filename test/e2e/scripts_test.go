// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// scripted is a workload of a shell script in the runner's image, the only one that every node under test has.
func scripted(name, script string, metrics ...v1alpha1.ScriptMetric) v1alpha1.Workload {
	return v1alpha1.Workload{Name: name, Script: &v1alpha1.ScriptWorkload{
		Image: v1alpha1.ImageReference(suite.runnerImage), Command: []string{"sh", "-c", script},
		Size: resource.MustParse("4Mi"), Timeout: &metav1.Duration{Duration: 2 * time.Minute}, Metrics: metrics,
	}}
}

func allowImages(t *testing.T, images ...string) {
	t.Helper()
	spec := v1alpha1.BenchmarkDevicePolicySpec{}
	for _, image := range images {
		spec.Images = append(spec.Images, v1alpha1.ImageReference(image))
	}
	suite.grant(t, "e2e-images", spec)
}

// TestScriptIsMeasured runs programs of an image on a pool, and copies a corpus from it.
func TestScriptIsMeasured(t *testing.T) {
	studies(t)
	allowImages(t, suite.runnerImage)
	b := newBenchmark("scripts").files(1, "512Mi").property("compression", "lz4")
	b.obj.Spec.Workloads = []v1alpha1.Workload{
		scripted("told", `echo loading; echo warned >&2; echo '{"rows": 1234.5, "load": 2.25, "moved": 1048576}'`,
			v1alpha1.ScriptMetric{Name: "load", Unit: v1alpha1.ScriptSeconds},
			v1alpha1.ScriptMetric{Name: "rows", Unit: v1alpha1.ScriptPerSecond},
			v1alpha1.ScriptMetric{Name: "moved", Unit: v1alpha1.ScriptBytesPerSecond}),
		// Each line that is not as it should be makes the numbers 2; what it was is on standard error.
		scripted("confined", `
bad=1; wrong() { echo "$*" >&2; bad=2; }
[ "$(id -u)" = 2053534562 ] || wrong "runs as $(id -u)"
for f in /*; do case $f in /bin|/boot|/dev|/etc|/home|/lib*|/media|/mnt|/opt|/proc|/root|/run|/sbin|/srv|/target|/tmp|/usr|/var|/zfsbench-holder|/.dockerenv) ;; *) wrong "there is $f";; esac; done
for f in /dev/*; do case $f in /dev/full|/dev/null|/dev/random|/dev/urandom|/dev/zero) ;; *) wrong "there is $f";; esac; done
for f in /proc/[0-9]*; do case $(cat $f/comm) in sh|cat) ;; *) wrong "there is process $f";; esac; done
for f in /sys /var/lib/zfsbench; do [ -z "$(ls -A "$f" 2>/dev/null)" ] || wrong "there is something in $f"; done
[ ! -e /var/run/secrets/kubernetes.io/serviceaccount/token ] || wrong "there is a token"
(echo x >/etc/new) 2>/dev/null && wrong "the image can be written to"
echo data >"$ZFSBENCH_DATA/data" || wrong "the data cannot be written"
echo temporary >/tmp/temporary || wrong "/tmp cannot be written"
echo "{\"trouble\": $bad}"
[ $bad = 1 ]`, v1alpha1.ScriptMetric{Name: "trouble", Unit: v1alpha1.ScriptPerSecond}),
		{Name: "given", Corpus: &v1alpha1.CorpusWorkload{Image: &v1alpha1.CorpusFromImage{
			Image: v1alpha1.ImageReference(suite.runnerImage), Path: "/usr/sbin", Size: resource.MustParse("256Mi"),
		}}},
	}
	obj := b.apply(t)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 3 {
		t.Fatalf("trials %+v", docs.trials)
	}
	told, given := docs.trials[0].Samples[0], docs.trials[0].Samples[2]
	if got := operationsOf(told); !slices.Equal(got, []string{"load", "rows", "moved"}) ||
		told.Phases[0].RuntimeNanoseconds != 225e7 || told.Phases[1].IOPS != 1234.5 ||
		told.Phases[2].BandwidthBytesPerSecond != 1<<20 {
		t.Errorf("measured %q: %+v", got, told.Phases)
	}
	if told.Tool != "script" || told.ToolVersion != suite.runnerImage || told.RuntimeNanoseconds <= 0 {
		t.Errorf("%+v", told)
	}
	if given.Data == nil || given.Data.Files < 1 || given.Data.Bytes != given.BytesWritten() ||
		!strings.Contains(docs.summary, given.Data.Digest) {
		t.Errorf("corpus: %+v, %+v", given.Data, given.Phases)
	}
	if !strings.Contains(docs.summary, "## Compression and deduplication") {
		t.Error("the summary does not tell the ratios")
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// TestScriptFailures: a script that ends badly, prints no result or does not end fails its trial, with what it said,
// and nothing else.
func TestScriptFailures(t *testing.T) {
	studies(t)
	allowImages(t, suite.runnerImage)
	number := v1alpha1.ScriptMetric{Name: "n", Unit: v1alpha1.ScriptPerSecond}
	hanging := scripted("w", `echo started; sleep 600`, number)
	hanging.Script.Timeout = &metav1.Duration{Duration: 10 * time.Second}
	for name, tt := range map[string]struct {
		workload v1alpha1.Workload
		want     []string
	}{
		"exit": {scripted("w", `echo trouble >&2; exit 3`, number),
			[]string{"script w ended with exit code 3", "trouble"}},
		"garbage": {scripted("w", `echo hello`, number),
			[]string{"the last line on standard output must be a JSON object", "hello"}},
		"hangs": {hanging, []string{"script w had not ended after 10s, its timeout, and was killed", "started"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBenchmark("script-"+name).files(1, "128Mi")
			b.obj.Spec.Workloads = []v1alpha1.Workload{tt.workload}
			obj := b.apply(t)
			awaitFailed(t, obj)
			docs := readDocuments(t, awaitFinished(t, obj))
			if len(docs.trials) != 1 || docs.trials[0].Failure == nil {
				t.Fatalf("trials %+v", docs.trials)
			}
			failure := *docs.trials[0].Failure
			for _, want := range tt.want {
				if failure.Reason != v1alpha1.ReasonWorkloadFailed || !strings.Contains(failure.Message+failure.Tail, want) {
					t.Errorf("failure %+v, want %q", failure, want)
				}
			}
			assertNodeClean(t)
			remove(t, obj)
			assertNothingLeft(t, obj)
		})
	}
}

// TestScriptWithoutPolicyWaits: an image that no policy lists is refused by its name, with what would be needed; one
// that a policy lists, and that is not there, ends the benchmark with its name. A program that an image lacks is found
// by the preflight.
func TestScriptWithoutPolicyWaits(t *testing.T) {
	studies(t)
	number := v1alpha1.ScriptMetric{Name: "n", Unit: v1alpha1.ScriptPerSecond}
	b := newBenchmark("script-unlisted").files(1, "128Mi")
	b.obj.Spec.Workloads = []v1alpha1.Workload{scripted("w", `echo '{"n": 1}'`, number)}
	obj := b.apply(t)
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonPolicyMismatch, "use the container image", suite.runnerImage,
		"spec.images of BenchmarkDevicePolicy")
	allowImages(t, suite.runnerImage)
	awaitComplete(t, obj)
	remove(t, obj)
	assertNothingLeft(t, obj)

	missing := newBenchmark("script-missing").files(1, "128Mi")
	missing.obj.Spec.DryRun = true
	missing.obj.Spec.Workloads = []v1alpha1.Workload{scripted("w", "", number)}
	missing.obj.Spec.Workloads[0].Script.Command = []string{"no-such-program"}
	obj = missing.apply(t)
	if reason, message := awaitFailed(t, obj); reason != v1alpha1.ReasonPreflightFailed ||
		!strings.Contains(message, "no-such-program: program not found") {
		t.Errorf("failed with %s %q", reason, message)
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
}
