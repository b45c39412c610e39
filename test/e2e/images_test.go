// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// imagePod is the pod that holds a benchmark's images.
func imagePod(t *testing.T, obj *v1alpha1.ZfsBenchmark) corev1.Pod {
	t.Helper()
	pods := &corev1.PodList{}
	of := client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(obj.UID), "app.kubernetes.io/component": "images"}
	if err := suite.client.List(context.Background(), pods, client.InNamespace(runnerNamespace), of); err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 1 {
		t.Fatalf("%d pods hold the images of %s, want 1", len(pods.Items), obj.Name)
	}
	return pods.Items[0]
}

// seenByHolders prints, for each process that holds an image, the command lines in the /proc of its container, and
// whether it shares a namespace with the node.
const seenByHolders = `
for d in /proc/[0-9]*; do
  grep -qs '^Uid:.2053534563' $d/status || continue
  for c in $d/root/proc/[0-9]*/cmdline; do echo "$(tr '\0' ' ' <$c)"; done
  for n in pid net ipc mnt; do [ "$(readlink $d/ns/$n)" != "$(readlink /proc/1/ns/$n)" ] || echo "the node's $n"; done
done`

// TestImageSeesNoProcesses: what holds an image has a list of processes with nothing in it but itself. Another one
// comes in the place of one that is deleted: the attempt in which that happens does not count, names it, and is
// repeated.
func TestImageSeesNoProcesses(t *testing.T) {
	studies(t)
	allowImages(t, suite.runnerImage)
	b := newBenchmark("image-pod").files(1, "128Mi")
	script := scripted("w", `sleep 20; echo '{"n": 1}'`, v1alpha1.ScriptMetric{Name: "n", Unit: v1alpha1.ScriptPerSecond})
	script.Script.Timeout = &metav1.Duration{Duration: time.Minute}
	b.obj.Spec.Workloads = []v1alpha1.Workload{script}
	obj := b.apply(t)
	awaitWorkload(t, obj, "w")

	seen := strings.Split(strings.TrimSpace(onNode(t, "sh", "-c", seenByHolders)), "\n")
	for _, line := range seen {
		if strings.TrimSpace(line) != "/zfsbench-holder/holder hold 0" {
			t.Errorf("what holds an image sees %q", line)
		}
	}
	first := imagePod(t, obj)
	if err := suite.client.Delete(t.Context(), &first); err != nil {
		t.Fatal(err)
	}
	docs := readDocuments(t, awaitComplete(t, obj))
	if len(docs.trials) != 1 || len(docs.trials[0].Excluded) != 1 {
		t.Fatalf("trials %+v, want one attempt excluded", docs.trials)
	}
	if failure := docs.trials[0].Excluded[0].Failure; !strings.Contains(failure.Message, first.Name) {
		t.Errorf("failure %+v, want it to name pod %s", failure, first.Name)
	}
	awaitNoPodsOfImages(t, obj)
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// awaitNoPodsOfImages waits until nothing holds the benchmark's images, which nobody needs after its Job.
func awaitNoPodsOfImages(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	await(t, obj.Name+": no pods of images", func() (bool, error) {
		pods := &corev1.PodList{}
		of := client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(obj.UID), "app.kubernetes.io/component": "images"}
		err := suite.client.List(context.Background(), pods, client.InNamespace(runnerNamespace), of)
		return len(pods.Items) == 0, err
	}, func() string { return describe(obj) })
}
