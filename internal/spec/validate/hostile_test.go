// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// refusedBenchmark says whether Go refuses a manifest, while it decodes or afterwards.
func refusedBenchmark(manifest []byte) bool {
	var b v1alpha1.ZfsBenchmark
	return !decodes(manifest, &b) || len(validate.Benchmark(&b)) > 0
}

func refusedPolicy(manifest []byte) bool {
	var p v1alpha1.BenchmarkDevicePolicy
	return !decodes(manifest, &p) || len(validate.Policy(&p)) > 0
}

func decodes(manifest []byte, into any) bool {
	unknown, err := kjson.UnmarshalStrict(manifest, into)
	return err == nil && len(unknown) == 0
}

// TestNoTextOfAnAPIObjectEscapes attacks every text of both APIs, fields that are yet to come included. What is left is a disk's serial number, which is
// any printable text, and of which internal/runner proves that no command ever gets it; and a script's command, which is run in the sandbox as it is.
func TestNoTextOfAnAPIObjectEscapes(t *testing.T) {
	tests := map[string]struct {
		full    []string
		attacks func() ([]validatetest.Hostile, error)
		refused func([]byte) bool
	}{
		"benchmark": {validatetest.FullBenchmarks(), validatetest.HostileBenchmarks, refusedBenchmark},
		"policy":    {validatetest.FullPolicies(), validatetest.HostilePolicies, refusedPolicy},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for i, manifest := range tt.full {
				document, err := yaml.YAMLToJSONStrict([]byte(manifest))
				if err != nil || tt.refused(document) {
					t.Errorf("manifest %d is refused without any attack", i)
				}
			}
			attacks, err := tt.attacks()
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range attacks {
				if name == "policy" && h.Field == "spec.devices[].serial" || name == "benchmark" && h.Field == "spec.workloads[].script.command[]" {
					continue
				}
				if !tt.refused(h.Manifest) {
					t.Errorf("%s with %s is accepted: %.80q", h.Field, h.Attack, h.Text)
				}
			}
		})
	}
}

// TestCommands says which attacks a script's command does not take: those that no program can have as an argument.
func TestCommands(t *testing.T) {
	for attack, text := range validatetest.Attacks("run") {
		b := v1alpha1.ZfsBenchmark{Spec: v1alpha1.ZfsBenchmarkSpec{Workloads: []v1alpha1.Workload{{Name: "a", Script: &v1alpha1.ScriptWorkload{Command: []string{"sh", text}}}}}}
		refused := false
		for _, e := range validate.Benchmark(&b) {
			refused = refused || e.Field == field.NewPath("spec", "workloads").Index(0).Child("script", "command").Index(1).String()
		}
		if want := strings.Contains(text, "\x00") || len(text) > 8192; refused != want {
			t.Errorf("%s: refused %t, want %t", attack, refused, want)
		}
	}
}

// TestSerialNumbers says which attacks a serial number takes: it is compared with what the disk says, and goes nowhere else.
func TestSerialNumbers(t *testing.T) {
	for attack, text := range validatetest.Attacks("S1") {
		p := v1alpha1.BenchmarkDevicePolicy{Spec: v1alpha1.BenchmarkDevicePolicySpec{Devices: []v1alpha1.PolicyDevice{{Serial: text}}}}
		refused := false
		for _, e := range validate.Policy(&p) {
			refused = refused || e.Field == field.NewPath("spec", "devices").Index(0).Child("serial").String()
		}
		want := map[string]bool{"a line": true, "a line's end": true, "a carriage return": true, "the end of a text": true, "behind the end": true, "a huge text": true}[attack]
		if refused != want {
			t.Errorf("%s: refused %t, want %t", attack, refused, want)
		}
	}
}
