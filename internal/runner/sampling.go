// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
	"time"

	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
)

const (
	// temperatureEvery: one in so many looks reads temperatures. They change slowly, and reading one costs the disk a
	// command.
	temperatureEvery = 15
)

// observer samples the node while a workload runs. Whatever it cannot read is only missing in the result, with one
// warning in the log.
type observer struct {
	engine    *Engine
	target    *target.Target
	collector *series.Collector
	looks     int
	warned    bool
	begun     bool
	devices   []monitor.DeviceNumber
	stop      chan struct{}
	done      chan struct{}
	// lost says that a look did not end in time: then nothing is recorded.
	lost bool
}

// newObserver returns an observer that has not begun.
func (e *Engine) newObserver(t *target.Target) *observer {
	devices, names := watchedDevices(t.Counters)
	return &observer{
		engine: e, target: t, devices: devices, collector: series.NewCollector(e.timings.observePoll, names),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
}

// watchedDevices are the block devices, each once, with the names of the benchmark's devices on them.
func watchedDevices(counters []target.Counter) (devices []monitor.DeviceNumber, names []string) {
	for _, c := range counters {
		i := slices.Index(devices, c.Number)
		switch {
		case i < 0:
			devices, names = append(devices, c.Number), append(names, c.Name)
		case len(names[i]) < longestName:
			names[i] += "+" + c.Name
		}
	}
	return devices, names
}

// longestName bounds the name of a block device with several files on it: once it is that long, no more are added.
const longestName = 40

// begin looks for the first time, and goes on in the background.
func (o *observer) begin() {
	o.begun = true
	o.look()
	go func() {
		defer close(o.done)
		tick := time.NewTicker(o.engine.timings.observePoll)
		defer tick.Stop()
		for {
			select {
			case <-o.stop:
				o.look()
				return
			case <-tick.C:
				o.look()
			}
		}
	}()
}

// end looks for the last time, if it has begun.
func (o *observer) end() {
	close(o.stop)
	if !o.begun {
		return
	}
	patience := time.NewTimer(o.engine.timings.lookPatience)
	defer patience.Stop()
	select {
	case <-o.done:
	case <-patience.C:
		o.lost = true
	}
}

func (o *observer) look() {
	seen, err := o.engine.Node.Observe(o.target.Pool(), o.devices, o.looks%temperatureEvery == 0)
	o.looks++
	if err != nil && !o.warned {
		o.warned = true
		o.engine.Log.Warn("not all monitors can be read", "error", err)
	}
	o.collector.Add(seen)
}

// record adds what was observed to a sample, and keeps the time series.
func (o *observer) record(run plan.Run, s *result.Sample) {
	if o.lost {
		o.engine.Log.Warn("the monitors did not answer in time", "workload", run.Name(), "trial", o.target.Trial.Index)
		return
	}
	s.Monitors = o.collector.Monitors()
	if s.Monitors == nil || o.engine.Series == nil {
		return
	}
	trial := o.target.Trial
	data, err := series.TimeSeries{
		Version: series.Version, PlanDigest: o.engine.digest, Trial: trial.Index, Variant: trial.Variant,
		Repetition: trial.Repetition, Workload: run.Workload.Name, Pass: run.Pass,
		Started: o.collector.Started(), Columns: o.collector.Columns(),
	}.Encode()
	if err == nil {
		err = o.engine.Series.Put(series.FileName(trial.Index, run.Name()), data)
	}
	if err != nil {
		o.engine.Log.Warn("the time series is not kept", "workload", run.Name(), "trial", trial.Index, "error", err)
	}
}
