// SPDX-License-Identifier: Apache-2.0

package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Command is Tool.Options of a tool whose options are all on its command line: the command line without paths and seed.
func Command(argv []string) map[string]string {
	return map[string]string{"command": strings.Join(argv, " ")}
}

// FieldsOf returns the fields of a part of a workload by name, as JSON writes them.
func FieldsOf(part any) map[string]string {
	// Encoding and decoding fail only for types that a workload does not contain.
	data, err := json.Marshal(part)
	if err != nil {
		panic(fmt.Sprintf("encode workload: %v", err))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		panic(fmt.Sprintf("decode workload: %v", err))
	}
	options := map[string]string{}
	for name, value := range fields {
		options[name] = strings.Trim(string(value), `"`)
	}
	return options
}

// Option is a word for an option, on a command line or in a description.
type Option struct {
	Set  bool
	Word string
}

// Words appends the words of the options that are set.
func Words(words []string, options ...Option) []string {
	for _, o := range options {
		if o.Set {
			words = append(words, o.Word)
		}
	}
	return words
}

// List formats a list of values.
func List[T any](items []T) []string {
	words := make([]string, 0, len(items))
	for _, item := range items {
		words = append(words, fmt.Sprint(item))
	}
	return words
}

// maxOption is the longest text of an option, in bytes.
const maxOption = 256

// Shortened limits a text for Tool.Options to maxOption bytes. A long text ends in its hash, so that different texts
// stay different.
func Shortened(text string) string {
	if len(text) <= maxOption {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	mark := " sha256:" + hex.EncodeToString(sum[:16])
	return strings.ToValidUTF8(text[:maxOption-len(mark)-len("…")], "") + "…" + mark
}
