// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServed(t *testing.T) {
	tests := map[string]struct {
		served []string
		next   string
		want   []string
	}{
		"the first":   {nil, "a", []string{"a"}},
		"another one": {[]string{"a"}, "b", []string{"a", "b"}},
		"once more":   {[]string{"a", "b"}, "a", []string{"b", "a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			record := QueueRecord("runners", "storage-0", "node-uid", WithServed(tt.served, tt.next))
			if diff := cmp.Diff(tt.want, Served(record)); diff != "" {
				t.Errorf("served (-want +got):\n%s", diff)
			}
		})
	}
	if got := Served(nil); got != nil {
		t.Errorf("without a record: %q", got)
	}
	if got := Served(QueueRecord("runners", "storage-0", "node-uid", nil)); got != nil {
		t.Errorf("of an empty record: %q", got)
	}
}

func TestServedIsBounded(t *testing.T) {
	var served []string
	for i := range 2 * maxServed {
		served = WithServed(served, fmt.Sprintf("team-%d", i))
	}
	if len(served) != maxServed || served[maxServed-1] != fmt.Sprintf("team-%d", 2*maxServed-1) {
		t.Errorf("remembers %d namespaces, the last is %s", len(served), served[len(served)-1])
	}
}
