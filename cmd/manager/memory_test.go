// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime/debug"
	"testing"
)

func TestLimitMemory(t *testing.T) {
	unlimited := debug.SetMemoryLimit(-1)
	tests := map[string]struct {
		env  map[string]string
		want int64
		bad  bool
	}{
		"no limit":          {want: unlimited},
		"85% of the limit":  {env: map[string]string{memoryVariable: "1000000000"}, want: 850000000},
		"GOMEMLIMIT is set": {env: map[string]string{memoryVariable: "1000000000", "GOMEMLIMIT": "1GiB"}, want: unlimited},
		"no number":         {env: map[string]string{memoryVariable: "512Mi"}, want: unlimited, bad: true},
		"nothing":           {env: map[string]string{memoryVariable: "0"}, want: unlimited, bad: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			defer debug.SetMemoryLimit(unlimited)
			err := limitMemory(func(name string) string { return tt.env[name] })
			if got := debug.SetMemoryLimit(-1); (err != nil) != tt.bad || got != tt.want {
				t.Errorf("the limit is %d, want %d; error %v", got, tt.want, err)
			}
		})
	}
}
