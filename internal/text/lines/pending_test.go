// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Lines are whole, in whatever pieces they come, and one without an end takes no more than it may.
func TestPending(t *testing.T) {
	for _, size := range []int{1, 2, 3, 100} {
		var pending Pending
		var got []string
		text := "one\rtwo\n\nthree"
		for text != "" {
			n := min(size, len(text))
			pending.Take([]byte(text[:n]), "\r\n", 8, func(line []byte) { got = append(got, string(line)) })
			text = text[n:]
		}
		if diff := cmp.Diff([]string{"one", "two", ""}, got); diff != "" || string(pending) != "three" {
			t.Errorf("in pieces of %d, pending %q (-want +got):\n%s", size, pending, diff)
		}
	}
	var pending Pending
	pending.Take([]byte(strings.Repeat("x", 1<<20)+"end"), "\n", 5, func([]byte) { t.Error("a line without an end") })
	if string(pending) != "xxend" || cap(pending) > 64 {
		t.Errorf("pending %q, capacity %d", pending, cap(pending))
	}
}
