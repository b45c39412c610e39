// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"strings"
	"testing"

	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// TestReadIgnoresStatus reads what `kubectl get -o yaml` has written.
func TestReadIgnoresStatus(t *testing.T) {
	stored := "metadata: {name: a, uid: x, generation: 2}\nstatus: {phase: Complete, conditions: []}"
	document, err := (validatetest.Case{Patch: stored}).Manifest(validatetest.Benchmark)
	if err != nil {
		t.Fatal(err)
	}
	b, err := validate.ReadBenchmark(document)
	if err != nil {
		t.Fatal(err)
	}
	if b.Status.Phase != "" {
		t.Errorf("status is %+v, want none", b.Status)
	}
}

// TestReadIsStrict has what a typed document cannot say: fields that do not exist, are there twice, or have another
// type. A real API server refuses the same.
func TestReadIsStrict(t *testing.T) {
	tests := map[string]struct{ patch, document, want string }{
		"no object":              {document: "- a", want: "cannot unmarshal array"},
		"a number as a name":     {patch: "metadata: {name: 1}", want: "metadata.name"},
		"a field beside spec":    {patch: "metadata: {name: a}\nspecs: {}", want: "specs: Invalid value: unknown field"},
		"a field of metadata":    {patch: "metadata: {name: a, label: {}}", want: `unknown field "metadata.label"`},
		"a field that is twice":  {document: "metadata: {name: a}\nmetadata: {name: b}", want: `key "metadata" already set`},
		"a field in other case":  {patch: "metadata: {name: a}\nSpec: {}", want: "Spec: Invalid value: unknown field"},
		"the name in the error":  {patch: "metadata: {name: lost}\nspec: {poool: {}}", want: "ZfsBenchmark lost: "},
		"a size with a misprint": {patch: "metadata: {name: a}\nspec: {timeout: 1x}", want: "timeout must be whole seconds"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			document := []byte(tt.document)
			if tt.patch != "" {
				var err error
				if document, err = (validatetest.Case{Patch: tt.patch}).Manifest(validatetest.Benchmark); err != nil {
					t.Fatal(err)
				}
			}
			_, err := validate.ReadBenchmark(document)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
}
