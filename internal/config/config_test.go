// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/internal/plan"
)

func TestDecode(t *testing.T) {
	tests := map[string]struct {
		file string
		want Manager
	}{
		"only what is required": {
			file: "runner: {image: example/runner:v1}",
			want: Manager{
				RunnerNamespace: "zfsbench-runners",
				Runner:          Runner{Image: "example/runner:v1", ImagePullPolicy: corev1.PullIfNotPresent},
				Scratch:         Scratch{Directory: "/var/lib/zfsbench", SizeLimit: resource.MustParse("16Gi")},
				MaxTimeout:      metav1.Duration{Duration: 24 * time.Hour},
				FileDevices:     plan.FileDevicesAllowed,

				DiscoveryInterval: metav1.Duration{Duration: DefaultDiscoveryInterval},
			},
		},
		"everything": {
			file: `
runnerNamespace: runners
runner:
  image: example/runner@sha256:00
  imagePullPolicy: Never
  imagePullSecrets: [{name: registry}]
  tolerations: [{key: storage, operator: Exists}]
  priorityClassName: high
  resources: {requests: {cpu: 100m}}
scratch: {directory: /data/bench, sizeLimit: 1Ti}
maxTimeout: 72h
discoveryInterval: 6h
fileDevices: Policy
csi: {enabled: true, driverNamespace: storage}
`,
			want: Manager{
				RunnerNamespace: "runners",
				Runner: Runner{
					Image:             "example/runner@sha256:00",
					ImagePullPolicy:   corev1.PullNever,
					ImagePullSecrets:  []corev1.LocalObjectReference{{Name: "registry"}},
					Tolerations:       []corev1.Toleration{{Key: "storage", Operator: corev1.TolerationOpExists}},
					PriorityClassName: "high",
					Resources:         corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m")}},
				},
				Scratch:    Scratch{Directory: "/data/bench", SizeLimit: resource.MustParse("1Ti")},
				MaxTimeout: metav1.Duration{Duration: 72 * time.Hour},

				DiscoveryInterval: metav1.Duration{Duration: 6 * time.Hour},
				FileDevices:       plan.FileDevicesByPolicy,
				CSI:               CSI{Enabled: true, Namespace: "zfsbench-claims", DriverNamespace: "storage"},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Decode(strings.NewReader(tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Decode (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeRejects(t *testing.T) {
	tests := map[string]struct{ file, want string }{
		"no image":             {"runnerNamespace: a", "runner.image"},
		"misspelt key":         {"runner: {image: a, pullPolicy: Never}", "pullPolicy"},
		"unknown pull policy":  {"runner: {image: a, imagePullPolicy: Sometimes}", "runner.imagePullPolicy"},
		"bad namespace":        {"{runnerNamespace: Not_A_Name, runner: {image: a}}", "runnerNamespace"},
		"root as scratch":      {"{runner: {image: a}, scratch: {directory: /}}", "scratch.directory"},
		"relative scratch":     {"{runner: {image: a}, scratch: {directory: var/lib}}", "scratch.directory"},
		"climbing scratch":     {"{runner: {image: a}, scratch: {directory: /var/../etc}}", "scratch.directory"},
		"system's scratch":     {"{runner: {image: a}, scratch: {directory: /etc/zfs}}", "belongs to the system"},
		"claims among runners": {"{runner: {image: a}, csi: {enabled: true, namespace: zfsbench-runners}}", "csi.namespace"},
		"bad driver namespace": {"{runner: {image: a}, csi: {enabled: true, driverNamespace: Open_EBS}}",
			"csi.driverNamespace"},
		"negative size":         {"{runner: {image: a}, scratch: {sizeLimit: -1Gi}}", "scratch.sizeLimit"},
		"a timeout too long":    {"{runner: {image: a}, maxTimeout: 721h}", "maxTimeout"},
		"an interval too short": {"{runner: {image: a}, discoveryInterval: 9m}", "discoveryInterval"},
		"an interval too long":  {"{runner: {image: a}, discoveryInterval: 721h}", "discoveryInterval"},
		"a timeout too short":   {"{runner: {image: a}, maxTimeout: 59s}", "maxTimeout"},
		"unknown file devices":  {"{runner: {image: a}, fileDevices: Sometimes}", "fileDevices"},
		"no YAML":               {"[", "decode configuration"},
		"endless":               {strings.Repeat("#", maxFileBytes+1), "more than"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(strings.NewReader(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Decode = %v, want an error that names %q", err, tt.want)
			}
		})
	}
}
