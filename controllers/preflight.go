// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/result"
)

// maxPreflight bounds the page, in bytes, so that it fits beside the other documents.
const maxPreflight = 128 << 10

// preflightMarkdown is a page about what the preflight found on each node, or empty if there is nothing to tell.
func (s *scope) preflightMarkdown() string {
	var page strings.Builder
	for _, n := range s.runs {
		if n.tellsPreflight() {
			writePreflight(&page, n.name, n.progress.Preflight)
		}
	}
	if page.Len() == 0 {
		return ""
	}
	text := "# Preflight\n" + page.String()
	if len(text) > maxPreflight {
		text = strings.ToValidUTF8(text[:maxPreflight], "") + "\n\nThe rest did not fit.\n"
	}
	return text
}

// writePreflight writes one node's part: the devices as a table, then what concerns none of them.
func writePreflight(page *strings.Builder, node string, found *result.Preflight) {
	outcome := "passed: nothing was written to any device."
	if !found.Passed {
		outcome = "did not pass: nothing was written to any device."
	}
	fmt.Fprintf(page, "\n## %s\n\nThe preflight %s\n", cell(node), outcome)
	if len(found.Devices) > 0 {
		page.WriteString("\n| Device | Path | Serial | Size (bytes) | Usable | Cause |\n| --- | --- | --- | ---: | --- | --- |\n")
	}
	for _, d := range found.Devices {
		usable := "no"
		if d.Usable {
			usable = "yes"
		}
		size := ""
		if d.SizeBytes > 0 {
			size = fmt.Sprint(d.SizeBytes)
		}
		fmt.Fprintf(page, "| %s | %s | %s | %s | %s | %s |\n", cell(d.Name), cell(d.Path), cell(d.Serial), size, usable, cell(d.Refusal))
	}
	for i, problem := range found.Problems {
		if i == 0 {
			page.WriteByte('\n')
		}
		fmt.Fprintf(page, "- %s\n", cell(problem))
	}
}

// cell makes a text fit into a table's cell: one line that does not end the cell or become markup.
func cell(text string) string {
	replacer := strings.NewReplacer(`\`, `\\`, "|", `\|`, "[", `\[`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "'")
	return replacer.Replace(strings.Join(strings.Fields(text), " "))
}
