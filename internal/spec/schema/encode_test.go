// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/internal/spec/schema"
)

// TestEncodeRefusesExponents finds quantities wherever a type can hold one.
func TestEncodeRefusesExponents(t *testing.T) {
	type holder struct {
		Size *resource.Quantity `json:"size,omitempty"`
	}
	values := map[string]func(resource.Quantity) any{
		"a field behind a pointer": func(q resource.Quantity) any { return &holder{Size: &q} },
		"a list":                   func(q resource.Quantity) any { return []resource.Quantity{{}, q} },
		"an array":                 func(q resource.Quantity) any { return [1]resource.Quantity{q} },
		"a map":                    func(q resource.Quantity) any { return map[string]resource.Quantity{"a": q} },
		"a map of lists":           func(q resource.Quantity) any { return map[string]any{"a": []holder{{Size: &q}}} },
	}
	for name, value := range values {
		t.Run(name, func(t *testing.T) {
			if text, err := schema.Encode(value(resource.MustParse("1e3"))); err == nil {
				t.Errorf("1e3 was encoded: %s", text)
			}
			if _, err := schema.Encode(value(resource.MustParse("1Ki"))); err != nil {
				t.Errorf("1Ki: %v", err)
			}
		})
	}
	if _, err := schema.Encode(holder{}); err != nil {
		t.Errorf("no size: %v", err)
	}
}
