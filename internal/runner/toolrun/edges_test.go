// SPDX-License-Identifier: Apache-2.0

package toolrun

import (
	"fmt"
	"strings"
	"testing"
)

// Beginning and end of what a tool prints are kept, as whole lines, however much there is and however it comes.
func TestEdgesWriter(t *testing.T) {
	for _, tt := range []struct{ lines, piece int }{{0, 1}, {3, 1}, {3, 1000}, {6553, 7}, {6554, 7}, {10000, 1000},
		{200000, 999}, {200000, 1 << 20}} {
		t.Run(fmt.Sprintf("%d lines in pieces of %d", tt.lines, tt.piece), func(t *testing.T) {
			var all strings.Builder
			for i := range tt.lines {
				_, _ = fmt.Fprintf(&all, "line%05d\n", i%100000)
			}
			var e edgesWriter
			for text := all.String(); text != ""; {
				n, err := e.Write([]byte(text[:min(tt.piece, len(text))]))
				if err != nil {
					t.Fatal(err)
				}
				text = text[n:]
			}
			got := e.String()
			if all.Len() <= 2*printedBytes && got != all.String() {
				t.Errorf("%d of %d bytes are kept", len(got), all.Len())
			}
			if len(got) > 3*printedBytes {
				t.Errorf("%d bytes are kept", len(got))
			}
			edge := min(all.Len(), printedBytes-10)
			if got[:edge] != all.String()[:edge] || got[len(got)-edge:] != all.String()[all.Len()-edge:] {
				t.Error("beginning or end are lost")
			}
			for line := range strings.Lines(got) {
				if len(line) != len("line00000\n") {
					t.Fatalf("a line is cut: %q", line)
				}
			}
		})
	}
}
