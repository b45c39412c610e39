// SPDX-License-Identifier: Apache-2.0

package series

import (
	"encoding/json"
	"math"
	"testing"
)

// FuzzValues: what is read of a series on a node is as long as what is there, and is the same when it is written and
// read again.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{"[]", "null", "[0,1.5,null,1e300]", "[-1,0.0005]", `["1"]`, "[1,", "[1e999]", "{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var read, again values
		if err := json.Unmarshal(text, &read); err != nil {
			return
		}
		written, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(written, &again); err != nil || len(again) != len(read) {
			t.Fatalf("%s is %d values, of %d: %v", written, len(again), len(read), err)
		}
		for i := range read {
			known := !math.IsNaN(read[i])
			if known == math.IsNaN(again[i]) || known && math.Abs(read[i]-again[i]) > 0.0005+1e-12*math.Abs(read[i]) {
				t.Errorf("value %d: %v is %v", i, read[i], again[i])
			}
		}
	})
}
