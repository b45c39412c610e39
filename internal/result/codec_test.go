// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// makeOperation is an operation with n random latencies, so that its histogram has about as many bins.
func makeOperation(seed uint64, n int) *Operation {
	values := latencies(seed, n)
	h := counted(values, MaxHistogramBits)
	l := Latency{
		Count: int64(n), MinNanoseconds: math.MaxInt64, P50Nanoseconds: h.Percentile(50), P95Nanoseconds: h.Percentile(95),
		P99Nanoseconds: h.Percentile(99), P999Nanoseconds: h.Percentile(99.9), Histogram: h,
	}
	for _, v := range values {
		l.MinNanoseconds, l.MaxNanoseconds = min(l.MinNanoseconds, v), max(l.MaxNanoseconds, v)
		l.MeanNanoseconds += float64(v) / float64(n)
	}
	return &Operation{Bytes: int64(n) << 12, IOs: int64(n), RuntimeNanoseconds: 1e9,
		BandwidthBytesPerSecond: float64(n << 12), IOPS: float64(n), Latency: l}
}

// fillHistogram gives a latency every bin there is, with counts that do not compress.
func fillHistogram(seed uint64, l *Latency) {
	r := rand.New(rand.NewPCG(seed, 3))
	h := Histogram{Bits: MaxHistogramBits}
	for i := range binLimit(h.Bits) {
		h.Bins = append(h.Bins, Bin{Nanoseconds: binValue(i, h.Bits), Count: 1 + r.Int64N(1e9)})
	}
	*l = Latency{
		Count: h.Count(), MaxNanoseconds: 1 << 40, MeanNanoseconds: 1e6, P50Nanoseconds: h.Percentile(50),
		P95Nanoseconds: h.Percentile(95),
		P99Nanoseconds: h.Percentile(99), P999Nanoseconds: h.Percentile(99.9), Histogram: h,
	}
}

// makeLargeTrial is the largest that fio can make of so many samples.
func makeLargeTrial(samples int) Trial {
	t := makeTrial(samples, 1)
	for i, s := range t.Samples {
		fillHistogram(uint64(i), &s.Read.Latency)
		fillHistogram(uint64(i+100), &s.Write.Latency)
	}
	return t
}

func makeTrial(samples, bins int) Trial {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	t := Trial{
		Version: Version, PlanDigest: digest, Index: 3, Variant: "default", Repetition: 3, Node: "storage-0", Started: at,
		Finished: at.Add(time.Minute),
		Pool: PoolFacts{Health: "ONLINE", Ashift: []int{12, 12}, CompressRatio: 1.5,
			DatasetProperties: map[string]string{"recordsize": "131072"}},
	}
	for i := range samples {
		seed := uint64(i)
		t.Samples = append(t.Samples, Sample{
			Workload: fmt.Sprintf("workload-%d", i), Tool: "fio", ToolVersion: "fio-3.39", Argv: []string{"fio", "/out/job.fio"},
			JobFile: "[workload]\nrw=randrw\n",
			Started: at, RuntimeNanoseconds: 1e9, Read: makeOperation(seed, bins), Write: makeOperation(seed+100, bins),
			CacheState: "Cold", Pool: t.Pool,
		})
	}
	return t
}

