// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/dbench"
)

// dbenchTool is dbench.
type dbenchTool struct{ v1alpha1.DbenchWorkload }

func (dbenchTool) name() string { return "dbench" }

// probe asks for help, which begins with the version.
func (dbenchTool) probe() probe {
	return probe{argv: []string{"dbench", "--help"}, version: func(stdout, _ string) string { return dbench.Version(stdout) }}
}

func (dbenchTool) needsLayout() bool { return false }

func (t dbenchTool) start(on place) (start, error) {
	return start{argv: dbench.Argv(t.DbenchWorkload, on.directory), limits: sandbox.Limits{Tasks: dbench.Tasks(t.DbenchWorkload)}}, nil
}

func (t dbenchTool) read(from output, _ bool) (result.Sample, []string, error) {
	s, err := dbench.Parse(strings.NewReader(from.printed), t.DbenchWorkload)
	return s, saidIf(err, from), err
}

func (t dbenchTool) live() live {
	return percentLive{&dbench.StatusDecoder{Workload: t.DbenchWorkload}}
}
