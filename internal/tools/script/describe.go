// SPDX-License-Identifier: Apache-2.0

package script

import (
	"fmt"
	"strings"

	"zfsbench.io/operator/internal/tools"
)

// maxCommand is how much of the command a description has, in bytes.
const maxCommand = 120

// Describe quotes the beginning of the command.
func (t Tool) Describe() string {
	command := strings.Join(strings.Fields(strings.Join(t.Command, " ")), " ")
	if len(command) > maxCommand {
		command = strings.ToValidUTF8(command[:maxCommand], "") + "…"
	}
	metrics := make([]string, 0, len(t.Metrics))
	for _, m := range t.Metrics {
		metrics = append(metrics, fmt.Sprintf("%s in %s", m.Name, m.Unit))
	}
	return fmt.Sprintf("script %s in the image %s, for at most %s, %s",
		command, t.Image, t.TimeLimit(), strings.Join(metrics, ", "))
}

// Options are the workload's fields.
func (t Tool) Options() map[string]string {
	options := tools.FieldsOf(t.ScriptWorkload)
	options["command"] = tools.Shortened(options["command"])
	options["size"], options["timeout"] = fmt.Sprint(t.Size.Value()), t.TimeLimit().String()
	return options
}

// HasOwnData is true: only the script knows what it stores.
func (Tool) HasOwnData() bool { return true }
