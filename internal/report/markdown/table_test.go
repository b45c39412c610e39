// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	tab := newTable("Name", ">n", "Latency")
	tab.add("a", "10", "1.2 µs")
	tab.add("a|b", "5", "")
	want := `| Name |  n | Latency |
| ---- | -: | ------- |
| a    | 10 | 1.2 µs  |
| a\|b |  5 |         |
`
	if diff := cmp.Diff(want, tab.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEscape(t *testing.T) {
	tests := map[string]string{
		"seq-write": "seq-write", "a|b": `a\|b`, "<img src=x>": `\<img src=x>`, "a`b`": "a\\`b\\`", "a\r\nb": "a  b",
		`\|`: `\\\|`, "![a](b)": `!\[a](b)`,
	}
	for in, want := range tests {
		if got := escape(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestIndented(t *testing.T) {
	if got, want := indented("a\r\n```\n\nb\n\n"), "    a\n    ```\n    \n    b\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
