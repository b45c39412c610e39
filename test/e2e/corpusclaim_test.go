// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// givenDirectory is where the volumes of the tests' claims are on the node.
const givenDirectory = "/var/lib/zfsbench-e2e-given"

// makeGivenFiles puts files on the node, half of whose data compresses to nearly nothing, and beside them what no
// corpus has. What is returned wants all of it to be as it was, the times of the last access included.
func makeGivenFiles(t *testing.T, name string) (unchanged func()) {
	t.Helper()
	dir := givenDirectory + "/" + name
	onNode(t, "sh", "-ec", `umask 022; mkdir -p "$1/sub/deep" "$1/lost+found"; cd "$1"
yes 'the same line, again and again' | head -c 8M >text
head -c 8M /dev/urandom >sub/random
printf '#!/bin/sh\n' >sub/deep/program; chmod 4755 sub/deep/program
ln -s /etc/shadow sub/link; mkfifo pipe; mknod null c 1 3; chmod 666 null
echo closed >lost+found/closed; chmod 700 lost+found; sleep 1`, "sh", dir)
	t.Cleanup(func() { onNode(t, "rm", "-rf", dir) })
	// Whoever looks at contents, directories and links changes the time of the last access, once.
	const sums = `cd "$1"; find . -type f -exec sha256sum {} + | sort; `
	const list = `cd "$1"; find . -printf '%P %y %m %U %G %s %i %l %T@ %A@ %C@\n' | sort; `
	contents := onNode(t, "sh", "-ec", sums, "sh", dir)
	onNode(t, "sh", "-ec", list, "sh", dir)
	listed := onNode(t, "sh", "-ec", list, "sh", dir)
	return func() {
		t.Helper()
		if now := onNode(t, "sh", "-ec", list, "sh", dir); now != listed {
			t.Errorf("the volume was\n%sand is\n%s", listed, now)
		}
		if now := onNode(t, "sh", "-ec", sums, "sh", dir); now != contents {
			t.Errorf("its files were\n%sand are\n%s", contents, now)
		}
	}
}

// makeClaim makes a volume of a directory on the node that has to be there, usable on the node with this host name, and
// a claim to it in the namespace of the runners.
func makeClaim(t *testing.T, name, host string) {
	t.Helper()
	directory, size := corev1.HostPathDirectory, corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			ClaimRef: &corev1.ObjectReference{Namespace: runnerNamespace, Name: name},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: givenDirectory +
				"/" + name, Type: &directory}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{host},
					}},
				}},
			}},
		},
	}
	none := ""
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: runnerNamespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{AccessModes: modes, StorageClassName: &none, VolumeName: name,
			Resources: corev1.VolumeResourceRequirements{Requests: size}},
	}
	for _, object := range []client.Object{volume, claim} {
		if err := suite.client.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T %s: %v", object, name, err)
		}
		t.Cleanup(func() {
			if err := client.IgnoreNotFound(suite.client.Delete(context.Background(), object)); err != nil {
				t.Errorf("delete %T %s: %v", object, name, err)
			}
		})
	}
}

// fromClaim is a benchmark on a small pool that copies a claim.
func fromClaim(name, claim string) benchmark {
	b := newBenchmark(name).files(1, "512Mi").property("compression", "lz4")
	b.obj.Spec.Workloads = []v1alpha1.Workload{{Name: "given", Corpus: &v1alpha1.CorpusWorkload{
		PersistentVolumeClaim: &v1alpha1.CorpusFromClaim{ClaimName: claim, Size: resource.MustParse("32Mi")},
	}}}
	return b
}

// TestCorpusOfAClaim copies the files of a volume, once a policy lists the claim and it is there. The measured
// ratio is the files' own, and the volume is unchanged.
func TestCorpusOfAClaim(t *testing.T) {
	studies(t)
	const claim = "zfsbench-e2e-given"
	unchanged := makeGivenFiles(t, claim)
	obj := fromClaim("corpus-claim", claim).apply(t)
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonPolicyMismatch, "read the PersistentVolumeClaim", claim,
		"spec.persistentVolumeClaims of BenchmarkDevicePolicy")
	suite.grant(t, "e2e-claims", v1alpha1.BenchmarkDevicePolicySpec{PersistentVolumeClaims: []string{claim}})
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonClaimNotReady, "spec.workloads[0].corpus.persistentVolumeClaim.claimName",
		"there is no PersistentVolumeClaim "+claim+" in the runners' namespace, "+runnerNamespace)
	makeClaim(t, claim, suite.node.Labels[corev1.LabelHostname])
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 1 {
		t.Fatalf("trials %+v", docs.trials)
	}
	const bytes = 8<<20 + 8<<20 + 10
	s := docs.trials[0].Samples[0]
	if s.Data == nil || s.Data.Files != 3 || s.Data.Bytes != bytes || s.BytesWritten() != bytes {
		t.Errorf("corpus: %+v, %+v", s.Data, s.Phases)
	}
	if s.Data != nil && !strings.Contains(docs.summary, s.Data.Digest) ||
		!strings.Contains(docs.summary, "copied from / of the PersistentVolumeClaim "+claim) {
		t.Error("the summary does not tell where the data came from, and what it was")
	}
	// Half of it is random, the other half next to nothing.
	if ratio := s.Pool.CompressRatio; ratio < 1.8 || ratio > 2.1 {
		t.Errorf("compressed %v times", ratio)
	}
	unchanged()
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
	unchanged()
	kept := &corev1.PersistentVolumeClaim{}
	if err := suite.client.Get(t.Context(), client.ObjectKey{Namespace: runnerNamespace, Name: claim}, kept); err != nil ||
		kept.DeletionTimestamp != nil || kept.Status.Phase != corev1.ClaimBound {
		t.Errorf("the claim is %+v, %v", kept.Status, err)
	}
}

// TestClaimThatCannotBeMounted: the condition tells why a pod does not start, in the words of the scheduler or the
// kubelet, and the benchmark can be deleted.
func TestClaimThatCannotBeMounted(t *testing.T) {
	studies(t)
	for name, tt := range map[string]struct{ host, want string }{
		"elsewhere": {"zfsbench-e2e-elsewhere", "cannot be scheduled"},
		"nowhere":   {suite.node.Labels[corev1.LabelHostname], "is not set up by its node: FailedMount"},
	} {
		t.Run(name, func(t *testing.T) {
			claim := "zfsbench-e2e-" + name
			makeClaim(t, claim, tt.host)
			suite.grant(t, "e2e-claims", v1alpha1.BenchmarkDevicePolicySpec{PersistentVolumeClaims: []string{claim}})
			obj := fromClaim("corpus-"+name, claim).apply(t)
			told := awaitBenchmark(t, obj, "says why its pod does not start", func(b *v1alpha1.ZfsBenchmark) bool {
				running := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionRunning)
				return running != nil && strings.Contains(running.Message, tt.want)
			})
			t.Logf("message: %s", meta.FindStatusCondition(told.Status.Conditions, v1alpha1.ConditionRunning).Message)
			remove(t, obj)
			assertNothingLeft(t, obj)
		})
	}
}
