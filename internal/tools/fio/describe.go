// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"fmt"

	"zfsbench.io/operator/internal/tools"
)

// Describe is short: reports have a table of fio's jobs.
func (t Tool) Describe() string { return t.Name() }

// Options are the fields of the job. With several jobs, each name has its job's name as a prefix.
func (t Tool) Options() map[string]string {
	options := map[string]string{}
	for _, j := range t.AllJobs() {
		prefix := ""
		if j.Name != "" {
			prefix = j.Name + "."
			options[prefix+"startDelay"] = j.StartDelay.String()
		}
		j.Preset = "" // its fields are already set
		if !j.IsTimeBased() {
			j.TimeBased = nil // false is the same as unset
		}
		for name, value := range tools.FieldsOf(j.FioWorkload) {
			options[prefix+name] = value
		}
		if n, err := BlockBytes(j.BS); err == nil && len(j.BSSplit) == 0 {
			options[prefix+"bs"] = fmt.Sprint(n)
		}
		if j.RelativeSize == "" {
			options[prefix+"size"] = fmt.Sprint(j.Size.Value())
		}
		if j.Rate != nil {
			options[prefix+"rate"] = fmt.Sprint(j.Rate.Value())
		}
	}
	return options
}
