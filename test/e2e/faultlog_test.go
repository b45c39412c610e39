// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"os"
	"testing"
	"time"

	"zfsbench.io/operator/hack/faulttable/table"
)

// shardBegan is when this process began; all of its tests share the shard's time.
var shardBegan = time.Now()

// lastStart is how long before the end of a shard no case begins any more.
const lastStart = 10 * time.Minute

// faultLog keeps the rows of the cases that ran, so that the next shard goes on behind them. Without a file it keeps
// nothing.
type faultLog struct {
	file  string
	code  table.Code
	rows  []table.Row
	limit time.Duration
}

func openFaultLog(t *testing.T) *faultLog {
	t.Helper()
	log := &faultLog{file: os.Getenv("ZFSBENCH_E2E_FAULT_LOG")}
	if text := os.Getenv("ZFSBENCH_E2E_FAULT_TIME"); text != "" {
		limit, err := time.ParseDuration(text)
		if err != nil || limit <= lastStart {
			t.Fatalf("ZFSBENCH_E2E_FAULT_TIME is %q; it takes a duration of more than %s, for example 150m", text, lastStart)
		}
		log.limit = limit
	}
	if log.file == "" {
		return log
	}
	var err error
	if log.rows, err = table.ReadFile(log.file); err != nil {
		t.Fatal(err)
	}
	if log.code, err = table.CodeOf(t.Context(), "."); err != nil {
		t.Fatal(err)
	}
	if log.code.Digest == "" {
		t.Logf("sources of manager or runner are changed and not committed: the rows of this run count for nothing later")
	}
	return log
}

// passed says whether a row has the case, with this code and without a loss. A case with a loss runs again.
func (l *faultLog) passed(c table.Case) bool {
	passed := false
	for _, row := range l.rows {
		if l.code.Digest != "" && row.Digest == l.code.Digest && row.Name == c.Name() {
			passed = row.Losses == 0
		}
	}
	return passed
}

func (l *faultLog) isTimeUp() bool {
	return l.limit > 0 && time.Since(shardBegan) > l.limit-lastStart
}

// add writes a row.
func (l *faultLog) add(t *testing.T, c table.Case, outcome string, passed bool, took time.Duration) {
	t.Helper()
	if l.file == "" {
		return
	}
	row := table.Row{
		Case: c, Name: c.Name(), Outcome: outcome, Seconds: took.Round(time.Second).Seconds(), Code: l.code,
		Cases: len(allFaults()) + 1, // with deviceCrashes
		Time:  time.Now().UTC().Truncate(time.Second),
	}
	if !passed {
		row.Losses = 1
	}
	if err := table.Append(l.file, row); err != nil {
		t.Fatalf("keep the row of %s: %v", c.Name(), err)
	}
	l.rows = append(l.rows, row)
}

// deviceCrashes is the row of TestDeviceCrashes.
func deviceCrashes() table.Case {
	return table.Case{Subject: "disk", Point: "between the steps of taking it and giving it back", Kind: "program ended"}
}
