// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"unicode/utf8"

	"zfsbench.io/operator/internal/report/model"
)

// table is a Markdown table that is also aligned for reading as plain text.
type table struct {
	header []string
	// right says which columns are aligned to the right.
	right []bool
	rows  [][]string
}

// newTable takes column titles; a title that begins with > makes a right-aligned column.
func newTable(titles ...string) *table {
	t := &table{}
	for _, title := range titles {
		text, right := strings.CutPrefix(title, ">")
		t.header, t.right = append(t.header, text), append(t.right, right)
	}
	return t
}

// add adds a row, with one cell per column.
func (t *table) add(cells ...string) {
	escaped := make([]string, 0, len(cells))
	for _, c := range cells {
		escaped = append(escaped, escape(c))
	}
	t.rows = append(t.rows, escaped)
}

func (t *table) String() string {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c), 2)
		}
	}
	var out strings.Builder
	line := func(cells []string, fill string) {
		for i, c := range cells {
			pad := strings.Repeat(fill, widths[i]-utf8.RuneCountInString(c))
			if t.right[i] {
				c = pad + c
			} else {
				c += pad
			}
			out.WriteString("| " + c + " ")
		}
		out.WriteString("|\n")
	}
	line(t.header, " ")
	rule := make([]string, len(t.header))
	for i := range rule {
		rule[i] = strings.Repeat("-", widths[i])
		if t.right[i] {
			rule[i] = rule[i][:len(rule[i])-1] + ":"
		}
	}
	line(rule, "-")
	for _, row := range t.rows {
		line(row, " ")
	}
	return out.String()
}

// section is a heading, a table of at most maxRows rows, and the meaning of its columns; nothing if there are no rows.
func section[T any](m *page, heading string, titles []string, all []T, cells func(T) []string, legend string) {
	if len(all) == 0 {
		return
	}
	out := newTable(titles...)
	for _, one := range all[:min(len(all), maxRows)] {
		out.add(cells(one)...)
	}
	m.printf("\n## %s\n\n%s\n%s\n", heading, out, legend)
	m.more(len(all)-maxRows, model.CSVKey+" and "+model.JSONKey)
}

// orDash formats a number, or a dash for 0, which means unknown.
func orDash(n float64, text func(float64) string) string {
	if n == 0 {
		return "-"
	}
	return text(n)
}

// escape prevents a text from a node from becoming a cell, a link, an image, code or HTML, or a second line.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "[", `\[`, "`", "\\`", `\`, `\\`, "\r", " ", "\n", " ").Replace(s)
}

// indented is a block of text that Markdown shows unchanged.
func indented(s string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		out.WriteString("    " + strings.TrimRight(line, "\r") + "\n")
	}
	return out.String()
}
