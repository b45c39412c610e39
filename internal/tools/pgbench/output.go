// SPDX-License-Identifier: Apache-2.0

package pgbench

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/lines"
	"zfsbench.io/operator/internal/tools/toolreport"
)

const (
	// maxOutputBytes bounds pgbench's output, maxLogLine a line of its log.
	maxOutputBytes = 64 << 10
	maxLogLine     = 1 << 10
	// maxMicroseconds is beyond any transaction.
	maxMicroseconds = 1e12
)

var (
	transactionsLine = regexp.MustCompile(`(?m)^number of transactions actually processed: ([0-9]{1,15})(?:/[0-9]+)?$`)
	failedLine       = regexp.MustCompile(`(?m)^number of failed transactions: ([0-9]{1,15}) `)
	tpsLine          = regexp.MustCompile(`(?m)^tps = ([0-9.]{1,20}) \(without initial connection time\)$`)
)

// Parse reads what pgbench prints at its end into a phase without latencies. Errors: *toolreport.MissingError,
// *toolreport.FormatError.
func Parse(r io.Reader) (result.Phase, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxOutputBytes))
	if err != nil {
		return result.Phase{}, tool.Malformed(err)
	}
	tps, done := tpsLine.FindSubmatch(text), transactionsLine.FindSubmatch(text)
	if tps == nil || done == nil {
		return result.Phase{}, tool.Missing()
	}
	transactions, err := strconv.ParseInt(string(done[1]), 10, 64)
	rate, plausible := toolreport.Rate(string(tps[1]), 1)
	if err != nil || transactions == 0 || !plausible {
		return result.Phase{}, tool.Malformedf("%s transactions at %s per second", done[1], tps[1])
	}
	if failed := failedLine.FindSubmatch(text); len(failed) == 2 && string(failed[1]) != "0" {
		return result.Phase{}, tool.Malformedf("%s transactions failed", failed[1])
	}
	return result.Phase{Name: string(v1alpha1.PgbenchTransaction), Operation: result.Operation{
		IOs: transactions, IOPS: rate, RuntimeNanoseconds: max(1, int64(float64(transactions)/rate*1e9)),
	}}, nil
}

// ParseLog records the latencies of a transaction log, as pgbench writes it with --log.
func ParseLog(r io.Reader, latencies *result.Recorder) error {
	for line, err := range lines.Endless(r) {
		if err == nil && len(line) > maxLogLine {
			err = &lines.LimitError{What: "line", LimitBytes: maxLogLine}
		}
		if err != nil {
			return tool.Malformed(fmt.Errorf("transaction log: %w", err))
		}
		// client, its transaction, microseconds, script, and the time of the end in two fields
		words := strings.Fields(line)
		if len(words) < 6 {
			return tool.Malformedf("%.40q is not a line of a transaction log", line)
		}
		microseconds, err := strconv.ParseFloat(words[2], 64)
		if err != nil || !(microseconds >= 0 && microseconds <= maxMicroseconds) {
			return tool.Malformedf("%.40q is not a latency in microseconds", words[2])
		}
		latencies.Record(int64(microseconds * 1e3))
	}
	return nil
}
