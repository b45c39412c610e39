// SPDX-License-Identifier: Apache-2.0

package series

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zfsbench.io/operator/internal/result"
)

var start = time.Unix(1000, 0)

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

// busyUntil is an observation of a node of two cores, of which the second works half of the time, and of a disk.
func busyUntil(seconds float64) Observation {
	s, n := int64(seconds), seconds
	return Observation{
		At: at(seconds),
		CPU: &CPU{
			All:   CPUTime{User: n, System: 0.5 * n, Idle: 0.4 * n, IOWait: 0.1 * n},
			Cores: []CPUTime{{User: n}, {System: 0.5 * n, Idle: 0.4 * n, IOWait: 0.1 * n}},
		},
		Memory: &Memory{Available: 1<<30 - s<<20, Cached: 1 << 20},
		ARC:    &ARC{Size: 100 * s, DemandHits: 9 * s, DemandMisses: s}, ZIL: &ZIL{Commits: 50 * s, LogBytes: 4096 * s},
		Transactions: &Transactions{Assigned: 60 * s, Delayed: 6 * s},
		Pressure:     &Pressure{CPUSome: 0.25 * n, IOSome: 0.5 * n, IOFull: 0.125 * n},
		Devices: []*Device{{Reads: 10 * s, ReadBytes: 40960 * s, ReadNanoseconds: 10 * s * 2e6,
			BusyNanoseconds: int64(n * 0.8e9), QueuedNanoseconds: int64(n * 1.5e9)}, nil},
	}
}

