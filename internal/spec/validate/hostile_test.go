// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"fmt"
	"strings"
	"testing"

	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// refusedBenchmark says whether a manifest does not decode, or is refused by the CRD or by Go.
func refusedBenchmark(manifest []byte) bool {
	_, err := validate.ReadBenchmark(manifest)
	return err != nil
}

func refusedPolicy(manifest []byte) bool {
	_, err := validate.ReadPolicy(manifest)
	return err != nil
}

func decodes(manifest []byte, into any) bool {
	unknown, err := kjson.UnmarshalStrict(manifest, into)
	return err == nil && len(unknown) == 0
}

// TestNoTextOfAnAPIObjectEscapes attacks every text of both APIs, fields that are yet to come included. What is left is
// a disk's serial number, which is any printable text, and of which internal/runner proves that no command ever gets
// it; and a script's command, which is run in the sandbox as it is.
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
				if name == "policy" && h.Field == "spec.devices[].serial" ||
					name == "benchmark" && h.Field == "spec.workloads[].script.command[]" {
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
		patch := fmt.Sprintf(`{spec: {workloads: [{name: a, script: {image: "a:1", command: [sh, %q], metrics: [{name: a, unit: Seconds}], size: 1Gi}}]}}`, text)
		manifest, err := validatetest.Case{Patch: patch}.Manifest(validatetest.Benchmark)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Contains(text, "\x00") || len(text) > 8192
		if got := refusedBenchmark(manifest); got != want {
			t.Errorf("%s: refused %t, want %t", attack, got, want)
		}
	}
}

// TestSerialNumbers says which attacks a serial number takes: it is compared with what the disk says, and goes nowhere
// else.
func TestSerialNumbers(t *testing.T) {
	for attack, text := range validatetest.Attacks("S1") {
		patch := fmt.Sprintf(`{spec: {devices: [{path: /dev/disk/by-id/a, serial: %q, size: 1Gi}]}}`, text)
		manifest, err := validatetest.Case{Patch: patch}.Manifest(validatetest.Policy)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{"a line": true, "a line's end": true, "a carriage return": true, "the end of a text": true,
			"behind the end": true, "a huge text": true}[attack]
		if got := refusedPolicy(manifest); got != want {
			t.Errorf("%s: refused %t, want %t", attack, got, want)
		}
	}
}
