// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParametersOfATrial(t *testing.T) {
	many := map[string]string{}
	for i := range 21 {
		many[fmt.Sprintf("a%d", i)] = "1"
	}
	tests := map[string]struct {
		parameters map[string]string
		valid      bool
	}{
		"none":          {nil, true},
		"two":           {map[string]string{"zfs_txg_timeout": "7", "zfs_fletcher_4_impl": "scalar"}, true},
		"a path":        {map[string]string{"../x": "7"}, false},
		"a name of 65":  {map[string]string{strings.Repeat("a", 65): "7"}, false},
		"no value":      {map[string]string{"a": ""}, false},
		"a value of 65": {map[string]string{"a": strings.Repeat("7", 65)}, false},
		"too many":      {many, false},
	}
	for name, tt := range tests {
		trial := makeTrial(1, 10)
		trial.ModuleParameters = tt.parameters
		data, err := EncodeTrial(trial)
		var invalid *InvalidError
		if !tt.valid {
			if !errors.As(err, &invalid) {
				t.Errorf("%s: %v, want an InvalidError", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := DecodeTrial(data, 1)
		if diff := cmp.Diff(tt.parameters, got.ModuleParameters); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
