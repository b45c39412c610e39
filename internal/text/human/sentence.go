// SPDX-License-Identifier: Apache-2.0

package human

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence makes an error's text one: a capital at the beginning, a full stop at the end, on one line. Errors that were
// joined stand on lines of their own.
func Sentence(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	text = strings.Join(strings.Fields(text), " ")
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
