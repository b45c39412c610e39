// SPDX-License-Identifier: Apache-2.0

// Command casedocs writes docs/cases.md from the comments of the cases in config/samples/cases.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"zfsbench.io/operator/config/samples/cases"
)

func main() {
	to := flag.String("to", "docs/cases.md", "page to write")
	flag.Parse()
	if err := run(*to); err != nil {
		fmt.Fprintln(os.Stderr, "casedocs:", err)
		os.Exit(1)
	}
}

func run(to string) error {
	all, err := cases.All()
	if err != nil {
		return err
	}
	return os.WriteFile(to, []byte(page(all)), 0o644)
}

const head = `<!-- Written by hack/casedocs from the comments of the manifests; change those, and run "make docs". -->

# Cases

Start from one of these benchmarks instead of a blank page. Each is in [config/samples/cases](../config/samples/cases).
[The kubectl plugin](plugin.md#init-write-a-manifest) fills in your nodes and disks:

    kubectl zfsbench init --case postgresql --namespace NAMESPACE > benchmark.yaml

Or put them into the first lines by hand, and apply it. Do a dry run first: it says how much space and time the
benchmark takes ([Install and run](install.md)).

Sizes are relative to the memory, the ARC or the pool of the node wherever the API allows it. Each variant is measured
six to twelve times. [Results](results.md) and [Statistics](statistics.md) explain the words Better, Worse, Equivalent
and Inconclusive.

| case | question |
| --- | --- |
`

// page has a table of all cases, and a section for each.
func page(all []cases.Case) string {
	var b strings.Builder
	b.WriteString(head)
	for _, c := range all {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", c.Name, c.Name, c.Question)
	}
	for _, c := range all {
		fmt.Fprintf(&b, "\n## %s\n\n", c.Name)
		b.WriteString(wrap("", fmt.Sprintf("%s Manifest: [%s.yaml](../config/samples/cases/%s.yaml).", c.Question, c.Name,
			c.Name)))
		b.WriteString("\n")
		b.WriteString(wrap("- ", "**What it runs.** "+c.Runs))
		b.WriteString(wrap("- ", "**The margin that matters:** "+c.Margin))
		b.WriteString(wrap("- ", "**How to read the answer.** "+c.Answer))
		b.WriteString(wrap("- ", "**What to change.** "+c.Change))
	}
	return b.String()
}

// columns is how wide the docs are.
const columns = 120

// wrap breaks a paragraph, which begins with mark, into lines. Later lines are indented as far as the text of the
// first.
func wrap(mark, text string) string {
	var b strings.Builder
	line := mark
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", len(mark)) + word
		default:
			line += " " + word
		}
	}
	return b.String() + line + "\n"
}
