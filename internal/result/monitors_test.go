// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"testing"
)

// What a runner says of monitors is held to what is possible.
func TestMonitorsAreChecked(t *testing.T) {
	tests := map[string]struct {
		change func(*Monitors)
		fails  bool
	}{
		"possible":                     {func(*Monitors) {}, false},
		"more than all of the CPUs":    {func(m *Monitors) { m.CPU.Busy.Max = 1.01 }, true},
		"a mean above the maximum":     {func(m *Monitors) { m.CPU.BusiestCore.Mean = 1 }, true},
		"waiting more than the time":   {func(m *Monitors) { m.CPU.IOWait = 2 }, true},
		"pressure above one":           {func(m *Monitors) { m.Pressure.IO = 1.5 }, true},
		"a device in use all the time": {func(m *Monitors) { m.Devices[0].Utilization = Level{1, 1} }, false},
		"a device in use for longer":   {func(m *Monitors) { m.Devices[0].Utilization = Level{1, 2} }, true},
		"a negative number":            {func(m *Monitors) { m.ZIL.Commits = -1 }, true},
		"a number that is none":        {func(m *Monitors) { m.Seconds = math.NaN() }, true},
		"a name with control":          {func(m *Monitors) { m.Devices[0].Device = "d0\x1b[31m" }, false},
		"an ARC below its mean":        {func(m *Monitors) { m.ARC.SizeBytes = m.ARC.MaxSizeBytes + 1 }, true},
		"txgs faster than the fastest": {func(m *Monitors) { m.Txgs.SyncNanoseconds = Level{2, 1} }, true},
		"as many devices as may be":    {func(m *Monitors) { m.Devices = make([]DeviceUse, MaxMonitoredDevices) }, false},
		"more devices":                 {func(m *Monitors) { m.Devices = make([]DeviceUse, MaxMonitoredDevices+1) }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trial := makeTrial(1, 10)
			m := &Monitors{
				Seconds: 1, Observations: 2, CPU: &CPUUse{Busy: Level{0.5, 1}, BusiestCore: Level{0.5, 0.75}},
				Pressure: &PressureUse{}, ZIL: &ZILUse{},
				ARC: &ARCUse{SizeBytes: 1, MaxSizeBytes: 2}, Txgs: &TxgUse{},
				Devices: []DeviceUse{{Device: "d0", Utilization: Level{0.5, 1}}},
			}
			test.change(m)
			trial.Samples[0].Monitors = m
			data, err := EncodeTrial(trial)
			if (err != nil) != test.fails {
				t.Fatalf("encode: %v", err)
			}
			if err != nil {
				return
			}
			got, err := DecodeTrial(data, len(trial.Samples))
			if err != nil || got.Samples[0].Monitors == nil || got.Samples[0].Monitors.Devices[0].Device == "d0\x1b[31m" {
				t.Errorf("%+v, %v", got.Samples, err)
			}
		})
	}
}

// Monitors are the last that a trial without room loses, and not the samples.
func TestMonitorsThatDoNotFit(t *testing.T) {
	trial := makeTrial(1, 10)
	m := &Monitors{Seconds: 1}
	for range MaxMonitoredDevices {
		m.Devices = append(m.Devices, DeviceUse{Device: "d0", Utilization: Level{0.1234, 0.5678},
			ReadBytesPerSecond: 123456789})
	}
	trial.Samples[0].Monitors = m
	whole, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	trial.Samples[0].Monitors = nil
	coarsen(&trial, withoutMonitors)
	least, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	trial.Samples[0].Monitors = m
	data, err := EncodeTrialWithin(trial, len(least))
	if err != nil || len(least) >= len(whole) {
		t.Fatalf("%v; %d bytes without, %d with all", err, len(least), len(whole))
	}
	got, err := DecodeTrial(data, len(trial.Samples))
	if err != nil || len(got.Samples) != len(trial.Samples) || got.Samples[0].Monitors != nil {
		t.Errorf("%+v, %v", got, err)
	}
}
