// SPDX-License-Identifier: Apache-2.0

package bonnie

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// format is the format of the CSV that bonnie++ 1.98 and 2.00 print, with so many fields; see bon_csv2txt(1).
const (
	format     = "1.98"
	fieldCount = 50
)

// olderFormats are the formats of bonnie++ 1.96 and 1.97. They have neither the number of seeks nor the number of
// seeking processes, which are from fieldSeeks on. Without a size 1.96 leaves out one more of the fields that are empty
// then.
var olderFormats = []string{"1.96", "1.97"}

const (
	olderFields  = fieldCount - 2
	oldestFields = olderFields - 1
)

// asFormat is a record with the fields where format has them; false for a record of another format.
func asFormat(record []string) ([]string, bool) {
	switch older := slices.Contains(olderFormats, record[0]); {
	case record[0] == format && len(record) == fieldCount:
		return record, true
	case older && len(record) == olderFields:
		return slices.Insert(record, fieldSeeks, "", ""), true
	case older && len(record) == oldestFields && record[fieldSize] == "":
		return slices.Insert(record, fieldSeeks, "", "", ""), true
	}
	return nil, false
}

// The places of fields.
const (
	fieldVersion  = 1
	fieldSize     = 5
	fieldSeeks    = 7
	fieldNumFiles = 21
)

const (
	// tooFast stands for a rate of which the test was over in less than half a second.
	tooFast = "+++++"
	// defaultSeeks are bonnie++'s own; characterBytes is what its tests of single characters move.
	defaultSeeks   = 8192
	characterBytes = 20 << 20
	// filesUnit is how many files 1 stands for.
	filesUnit = 1024
)

// unit is what the rate of a test counts.
type unit int

const (
	kibibytes unit = iota
	characters
	seeks
	fileOperations
)

// tests are the tests of the CSV, with the places of their rate and their largest latency.
var tests = []struct {
	operation     v1alpha1.Operation
	unit          unit
	rate, latency int
	reads         bool
}{
	{v1alpha1.BonnieWriteCharacters, characters, 9, 38, false},
	{v1alpha1.BonnieWrite, kibibytes, 11, 39, false},
	{v1alpha1.BonnieRewrite, kibibytes, 13, 40, false},
	{v1alpha1.BonnieReadCharacters, characters, 15, 41, true},
	{v1alpha1.BonnieRead, kibibytes, 17, 42, true},
	{v1alpha1.BonnieSeek, seeks, 19, 43, true},
	{v1alpha1.BonnieSequentialCreate, fileOperations, 26, 44, false},
	{v1alpha1.BonnieSequentialStat, fileOperations, 28, 45, true},
	{v1alpha1.BonnieSequentialDelete, fileOperations, 30, 46, false},
	{v1alpha1.BonnieRandomCreate, fileOperations, 32, 47, false},
	{v1alpha1.BonnieRandomStat, fileOperations, 34, 48, true},
	{v1alpha1.BonnieRandomDelete, fileOperations, 36, 49, false},
}

// tool is the tool's name in messages.
const tool = toolreport.Tool("bonnie++")

// Parse reads the CSV that bonnie++ prints with -q into its part of a sample: tool, version, and a phase for each test
// that ran. A test that was too short to be measured has no rate. The runtime is the sum of all measured phases.
// Latencies have only a largest value. Errors: *toolreport.MissingError, *toolreport.FormatError.
func Parse(r io.Reader) (result.Sample, error) {
	reader := csv.NewReader(io.LimitReader(r, 64<<10))
	reader.FieldsPerRecord = -1
	printed, err := reader.Read()
	switch {
	case errors.Is(err, io.EOF):
		return result.Sample{}, tool.Missing()
	case err != nil:
		return result.Sample{}, tool.Malformed(err)
	}
	record, known := asFormat(printed)
	if !known {
		return result.Sample{}, tool.Malformedf("format %.16q with %d fields; this build reads format %s with %d, of "+
			"bonnie++ 1.98 and 2.00, and %s with %d",
			printed[0], len(printed), format, fieldCount, strings.Join(olderFormats, " and "), olderFields)
	}
	s := result.Sample{Tool: "bonnie++", ToolVersion: "bonnie++-" + record[fieldVersion]}
	amounts, err := amountsOf(record)
	if err != nil {
		return result.Sample{}, tool.Malformed(err)
	}
	for _, t := range tests {
		if record[t.rate] == "" {
			continue
		}
		p := result.Phase{Name: string(t.operation), Reads: t.reads}
		if p.Latency.MaxNanoseconds, err = nanoseconds(record[t.latency]); err != nil {
			return result.Sample{}, tool.Malformedf("latency of %s: %w", p.Name, err)
		}
		if record[t.rate] == tooFast {
			p.TooFast = true
		} else if err := measure(&p, t.unit, amounts[t.unit], record[t.rate]); err != nil {
			return result.Sample{}, tool.Malformedf("rate of %s: %w", p.Name, err)
		}
		s.RuntimeNanoseconds += p.RuntimeNanoseconds
		s.Phases = append(s.Phases, p)
	}
	if len(s.Phases) == 0 {
		return result.Sample{}, tool.Malformedf("no test ran")
	}
	return s, nil
}

// amountsOf is how much the tests of each unit do: bytes, seeks or files.
func amountsOf(record []string) (map[unit]int64, error) {
	amounts := map[unit]int64{seeks: defaultSeeks}
	if text := record[fieldSeeks]; text != "" {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("number of seeks %.16q", text)
		}
		amounts[seeks] = n
	}
	if text := record[fieldSize]; text != "" {
		bytes, err := sizeBytes(text)
		if err != nil {
			return nil, err
		}
		amounts[kibibytes], amounts[characters] = bytes, min(bytes, characterBytes)
	}
	if text := record[fieldNumFiles]; text != "" {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("number of files %.16q", text)
		}
		amounts[fileOperations] = n * filesUnit
	}
	return amounts, nil
}

// sizeBytes reads a size like 64M or 2G.
func sizeBytes(text string) (int64, error) {
	units := map[byte]int64{'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
	last := text[len(text)-1]
	n, err := strconv.ParseInt(strings.TrimSuffix(text, string(last)), 10, 32)
	if err != nil || units[last] == 0 || n < 1 {
		return 0, fmt.Errorf("size %.16q is not a number with K, M or G", text)
	}
	return n * units[last], nil
}

// measure makes amounts, time and rates of a phase from a rate.
func measure(p *result.Phase, u unit, amount int64, text string) error {
	bytes := u == kibibytes || u == characters
	counted := 1.0
	if bytes {
		counted = kibibyte
	}
	rate, ok := toolreport.Rate(text, counted)
	if !ok || amount == 0 {
		return fmt.Errorf("%.16q is not a rate of %d", text, amount)
	}
	if bytes {
		p.Bytes, p.BandwidthBytesPerSecond = amount, rate
	} else {
		p.IOs, p.IOPS = amount, rate
	}
	p.RuntimeNanoseconds = int64(float64(amount) / rate * 1e9)
	return nil
}

// nanoseconds reads a latency like 33020us, 7257ms or 12s; an empty one is not known.
func nanoseconds(text string) (int64, error) {
	for _, u := range []struct {
		suffix string
		factor int64
	}{{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}} {
		digits, found := strings.CutSuffix(text, u.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > 1<<60/u.factor {
			return 0, fmt.Errorf("%.16q is not a time", text)
		}
		return n * u.factor, nil
	}
	if text == "" {
		return 0, nil
	}
	return 0, fmt.Errorf("%.16q is not a time", text)
}
