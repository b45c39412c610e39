// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"regexp"
	"strings"
	"testing"
)

var conditionConst = regexp.MustCompile(`(?m)^\s+((?:Condition|Reason|Phase)\w+)\s+= "(\w+)"`)

// TestReasonsAreInTroubleshooting: a user finds every phase, condition and reason in the first column of a table, with
// what to do.
func TestReasonsAreInTroubleshooting(t *testing.T) {
	var found []string
	for line := range strings.SplitSeq(read(t, "docs/troubleshooting.md"), "\n") {
		if first, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok && strings.HasPrefix(line, "| ") {
			found = append(found, strings.Split(strings.ReplaceAll(first, "`", ""), ", ")...)
		}
	}
	rows := map[string]bool{}
	for _, name := range found {
		rows[name] = true
	}
	all := conditionConst.FindAllStringSubmatch(read(t, "api/v1alpha1/conditions.go"), -1)
	if len(all) < 60 {
		t.Fatalf("conditions.go has %d constants only", len(all))
	}
	for _, match := range all {
		// Warnings have one reason, which is explained above their table.
		if !rows[match[2]] && match[1] != "ReasonMeasured" {
			t.Errorf("docs/troubleshooting.md has no row for %s (%s)", match[2], match[1])
		}
	}
}
