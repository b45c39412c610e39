// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/result"
)

// everySecond are the readers of what is looked at every second, each with the part of an observation that it makes of
// a text.
var everySecond = map[string]func(o *series.Observation, text io.Reader) error{
	"stat":     func(o *series.Observation, text io.Reader) error { return take(&o.CPU, parseCores, text) },
	"meminfo":  func(o *series.Observation, text io.Reader) error { return take(&o.Memory, parseMemory, text) },
	"arcstats": func(o *series.Observation, text io.Reader) error { return take(&o.ARC, parseARC, text) },
	"zil":      func(o *series.Observation, text io.Reader) error { return take(&o.ZIL, parseZIL, text) },
	"dmu_tx": func(o *series.Observation, text io.Reader) error {
		return take(&o.Transactions, parseTransactions, text)
	},
	"txgs": func(o *series.Observation, text io.Reader) (err error) {
		o.Txgs, err = parseTxgs(text)
		return err
	},
	"device": func(o *series.Observation, text io.Reader) error {
		o.Devices = []*series.Device{nil}
		return take(&o.Devices[0], parseDevice, text)
	},
	"pressure": func(o *series.Observation, text io.Reader) error {
		s, err := parseStall(text)
		if err == nil {
			o.Pressure = &series.Pressure{CPUSome: s.some, IOSome: s.some, IOFull: s.full, MemorySome: s.some,
				MemoryFull: s.full}
		}
		return err
	},
}

func take[T any](to **T, parse parser[T], text io.Reader) error {
	v, err := parse(text)
	if err == nil {
		*to = &v
	}
	return err
}

// observed is what all readers together make of a text.
func observed(t *testing.T, text string, at time.Time) series.Observation {
	t.Helper()
	o := series.Observation{At: at}
	for name, read := range everySecond {
		var one series.Observation
		if err := read(&one, strings.NewReader(text)); err == nil {
			if err := counted(reflect.ValueOf(one)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		_ = read(&o, strings.NewReader(text)) // what is no such text is missing
	}
	return o
}

// counted says which number nothing can have counted, or nil.
func counted(v reflect.Value) error {
	var errs error
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return counted(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return nil
		}
		for i := range v.NumField() {
			if err := counted(v.Field(i)); err != nil {
				errs = errors.Join(errs, fmt.Errorf("%s: %w", v.Type().Field(i).Name, err))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			errs = errors.Join(errs, counted(v.Index(i)))
		}
	case reflect.Int64:
		if v.Int() < 0 {
			return fmt.Errorf("%d", v.Int())
		}
	case reflect.Float64:
		if f := v.Float(); !(f >= 0) || math.IsInf(f, 0) {
			return fmt.Errorf("%v", f)
		}
	default:
		return fmt.Errorf("a %s is not looked at", v.Kind())
	}
	return errs
}

// FuzzEverySecond takes two texts for what a file of the kernel has shown at two moments: what is read of each can have
// been counted, and what becomes of both can be a part of a result.
func FuzzEverySecond(f *testing.F) {
	for _, name := range []string{
		"proc-stat-linux-6.12.txt", "meminfo-linux-6.12.txt", "block-stat-linux-6.12.txt", "pressure-io-linux-6.18.txt",
		"arcstats-zfs-2.3.9.txt", "zil-zfs-2.3.9.txt", "dmu_tx-zfs-2.3.9.txt",
		"txgs-zfs-2.3.9.txt",
	} {
		text := captured(f, name)
		f.Add(text, text)
		f.Add(text, strings.ReplaceAll(text, "1", "2"))
		f.Add(strings.ReplaceAll(text, "9", "3"), text)
	}
	const most = "9223372036854775807"
	f.Add("size 4 1\nc 4 1\ndemand_data_hits 4 1\ndemand_data_misses 4 1\n",
		"size 4 1\nc 4 1\ndemand_data_hits 4 1\ndemand_data_misses 4 "+most+"\ndemand_data_iohits 4 "+most+"\n")
	f.Add("dmu_tx_assigned 4 1\ndmu_tx_dirty_delay 4 1\ndmu_tx_dirty_over_max 4 "+most+"\ndmu_tx_dirty_throttle 4 "+most+
		"\n", "")
	f.Add("some total="+most+"\n", "some total=0\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		start := time.Unix(1e9, 0)
		collector := series.NewCollector(time.Second, []string{"d0"})
		collector.Add(observed(t, before, start))
		collector.Add(observed(t, after, start.Add(time.Second)))
		trial := result.Trial{
			Version: result.Version, PlanDigest: "sha256:" + strings.Repeat("0", 64),
			Samples: []result.Sample{{Workload: "w", CacheState: "Cold", Monitors: collector.Monitors()}},
		}
		if _, err := result.EncodeTrial(trial); err != nil {
			t.Error(err)
		}
		document := series.TimeSeries{Started: start, Columns: collector.Columns()}
		if _, err := document.Encode(); err != nil {
			t.Error(err)
		}
	})
}