func TestMonitors(t *testing.T) {
	c := NewCollector(time.Second, []string{"d0", "d1"})
	for _, second := range []float64{0, 1, 2, 3, 3.25} {
		o := busyUntil(second)
		if second >= 2 {
			o.Txgs = []Txg{{ID: 7, SyncNanoseconds: 5e8, OpenNanoseconds: 5e9, DirtyBytes: 1 << 20},
				{ID: 8, SyncNanoseconds: 15e8, OpenNanoseconds: 5e9, DirtyBytes: 1 << 21}}
		}
		if second == 1 {
			hot := 43.5
			o.HottestCelsius = &hot
		}
		c.Add(o)
	}
	want := &result.Monitors{
		Seconds: 3.25, Observations: 5, HottestCelsius: 43.5,
		CPU: &result.CPUUse{
			Busy: result.Level{Mean: 0.75, Max: 0.75}, BusiestCore: result.Level{Mean: 1, Max: 1}, User: 0.5, System: 0.25,
			IOWait: 0.05,
		},
		Memory: &result.MemoryUse{LeastAvailableBytes: 1<<30 - 3<<20, PageCacheBytes: 1 << 20},
		ARC:    &result.ARCUse{SizeBytes: 208, MaxSizeBytes: 300, DemandHits: 27, DemandMisses: 3},
		ZIL:    &result.ZILUse{Commits: 150, LogBytes: 3 * 4096},
		Txgs: &result.TxgUse{Synced: 2, OpenNanoseconds: 5e9, SyncNanoseconds: result.Level{Mean: 1e9, Max: 15e8},
			MaxDirtyBytes: 1 << 21},
		Transactions: &result.ThrottleUse{Assigned: 180, Delayed: 18},
		Pressure:     &result.PressureUse{CPU: 0.25, IO: 0.5, IOFull: 0.125},
		Devices: []result.DeviceUse{{
			Device: "d0", Utilization: result.Level{Mean: 0.8, Max: 0.8}, Queue: 1.5, ReadBytesPerSecond: 3 * 40960 * 100 / 325,
			ReadWaitNanoseconds: 2e6,
		}},
	}
	if diff := cmp.Diff(want, c.Monitors(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMonitorsOfNothing(t *testing.T) {
	tests := map[string][]Observation{
		"never":                  nil,
		"once":                   {busyUntil(1)},
		"twice at the same time": {busyUntil(1), busyUntil(1)},
		"backwards":              {busyUntil(2), busyUntil(1)},
	}
	for name, all := range tests {
		t.Run(name, func(t *testing.T) {
			c := NewCollector(time.Second, []string{"d0", "d1"})
			for _, o := range all {
				c.Add(o)
			}
			if got := c.Monitors(); got != nil {
				t.Errorf("%+v", got)
			}
		})
	}
	c := NewCollector(time.Second, []string{"d0"})
	c.Add(Observation{At: at(0)})
	c.Add(Observation{At: at(1)})
	if diff := cmp.Diff(&result.Monitors{Seconds: 1, Observations: 2}, c.Monitors()); diff != "" {
		t.Errorf("nothing that can be read (-want +got):\n%s", diff)
	}
}

// A counter that shrinks, as of a module that was loaded again, says nothing of that second; a moment at the end is no
// maximum.
func TestWhatDoesNotCount(t *testing.T) {
	c := NewCollector(time.Second, []string{"d0"})
	commits := func(seconds float64, n int64) {
		c.Add(Observation{At: at(seconds), ZIL: &ZIL{Commits: n}, ARC: &ARC{Size: n}})
	}
	commits(0, 1000)
	commits(1, 1010)
	commits(2, 0)
	commits(3, 5)
	commits(3.01, 500)
	got := c.Monitors()
	if got.ZIL.Commits != 510 || got.ARC.MaxSizeBytes != 1010 {
		t.Errorf("%d commits, at most %d bytes", got.ZIL.Commits, got.ARC.MaxSizeBytes)
	}
}

func TestBusiestDevices(t *testing.T) {
	const devices = result.MaxMonitoredDevices + 3
	names := make([]string, devices)
	for i := range names {
		names[i] = fmt.Sprintf("d%d", i)
	}
	c := NewCollector(time.Second, names)
	for second := range 2 {
		o := Observation{At: at(float64(second))}
		for i := range devices {
			o.Devices = append(o.Devices, &Device{BusyNanoseconds: int64(second * i * 5e7)})
		}
		c.Add(o)
	}
	got := c.Monitors()
	if len(got.Devices) != result.MaxMonitoredDevices || got.OmittedDevices != 3 || got.Devices[0].Device != "d10" ||
		got.Devices[7].Device != "d3" {
		t.Errorf("%d more than %+v", got.OmittedDevices, got.Devices)
	}
}

// column finds one by its name.
func column(t *testing.T, columns []Column, name string) []float64 {
	t.Helper()
	for _, c := range columns {
		if c.Name == name {
			return c.Values
		}
	}
	t.Fatalf("no column %s", name)
	return nil
}

func TestColumns(t *testing.T) {
	c := NewCollector(time.Second, []string{"d0", "d1"})
	for second := range 4 {
		o := busyUntil(float64(second))
		if second == 3 {
			o.Pressure, o.HottestCelsius = nil, new(float64)
		}
		c.Add(o)
	}
	columns := c.Columns()
	if columns[0].Name != "time" {
		t.Errorf("the first column is %s", columns[0].Name)
	}
	none := math.NaN()
	for name, want := range map[string][]float64{
		"time": {1, 2, 3}, "cpu/busy": {0.75, 0.75, 0.75}, "cpu/1/system": {0.5, 0.5, 0.5}, "arc/size": {100, 200, 300},
		"zil/commits":        {50, 50, 50},
		"device/d0/readWait": {2e6, 2e6, 2e6}, "pressure/ioSome": {0.5, 0.5, none}, "temperature/hottest": {none, none, 0},
	} {
		if diff := cmp.Diff(want, column(t, columns, name), cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, c := range columns {
		if len(c.Values) != 3 {
			t.Errorf("%s has %d rows", c.Name, len(c.Values))
		}
	}
}

// However long a workload takes, there are no more rows than that, and what is reduced from all of them stays the same.
func TestLongSeries(t *testing.T) {
	c := NewCollector(time.Second, []string{"d0", "d1"})
	const length = 10 * maxRows
	for second := range length + 1 {
		c.Add(busyUntil(float64(second)))
	}
	if got := c.Monitors(); got.Seconds != length || got.ZIL.Commits != 50*length || got.ARC.MaxSizeBytes != 100*length {
		t.Errorf("%+v, %+v, %+v", got, got.ZIL, got.ARC)
	}
	columns := c.Columns()
	times, sizes := column(t, columns, "time"), column(t, columns, "arc/size")
	if len(times) > maxRows || len(times) < maxRows/2 || times[len(times)-1] != length {
		t.Fatalf("%d rows, the last at %v", len(times), times[len(times)-1])
	}
	for i := range times {
		if i > 0 && times[i] <= times[i-1] {
			t.Fatalf("row %d is at %v, after %v", i, times[i], times[i-1])
		}
		if span := length / float64(len(times)); math.Abs(sizes[i]/100-times[i]) > 2*span {
			t.Fatalf("row %d at %v s is of %v s", i, times[i], sizes[i]/100)
		}
	}
}

// A node with more cores than a series tells apart still has its busiest one.
func TestManyCores(t *testing.T) {
	c := NewCollector(time.Second, nil)
	for second := range 2 {
		cores := make([]CPUTime, maxCores+1)
		for i := range cores {
			cores[i].Idle = float64(second)
		}
		cores[maxCores] = CPUTime{User: 0.75 * float64(second), Idle: 0.25 * float64(second)}
		c.Add(Observation{At: at(float64(second)), CPU: &CPU{All: CPUTime{Idle: float64(second)}, Cores: cores}})
	}
	if got := c.Monitors().CPU.BusiestCore.Mean; got != 0.75 {
		t.Errorf("the busiest core is %v busy", got)
	}
	if got := len(c.Columns()); got > 10 {
		t.Errorf("%d columns", got)
	}
}

func TestDocument(t *testing.T) {
	want := TimeSeries{
		Version: Version, PlanDigest: "sha256:ab", Trial: 3, Variant: "v", Repetition: 2, Workload: "w", Started: start.UTC(),
		Columns: []Column{{Name: "time", Unit: "s", Values: values{1, 2}},
			{Name: "cpu/busy", Unit: "fraction", Values: values{0.123, math.NaN()}}},
	}
	data, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var got TimeSeries
	if err := json.Unmarshal(plain, &got); err != nil {
		t.Fatalf("%v: %s", err, plain)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := FileName(3, "w"); got != "trial-00003-w.json.gz" {
		t.Errorf("file name %s", got)
	}
}

// TestSize holds a full series of a large node to what the documentation says it takes.
func TestSize(t *testing.T) {
	const devices, limit = 44, 1 << 20
	names := make([]string, devices)
	for i := range names {
		names[i] = fmt.Sprintf("d%d", i)
	}
	c := NewCollector(time.Second, names)
	random := uint64(1)
	next := func(below int64) int64 { // noise is what compresses worst
		random = random*6364136223846793005 + 1442695040888963407
		return int64(random>>33) % below
	}
	o := Observation{CPU: &CPU{Cores: make([]CPUTime, maxCores)}}
	for range devices {
		o.Devices = append(o.Devices, &Device{})
	}
	for second := range maxRows {
		seen := Observation{At: at(float64(second)),
			CPU: &CPU{All: CPUTime{User: float64(second), Idle: float64(second)}, Cores: make([]CPUTime, maxCores)}}
		for i, before := range o.CPU.Cores {
			before.User, before.Idle = before.User+float64(next(100))/100, before.Idle+0.5
			seen.CPU.Cores[i] = before
		}
		for _, before := range o.Devices {
			d := *before
			d.Reads, d.ReadBytes, d.BusyNanoseconds = d.Reads+next(5000), d.ReadBytes+next(1<<30), d.BusyNanoseconds+next(1e9)
			seen.Devices = append(seen.Devices, &d)
		}
		c.Add(seen)
		o = seen
	}
	data, err := TimeSeries{Columns: c.Columns()}.Encode()
	if err != nil || len(data) > limit {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	t.Logf("%d cores, %d devices, %d rows: %d bytes", maxCores, devices, maxRows-1, len(data))
}