func TestTrialRoundTrip(t *testing.T) {
	tests := map[string]Trial{
		"without samples": makeTrial(0, 0),
		"small":           makeTrial(2, 100),
		"failed": func() Trial {
			trial := makeTrial(1, 10)
			trial.Failure = &Failure{Reason: "WorkloadFailed", Message: "fio: job 0 failed: no space left on device",
				Tail: "two\n\tlines"}
			return trial
		}(),
	}
	again := makeTrial(1, 10)
	again.Excluded = []Attempt{{
		Started: again.Started, Finished: again.Finished,
		Failure:    Failure{Reason: "VdevErrors", Message: "Errors.", Tail: "tail"},
		Bandwidths: []Bandwidth{{Workload: "workload-0", ReadBytesPerSecond: 1, WriteBytesPerSecond: 2}},
	}}
	tests["run again"] = again
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := EncodeTrial(want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeTrial(data, maxSamples)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestEncodeTrialCoarsens proves that any trial fits, that its histograms lose resolution alike and nothing else, and
// that percentiles stay.
func TestEncodeTrialCoarsens(t *testing.T) {
	for _, samples := range []int{1, 4, 16} {
		want, before := makeLargeTrial(samples), makeLargeTrial(samples)
		data, err := EncodeTrial(want)
		if err != nil {
			t.Fatal(err)
		}
		if limit := MaxSampleBytes * (samples + 1); len(data) > limit || len(data) < limit/4 {
			t.Errorf("%d samples: %d bytes, limit %d", samples, len(data), limit)
		}
		if diff := cmp.Diff(before, want); diff != "" {
			t.Fatalf("the caller's trial changed (-want +got):\n%s", diff)
		}
		got, err := DecodeTrial(data, maxSamples)
		if err != nil {
			t.Fatal(err)
		}
		resolution := got.Samples[0].Read.Latency.Histogram.Bits
		if resolution == 0 || resolution == MaxHistogramBits {
			t.Errorf("%d samples: a resolution of %d bits", samples, resolution)
		}
		for i := range want.Samples {
			for _, d := range []*Operation{want.Samples[i].Read, want.Samples[i].Write} {
				d.Latency.Histogram = d.Latency.Histogram.Coarsen(resolution)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d samples at %d bits (-want +got):\n%s", samples, resolution, diff)
		}
	}
}

// noise is text that does not compress.
func noise(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	for range n {
		b.WriteByte(byte('!' + r.IntN(90)))
	}
	return b.String()
}

func TestEncodeTrialGivesUpTheTailLast(t *testing.T) {
	trial := makeLargeTrial(1)
	trial.Samples[0].JobFile = noise(2, 8100)
	trial.Failure = &Failure{Reason: "WorkloadFailed", Message: "It failed.", Tail: noise(1, 2048)}
	data, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrial(data, maxSamples)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Samples[0].Read.Latency.Histogram.IsZero() || got.Failure.Tail != "" || got.Failure.Message != "It failed." {
		t.Errorf("kept %d bins, a tail of %d bytes", len(got.Samples[0].Read.Latency.Histogram.Bins), len(got.Failure.Tail))
	}
	trial.Samples[0].JobFile = noise(3, 8192)
	trial.Samples[0].Argv = []string{noise(4, 1024), noise(5, 1024)}
	var size *SizeError
	if _, err := EncodeTrial(trial); !errors.As(err, &size) {
		t.Errorf("got %v, want a SizeError", err)
	}
}

// TestEncodeTrialWithin: in a plan of ten thousand trials each has 3,355 bytes.
func TestEncodeTrialWithin(t *testing.T) {
	const limit = 32 << 20 / 10000
	trial := makeLargeTrial(1)
	trial.Samples[0].JobFile = noise(2, 2000)
	trial.Samples[0].Pool.PoolProperties = map[string]string{}
	for i := range uint64(8) {
		trial.Samples[0].Pool.PoolProperties[fmt.Sprintf("property-%d", i)] = noise(i, 200)
	}
	data, err := EncodeTrialWithin(trial, limit)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrial(data, maxSamples)
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Samples[0]; len(data) > limit || s.JobFile == "" || s.Read.IOs != trial.Samples[0].Read.IOs ||
		s.Pool.PoolProperties != nil {
		t.Errorf("%d bytes hold a job file of %d, %d reads, %d properties", len(data), len(s.JobFile), s.Read.IOs,
			len(s.Pool.PoolProperties))
	}
	if _, err := EncodeTrialWithin(makeLargeTrial(2), 1<<20); err != nil {
		t.Errorf("more than a trial may ever have: %v", err)
	}
}

func TestEncodeTrialRepairsTexts(t *testing.T) {
	trial := makeTrial(0, 0)
	trial.Started = trial.Started.In(time.FixedZone("somewhere", 7200))
	trial.Failure = &Failure{Reason: "PoolFailed", Message: "a\nb" + strings.Repeat("x", 2000), Tail: "\x1b[1m" +
		strings.Repeat("y", 3000)}
	data, err := EncodeTrial(trial)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrial(data, maxSamples)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Failure.Message) != 1024 || len(got.Failure.Tail) != 2048 || strings.Contains(got.Failure.Message, "\n") ||
		got.Started.Location() != time.UTC {
		t.Errorf("got a message of %d bytes, a tail of %d, started %v", len(got.Failure.Message), len(got.Failure.Tail),
			got.Started)
	}
}

func TestEncodeTrialRefuses(t *testing.T) {
	tests := map[string]func(*Trial){
		"NaN":            func(t *Trial) { t.Samples[0].Read.IOPS = math.NaN() },
		"infinite":       func(t *Trial) { t.Samples[0].NodeCPUSeconds = math.Inf(1) },
		"negative":       func(t *Trial) { t.Samples[0].DeviceReadBytes = -1 },
		"another schema": func(t *Trial) { t.Version = 2 },
		"no digest":      func(t *Trial) { t.PlanDigest = "" },
		"cache state":    func(t *Trial) { t.Samples[0].CacheState = "" },
		"journal":        func(t *Trial) { t.Features = &Features{Journal: "Diary"} },
		"bad bin":        func(t *Trial) { t.Samples[0].Read.Latency.Histogram.Bins[0].Nanoseconds = -7 },
	}
	for name, change := range tests {
		trial := makeTrial(1, 10)
		change(&trial)
		var invalid *InvalidError
		if _, err := EncodeTrial(trial); !errors.As(err, &invalid) {
			t.Errorf("%s: got %v, want an InvalidError", name, err)
		}
	}
}

func gzipped(t testing.TB, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDecodeTrialRefuses(t *testing.T) {
	altered := func(old, replacement string) []byte {
		plain, err := json.Marshal(makeTrial(1, 10))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(plain, []byte(old)) {
			t.Fatalf("no %s in %s", old, plain)
		}
		return gzipped(t, bytes.Replace(plain, []byte(old), []byte(replacement), 1))
	}
	good, err := EncodeTrial(makeTrial(1, 10))
	if err != nil {
		t.Fatal(err)
	}
	latency := makeTrial(1, 10).Samples[0].Read.Latency
	field := func(name string, value any) string { return fmt.Sprintf("%q:%v", name, value) }
	var format, size, invalid = new(*FormatError), new(*SizeError), new(*InvalidError)
	tests := map[string]struct {
		in   []byte
		want any
	}{
		"empty":            {nil, format},
		"not compressed":   {[]byte("{}"), format},
		"cut off":          {good[:len(good)-9], format},
		"followed":         {append(bytes.Clone(good), 0), format},
		"two members":      {append(bytes.Clone(good), good...), format},
		"not JSON":         {gzipped(t, []byte("{")), format},
		"two documents":    {gzipped(t, []byte("{}{}")), format},
		"bomb":             {gzipped(t, make([]byte, 16<<20)), size},
		"beyond numbers":   {altered(field("deviceReadBytes", 0), `"deviceReadBytes":9223372036854775807`), invalid},
		"beyond fractions": {altered(field("nodeCPUSeconds", 0), `"nodeCPUSeconds":1e308`), invalid},
		"next to nothing":  {altered(field("nodeCPUSeconds", 0), `"nodeCPUSeconds":5e-324`), invalid},
		"faster than real": {altered(field("bandwidthBytesPerSecond", 40960), `"bandwidthBytesPerSecond":1e15`), invalid},
		"long reason": {altered(`"samples":`, `"failure":{"reason":"`+strings.Repeat("a", 65)+
			`","message":""},"samples":`), invalid},
		"too long":     {make([]byte, MaxSampleBytes*(maxSamples+1)+1), size},
		"many samples": {gzipped(t, []byte(`{"samples":[`+strings.Repeat("{},", maxSamples)+`{}]}`)), format},
		"hidden samples": {gzipped(t, []byte(`{"SAMPLES":[`+strings.Repeat("{},", maxSamples)+`{}],"samples":[]}`)),
			format},
		"deep":             {gzipped(t, []byte(strings.Repeat("[", 100000))), format},
		"not a number":     {altered(field("iops", 10), `"iops":"NaN"`), format},
		"huge number":      {altered(field("iops", 10), `"iops":1e999`), format},
		"version":          {altered(field("version", 1), `"version":2`), invalid},
		"digest":           {altered(digest, "sha256:x"), invalid},
		"negative":         {altered(field("ios", 10), `"ios":-10`), invalid},
		"control":          {altered(`"storage-0"`, `"\u001b[2J"`), invalid},
		"year":             {altered("2026-03-04T05:06:07Z", "0000-03-04T05:06:07Z"), invalid},
		"percentile order": {altered(field("p95Nanoseconds", latency.P95Nanoseconds), `"p95Nanoseconds":1`), invalid},
		"percentile": {altered(field("p999Nanoseconds", latency.P999Nanoseconds), `"p999Nanoseconds":99999999999`),
			invalid},
		"count":     {altered(field("count", 10), `"count":11`), invalid},
		"order":     {altered(field("minNanoseconds", latency.MinNanoseconds), `"minNanoseconds":9999999999999`), invalid},
		"reason":    {altered(`"samples":`, `"failure":{"reason":"not a word","message":""},"samples":`), invalid},
		"long text": {altered(`"tool":"fio"`, `"tool":"`+strings.Repeat("f", 300)+`"`), invalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := DecodeTrial(tt.in, maxSamples); err == nil || !errors.As(err, tt.want) {
				t.Errorf("got %v (%T), want %T", err, err, tt.want)
			}
		})
	}
}

// TestDecodeTrialByItsSamples proves that a trial of few samples may not take the room of one of many, compressed or
// not.
func TestDecodeTrialByItsSamples(t *testing.T) {
	large := makeTrial(1, 10)
	large.Samples[0].Argv = nil
	for len(large.Samples[0].Argv) < 200 {
		large.Samples[0].Argv = append(large.Samples[0].Argv, strings.Repeat("a", 1000))
	}
	plain, err := json.Marshal(large)
	if err != nil {
		t.Fatal(err)
	}
	var size *SizeError
	if _, err := DecodeTrial(gzipped(t, plain), 1); !errors.As(err, &size) || size.LimitBytes != 128<<10 {
		t.Errorf("decompressed: got %v, want a SizeError of 128 KiB", err)
	}
	if _, err := DecodeTrial(gzipped(t, plain), 4); err != nil {
		t.Errorf("as one of four samples: %v", err)
	}
	if _, err := DecodeTrial(make([]byte, 8<<10+1), 1); !errors.As(err, &size) || size.LimitBytes != 8<<10 {
		t.Errorf("compressed: got %v, want a SizeError of 8 KiB", err)
	}
	if _, err := EncodeTrial(large); !errors.As(err, &size) {
		t.Errorf("encoded what is not decoded: %v", err)
	}
}

func TestProgressRoundTrip(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)
	want := Progress{
		Version: Version, PlanDigest: digest, State: StateFailed, Updated: at, Started: at, Completed: 1, Failed: 2,
		Node:    &NodeFacts{OpenZFSModule: "2.3.9", CPUs: 2, ModuleParameters: map[string]string{"zfs.zfs_arc_max": "0"}},
		Current: &CurrentTrial{Index: 3, Variant: "default", Step: "workload", Workload: "write", Percent: 100},
		Failure: &Failure{Reason: "DeviceRefused", Message: "It is in use."},
		Preflight: &Preflight{
			Devices: []DeviceReport{{Name: "d0", Kernel: "/dev/sda", Model: "M", Step: "signatures",
				Refusal: "It has an ext4 signature."}},
			Checks: []Check{{Name: "tools", Outcome: OutcomeFailed, Message: "The node has no zdb."}},
			Estimate: &Estimate{Trials: 2, LeastSeconds: 60,
				Pools: []PoolEstimate{{Variant: "default", DeviceBytes: 1, UsableBytes: 2, NeededBytes: 3}}},
		},
	}
	data, err := EncodeProgress(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeProgress(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProgressRefuses(t *testing.T) {
	good := Progress{Version: Version, PlanDigest: digest, State: StateRunning}
	tests := map[string]func(*Progress){
		"state":           func(p *Progress) { p.State = "Somehow" },
		"failed, but why": func(p *Progress) { p.State = StateFailed },
		"percent":         func(p *Progress) { p.Current = &CurrentTrial{Percent: 101} },
		"negative":        func(p *Progress) { p.Completed = -1 },
		"scanned more":    func(p *Progress) { p.Scan = &ScanProgress{Devices: 1, ReadBytes: 2, TotalBytes: 1} },
		"version":         func(p *Progress) { p.Version = 0 },
		"digest":          func(p *Progress) { p.PlanDigest = "sha256:" },
		"outcome":         func(p *Progress) { p.Preflight = &Preflight{Checks: []Check{{Outcome: "Perhaps"}}} },
		"refused, but passed": func(p *Progress) {
			p.Preflight = &Preflight{Passed: true, Devices: []DeviceReport{{Name: "d0"}}}
		},
		"failed, but passed": func(p *Progress) {
			p.Preflight = &Preflight{Passed: true, Checks: []Check{{Outcome: OutcomeFailed}}}
		},
	}
	for name, change := range tests {
		p := good
		change(&p)
		var invalid *InvalidError
		if _, err := EncodeProgress(p); !errors.As(err, &invalid) {
			t.Errorf("%s: encoded: %v", name, err)
		}
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeProgress(data); !errors.As(err, &invalid) {
			t.Errorf("%s: decoded: %v", name, err)
		}
	}
	var size *SizeError
	if _, err := DecodeProgress(make([]byte, MaxDocumentBytes+1)); !errors.As(err, &size) {
		t.Errorf("got %v, want a SizeError", err)
	}
	good.Preflight = &Preflight{Checks: make([]Check, maxElements)}
	for i := range good.Preflight.Checks {
		good.Preflight.Checks[i] = Check{Outcome: OutcomePassed, Message: strings.Repeat("x", 200)}
	}
	if _, err := EncodeProgress(good); !errors.As(err, &size) {
		t.Errorf("got %v, want a SizeError", err)
	}
}

func makeOwnership() Ownership {
	return Ownership{
		Version: Version, BenchmarkUID: "7c9e6679-7425-40de-944b-e07fc1f90ae7", PlanDigest: digest,
		PoolName:    "zb-0123456789abcdef-0",
		PoolComment: "7c9e6679742540de944be07fc1f90ae7", Datasets: []string{"zb-0123456789abcdef-0/bench"},
		Devices: []OwnedDevice{{Name: "d0", Path: "/dev/disk/by-id/virtio-d0", SizeBytes: 1 << 30, DiskGUID: "a",
			Partitions: []OwnedPartition{{Name: "d0", GUID: "b"}}}, {Name: "f0", File: "/x/f0"}},
		ModuleParameters: []ModuleParameter{{Name: "zfs_arc_max", Value: "0", InEffect: "8455716864"},
			{Name: "zfs_txg_timeout", Value: "5"}}, BootID: "b",
	}
}

func TestOwnershipRoundTrip(t *testing.T) {
	want := makeOwnership()
	data, err := EncodeOwnership(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeOwnership(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOwnershipRefuses(t *testing.T) {
	tests := map[string]func(*Ownership){
		"no owner":        func(o *Ownership) { o.BenchmarkUID = "" },
		"no pool":         func(o *Ownership) { o.PoolName = "" },
		"path and file":   func(o *Ownership) { o.Devices[0].File = "/x" },
		"neither":         func(o *Ownership) { o.Devices[1].File = "" },
		"control in path": func(o *Ownership) { o.Devices[0].Path = "/dev/\n" },
		"long name":       func(o *Ownership) { o.PoolName = strings.Repeat("a", 300) },
		"negative size":   func(o *Ownership) { o.Devices[0].SizeBytes = -1 },
		"a parameter":     func(o *Ownership) { o.ModuleParameters[0].Name = "../../x" },
		"in effect":       func(o *Ownership) { o.ModuleParameters[0].InEffect = "much" },
		"of no boot":      func(o *Ownership) { o.BootID = "" },
		"many parameters": func(o *Ownership) { o.ModuleParameters = make([]ModuleParameter, 21) },
	}
	for name, change := range tests {
		o := makeOwnership()
		change(&o)
		var invalid *InvalidError
		if _, err := EncodeOwnership(o); !errors.As(err, &invalid) {
			t.Errorf("%s: encoded: %v", name, err)
		}
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeOwnership(data); !errors.As(err, &invalid) {
			t.Errorf("%s: decoded: %v", name, err)
		}
	}
}

func TestTrialKey(t *testing.T) {
	if got := TrialKey(7); got != "trial-00007.json.gz" {
		t.Errorf("got %s", got)
	}
}

// FuzzDecodeTrial starts from plain JSON, which reaches further than damaged gzip does.
func FuzzDecodeTrial(f *testing.F) {
	for _, trial := range []Trial{makeTrial(0, 0), makeTrial(1, 10), makeTrial(2, 300)} {
		plain, err := json.Marshal(trial)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(plain, true)
		f.Add(gzipped(f, plain), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, plain bool) {
		if plain {
			data = gzipped(t, data)
		}
		trial, err := DecodeTrial(data, maxSamples)
		if err != nil {
			return
		}
		again, err := EncodeTrial(trial)
		var size *SizeError
		if errors.As(err, &size) {
			return
		}
		if err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		back, err := DecodeTrial(again, len(trial.Samples))
		if err != nil {
			t.Fatalf("encoded but not decoded: %v", err)
		}
		// Only histograms, and after them the tail, lose anything.
		for _, each := range []*Trial{&trial, &back} {
			coarsen(each, withoutBandwidths)
		}
		if diff := cmp.Diff(trial, back, cmpopts.EquateEmpty(), cmp.Comparer(func(a, b time.Time) bool {
			return a.Equal(b)
		})); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
	})
}

func FuzzDecodeProgress(f *testing.F) {
	good, err := EncodeProgress(Progress{Version: Version, PlanDigest: digest, State: StateRunning,
		Current: &CurrentTrial{Variant: "default"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodeProgress(data)
		if err != nil {
			return
		}
		again, err := EncodeProgress(p)
		if err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		back, err := DecodeProgress(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, back, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
	})
}

func FuzzDecodeOwnership(f *testing.F) {
	good, err := EncodeOwnership(makeOwnership())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := DecodeOwnership(data)
		if err != nil {
			return
		}
		again, err := EncodeOwnership(o)
		var size *SizeError
		if errors.As(err, &size) {
			return // escapes may be longer than what they stand for
		}
		if err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		back, err := DecodeOwnership(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(o, back); diff != "" {
			t.Fatalf("(-first +second):\n%s", diff)
		}
	})
}
