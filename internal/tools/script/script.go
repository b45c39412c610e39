// SPDX-License-Identifier: Apache-2.0

package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// tool is the tool's name in messages.
const tool = toolreport.Tool("script")

// ToolName is the name of its samples.
const ToolName = string(tool)

// Tasks and DataBytes are what a script may have beyond what every tool may: processes and threads, all of them
// together, and private memory for each.
const (
	Tasks     = 192
	DataBytes = 512 << 20
)

const (
	// maxLineBytes is longer than any result.
	maxLineBytes = 16 << 10
	// minNumber, mostRate and mostSeconds are beyond realistic values.
	minNumber, maxRate, maxSeconds = 1e-6, 1e12, 1e8
)

// ErrWanted says what a script must print.
var ErrWanted = errors.New(
	`the last line on standard output must be a JSON object with a number for each metric, as {"load": 12.5}`,
)

// Parse reads the output of a script into its part of a sample. The last line must be an object with exactly the
// metrics. Errors, both joined with ErrWanted: *toolreport.MissingError if it is no object, *toolreport.FormatError if
// it has other fields.
func Parse(printed string, w v1alpha1.ScriptWorkload) (result.Sample, error) {
	line := lastLine([]byte(printed))
	if len(line) == 0 || line[0] != '{' {
		return result.Sample{}, fmt.Errorf("%w: %w", tool.Missing(), ErrWanted)
	}
	numbers, err := parseObject(line)
	if err != nil {
		return result.Sample{}, fmt.Errorf("%w: %w", tool.Malformed(err), ErrWanted)
	}
	s := result.Sample{Tool: ToolName, ToolVersion: string(w.Image)}
	for _, m := range w.Metrics {
		n, there := numbers[m.Name]
		if !there {
			return result.Sample{}, fmt.Errorf("%w: %w", tool.Malformedf("it has no %s", m.Name), ErrWanted)
		}
		p, err := phaseOf(m, n)
		if err != nil {
			return result.Sample{}, tool.Malformed(err)
		}
		s.Phases = append(s.Phases, p)
		delete(numbers, m.Name)
	}
	for name := range numbers {
		return result.Sample{}, tool.Malformedf("%.40q is not one of its metrics", name)
	}
	return s, nil
}

// lastLine is the last one that is not blank.
func lastLine(printed []byte) []byte {
	printed = bytes.TrimSpace(printed)
	return bytes.TrimSpace(printed[bytes.LastIndexByte(printed, '\n')+1:])
}

// parseObject reads an object of numbers, each of another name.
func parseObject(line []byte) (map[string]float64, error) {
	if len(line) > maxLineBytes {
		return nil, fmt.Errorf("it has %d bytes, more than %d", len(line), maxLineBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	numbers := map[string]float64{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key := fmt.Sprint(name) // an object has no other keys than strings
		value, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		n, is := value.(float64)
		if !is {
			return nil, fmt.Errorf("%.40q is not a number", key)
		}
		if _, twice := numbers[key]; twice {
			return nil, fmt.Errorf("%.40q occurs twice", key)
		}
		numbers[key] = n
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something comes after the object")
	}
	return numbers, nil
}

// phaseOf turns a number into an operation: a time is the time of one operation, a rate counts what was done in one
// second, because a script does not report how long it measured.
func phaseOf(m v1alpha1.ScriptMetric, n float64) (result.Phase, error) {
	most := float64(maxRate)
	if m.Unit == v1alpha1.ScriptSeconds {
		most = maxSeconds
	}
	if !(n >= minNumber && n <= most) {
		return result.Phase{}, fmt.Errorf("%s is %v, and must be from %v to %v", m.Name, n, minNumber, most)
	}
	p := result.Phase{Name: m.Name, SelfReported: true}
	switch m.Unit {
	case v1alpha1.ScriptSeconds:
		took := max(1, int64(math.Round(n*float64(time.Second))))
		p.Operation = result.Operation{
			IOs: 1, RuntimeNanoseconds: took, IOPS: float64(time.Second) / float64(took),
			Latency: result.Latency{Count: 1, MinNanoseconds: took, MaxNanoseconds: took, MeanNanoseconds: float64(took)},
		}
	case v1alpha1.ScriptPerSecond:
		p.Operation = result.Operation{IOs: int64(math.Round(n)), IOPS: n, RuntimeNanoseconds: int64(time.Second)}
	case v1alpha1.ScriptBytesPerSecond:
		p.Mixed = true
		p.Operation = result.Operation{Bytes: int64(math.Round(n)), BandwidthBytesPerSecond: n,
			RuntimeNanoseconds: int64(time.Second)}
	default:
		return result.Phase{}, fmt.Errorf("%s has no unit that is known: %q", m.Name, m.Unit)
	}
	return p, nil
}

// IsDuration says whether an operation of a sample is a duration that a script has reported.
func IsDuration(s result.Sample, o *result.Operation) bool {
	return s.Tool == ToolName && o.IOs == 1 && o.Latency.Count == 1
}
