// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/result"
)

func TestBetween(t *testing.T) {
	at := func(second int64, cpu, others float64) reading {
		return reading{at: time.Unix(second, 0), cpu: cpu, others: monitor.Others{CPUSeconds: others,
			StolenSeconds: others / 2, CapacitySeconds: 10 * others, DiskBytes: int64(others)}}
	}
	broken := func(r reading, err, errOthers error) reading {
		r.err, r.errOthers = err, errOthers
		return r
	}
	cause := errors.New("cannot be read")
	tests := map[string]struct {
		before, after reading
		want          *result.Others
		fails         bool
	}{
		"others": {at(10, 5, 1), at(14, 10, 3),
			&result.Others{ElapsedSeconds: 4, CPUSeconds: 2, StolenCPUSeconds: 1, CapacityCPUSeconds: 20, DiskBytes: 2}, false},
		"no more than the node worked": {at(10, 5, 1), at(14, 10, 9),
			&result.Others{ElapsedSeconds: 4, CPUSeconds: 4, StolenCPUSeconds: 4, CapacityCPUSeconds: 80, DiskBytes: 8}, false},
		"the tool's time rounded up": {at(10, 5, 1), at(14, 5.5, 3),
			&result.Others{ElapsedSeconds: 4, StolenCPUSeconds: 1, CapacityCPUSeconds: 20, DiskBytes: 2}, false},
		"a clock that was put back": {at(14, 5, 1), at(10, 10, 3),
			&result.Others{CPUSeconds: 2, StolenCPUSeconds: 1, CapacityCPUSeconds: 20, DiskBytes: 2}, false},
		"others not known before": {broken(at(10, 5, 1), nil, cause), at(14, 10, 3), nil, false},
		"others not known after":  {at(10, 5, 1), broken(at(14, 10, 3), nil, cause), nil, false},
		"the node's time not known": {broken(at(10, 5, 1), cause, nil), at(14, 10, 3),
			&result.Others{ElapsedSeconds: 4, CPUSeconds: 2, StolenCPUSeconds: 1, CapacityCPUSeconds: 20, DiskBytes: 2}, true},
		"neither of them known afterwards": {at(10, 5, 1), broken(at(14, 10, 3), cause, cause), nil, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := &Engine{Deps: Deps{Log: slog.New(slog.DiscardHandler)}}
			s := result.Sample{ToolCPUSeconds: 1}
			err := e.between(tt.before, tt.after, &s)
			if diff := cmp.Diff(tt.want, s.Others); diff != "" || (err != nil) != tt.fails || s.Started != tt.before.at {
				t.Errorf("error %v, started %v, others (-want +got):\n%s", err, s.Started, diff)
			}
		})
	}
}
