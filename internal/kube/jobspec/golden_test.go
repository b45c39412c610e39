// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/testfiles"
)

// compareGolden compares an object, as YAML, with testdata/name.
func compareGolden(t *testing.T, name string, object any) {
	t.Helper()
	got, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Compare(t, name, string(got))
}

func testRun() Run {
	return Run{
		Namespace: "zfsbench-runners",
		Plan: plan.Plan{
			Version:        plan.Version,
			Benchmark:      plan.Benchmark{Namespace: "default", Name: "mirror", UID: "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"},
			Node:           plan.Node{Name: "storage-0", UID: "7d1f3a52-0000-4000-8000-000000000001"},
			TimeoutSeconds: 3600,
			Scratch:        plan.Scratch{Directory: "/var/lib/zfsbench", LimitBytes: 1 << 30},
		},
		PlanJSON: "{}\n",
		Digest:   "sha256:ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356",
		Shards:   2,
		Grace:    2 * time.Minute,
		PlanUID:  "5b0f0c6e-1111-4222-8333-444455556666",
	}
}

func testConfig() config.Runner {
	return config.Runner{
		Image:            "example/zfsbench-runner:v0.1.0",
		ImagePullPolicy:  corev1.PullIfNotPresent,
		ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}},
		Tolerations: []corev1.Toleration{{Key: "storage", Operator: corev1.TolerationOpExists,
			Effect: corev1.TaintEffectNoSchedule}},
		PriorityClassName: "storage",
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("100m"),
		}},
	}
}

func TestGoldenObjects(t *testing.T) {
	r := testRun()
	d := Discovery{Namespace: r.Namespace, NodeName: r.Plan.Node.Name, NodeUID: r.Plan.Node.UID, OwnerUID: r.PlanUID,
		Request: DiscoveryRequest{Scratch: "/var/lib/zfsbench", Volumes: []plan.Volume{{Name: "pv", Path: "/dev/sdz"}}}}
	request, err := d.ConfigMap()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]any{
		"discovery-job.yaml":     d.Job(testConfig()),
		"discovery-request.yaml": request,
		"discovery-role.yaml":    d.Role(),
		"plan.yaml":              r.PlanConfigMap(),
		"progress.yaml":          r.ProgressConfigMap("true"),
		"results.yaml":           r.ResultsConfigMaps(),
		"service-account.yaml":   r.ServiceAccount(),
		"role.yaml":              r.Role(),
		"role-binding.yaml":      r.RoleBinding(),
		"run-job.yaml":           r.RunJob(testConfig()),
		"cleanup-job.yaml":       r.CleanupJob(testConfig()),
		"image-pod.yaml":         withImages(r).ImagePod(testConfig()),
		"image-role.yaml":        withImages(r).Role(),
		"corpora-job.yaml":       withCorpora(r).RunJob(testConfig()),
	}
	for name, object := range tests {
		t.Run(name, func(t *testing.T) { compareGolden(t, name, object) })
	}
}
