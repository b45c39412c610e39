// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/target"
)

// The fake node sees half of its CPUs and all of each device's time in use.
func TestMonitorsOfATrial(t *testing.T) {
	tests := map[string]struct {
		blind, unkept error
	}{
		"all is read":             {},
		"something is not":        {blind: errors.New("no such kstat")},
		"the series is not kept":  {unkept: errors.New("no space left")},
		"neither one nor another": {blind: errors.New("no such kstat"), unkept: errors.New("no space left")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.blind, w.unkept = test.blind, test.unkept
			p := testPlan(w)
			p.Trials = p.Trials[:1]
			if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
				t.Fatalf("outcome %+v", got)
			}
			for _, s := range w.trials[0].Samples {
				want := &result.Monitors{
					Seconds: 1, Observations: 2, CPU: &result.CPUUse{Busy: result.Level{Mean: 0.5, Max: 0.5}, User: 0.5},
					ZIL:     &result.ZILUse{Commits: 7},
					Devices: []result.DeviceUse{{Device: "d0+d1+f0", Utilization: result.Level{Mean: 1, Max: 1}}},
				}
				if diff := cmp.Diff(want, s.Monitors); diff != "" {
					t.Errorf("%s (-want +got):\n%s", s.Workload, diff)
				}
			}
			checkSeries(t, w.series)
		})
	}
}

func checkSeries(t *testing.T, kept map[string][]byte) {
	t.Helper()
	names := slices.Sorted(maps.Keys(kept))
	if diff := cmp.Diff([]string{"trial-00000-read.json.gz", "trial-00000-write.json.gz"}, names); diff != "" {
		t.Fatalf("series (-want +got):\n%s", diff)
	}
	r, err := gzip.NewReader(bytes.NewReader(kept[names[0]]))
	if err != nil {
		t.Fatal(err)
	}
	var got series.TimeSeries
	if err := json.NewDecoder(r).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Workload != "read" || got.Repetition != 1 || got.PlanDigest == "" || len(got.Columns) < 3 ||
		got.Columns[0].Name != "time" {
		t.Errorf("series %+v", got)
	}
}

// A device that does not answer keeps nobody waiting, and what was seen is not recorded: it may still change.
func TestMonitorsThatHang(t *testing.T) {
	w := newWorld(t)
	e := w.engine(testPlan(w))
	hung := make(chan struct{})
	defer close(hung)
	e.Node = hangingNode{NodeReader: e.Node, after: 1, looks: new(int), hung: hung}
	e.timings.lookPatience = time.Millisecond
	o := e.newObserver(&target.Target{})
	o.begin()
	o.end()
	var s result.Sample
	o.record(testPlan(w).Runs()[0], &s)
	if s.Monitors != nil || len(w.series) > 0 || !o.lost {
		t.Errorf("monitors %+v, series %v", s.Monitors, w.series)
	}
}

// hangingNode answers so many times.
type hangingNode struct {
	NodeReader
	after int
	looks *int
	hung  chan struct{}
}

func (h hangingNode) Observe(pool string, devices []monitor.DeviceNumber, temperatures bool) (series.Observation,
	error) {
	if *h.looks++; *h.looks > h.after {
		<-h.hung
	}
	return h.NodeReader.Observe(pool, devices, temperatures)
}

func TestWatchedDevices(t *testing.T) {
	at := func(minor uint32, name string) target.Counter {
		return target.Counter{Number: monitor.DeviceNumber{Major: 8, Minor: minor}, Name: name}
	}
	const long = "a-name-of-a-device-that-is-as-long-as-allowed"
	tests := map[string]struct {
		in    []target.Counter
		names []string
	}{
		"none":                     {},
		"disks":                    {[]target.Counter{at(1, "d0"), at(17, "d1")}, []string{"d0", "d1"}},
		"parts of a disk":          {[]target.Counter{at(1, "log"), at(2, "cache")}, []string{"log", "cache"}},
		"files on one disk":        {[]target.Counter{at(1, "f0"), at(17, "d1"), at(1, "f1")}, []string{"f0+f1", "d1"}},
		"more files than are told": {[]target.Counter{at(1, long), at(1, "f1")}, []string{long}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			devices, names := watchedDevices(test.in)
			if diff := cmp.Diff(test.names, names); diff != "" || len(devices) != len(names) {
				t.Errorf("devices %v, names (-want +got):\n%s", devices, diff)
			}
		})
	}
}
