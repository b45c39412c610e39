// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
)

// Every tool of a workload is in the list, once, and only pool operations have none.
func TestEveryToolIsListed(t *testing.T) {
	listed := 0
	for _, field := range v1alpha1.ToolFields() {
		var w v1alpha1.Workload
		set(t, &w, field)
		if got := w.Tools(); !slices.Equal(got, []string{field}) {
			t.Errorf("%s is set, and tools are %v", field, got)
		}
		tool := Of(w)
		if (tool == nil) != (field == "pool") {
			t.Errorf("%s: %v", field, tool)
		}
		if tool != nil {
			listed++
		}
	}
	if listed != len(all) {
		t.Errorf("%d of %d tools are a workload's", listed, len(all))
	}
}

// set sets a field of a workload by its name in JSON.
func set(t *testing.T, w *v1alpha1.Workload, field string) {
	t.Helper()
	v := reflect.ValueOf(w).Elem()
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name == field {
			v.Field(i).Set(reflect.New(v.Type().Field(i).Type.Elem()))
			return
		}
	}
	t.Fatalf("no field %s", field)
}
