// SPDX-License-Identifier: Apache-2.0

package filesystem

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// row is a type's line in the table of docs/baselines.md.
func row(f Filesystem) string {
	list := func(options []Option) string {
		if len(options) == 0 {
			return "-"
		}
		var all []string
		for _, o := range options {
			text := "`" + o.Name + "`"
			if o.max > 0 || len(o.words) > 0 {
				text += " (" + strings.TrimPrefix(o.Want(), "a whole number from ") + ")"
			}
			all = append(all, text)
		}
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("| %s | %s | %s |", f.Type, list(f.mkfs), list(f.mount))
}

// TestOptionsAreDocumented prints the lines that are missing.
func TestOptionsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/baselines.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range All() {
		if line := row(f); !bytes.Contains(page, []byte(line+"\n")) {
			t.Errorf("docs/baselines.md lacks\n%s", line)
		}
	}
}
