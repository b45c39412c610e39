// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/stats"
)

// measured is a node's part of a benchmark with one workload, w, which writes: so many repetitions of each variant,
// at the bandwidth that the function says.
func measured(node string, variants []string, repetitions int,
	bandwidth func(variant string, repetition int) float64) Measured {
	m := Measured{Facts: &result.NodeFacts{OpenZFSModule: "2.3.2", Kernel: "6.12", CPUs: 2, MemoryBytes: 4 << 30}}
	m.Plan = plan.Plan{Node: plan.Node{Name: node}, Workloads: []v1alpha1.Workload{{
		Name: "w", Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("1Gi")},
	}}}
	for _, name := range variants {
		m.Plan.Variants = append(m.Plan.Variants, plan.Variant{Name: name,
			Pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevMirror, Devices: []string{"d0", "d1"}}}}})
	}
	for repetition := 1; repetition <= repetitions; repetition++ {
		for _, name := range variants {
			index, b := len(m.Plan.Trials), bandwidth(name, repetition)
			m.Plan.Trials = append(m.Plan.Trials, plan.Trial{Index: index, Variant: name, Repetition: repetition})
			m.Trials = append(m.Trials, result.Trial{Index: index, Variant: name, Repetition: repetition,
				Samples: []result.Sample{{
					Workload: "w", Write: &result.Operation{BandwidthBytesPerSecond: b, IOPS: b / 131072,
						Latency: result.Latency{MeanNanoseconds: 1e14 / b}},
					Pool: result.PoolFacts{Ashift: []int{12}, DatasetProperties: map[string]string{"recordsize": "131072",
						"compression": "on"}},
				}}})
		}
	}
	return m
}

// around scatters a little around a bandwidth, always in the same way.
func around(bandwidth float64) func(string, int) float64 {
	return func(_ string, repetition int) float64 { return bandwidth * (1 + 0.002*float64(repetition%3)) }
}

func comparableOf(name string, nodes ...Measured) Comparable {
	b := &v1alpha1.ZfsBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "u-" + "1"}}
	b.Status.CompletionTime = &metav1.Time{Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	return Of(b, v1alpha1.PhaseComplete, nodes, nil)
}

var one = []string{"default"}

// What is written is what is read, and the digest is that of a workload with one spelling.
func TestEncodeAndDecode(t *testing.T) {
	m := measured("storage-0", []string{"a", "b"}, 3, around(1e8/3))
	m.Plan.DevicePreparation = v1alpha1.DevicePreparationDiscard
	m.Trials[0].PreparedDisks = []result.PreparedDisk{{Name: "d0", Discarded: true}, {Name: "d1"}}
	d := comparableOf("before", m)
	data, err := Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if want := []float64{3.34e7, 3.34667e7, 3.33333e7}; !cmp.Equal(want, got.Results[0].BandwidthBytesPerSecond) {
		t.Errorf("bandwidths %v, want %v", got.Results[0].BandwidthBytesPerSecond, want)
	}
	want := map[string]string{"layout": "mirror d0 d1", "dataset": "filesystem", "ashift": "12",
		"recordsize": "131072", "compression": "on", "discarded disks": "d0"}
	if diff := cmp.Diff(want, got.Variants[0].Target); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
	spelled := v1alpha1.Workload{Name: "other", Cache: v1alpha1.CacheCold,
		Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "131072", Size: resource.MustParse("1024Mi")}}
	if w := workloadOf(spelled); w.Digest != d.Workloads[0].Digest {
		t.Errorf("two spellings of one workload: %v and %v", w.Options, d.Workloads[0].Options)
	}
	spelled.Cache = v1alpha1.CacheWarm
	if workloadOf(spelled).Digest == d.Workloads[0].Digest {
		t.Error("a warm cache is the same workload as a cold one")
	}
}

// Workloads of other tools are told apart by what would run, however they are written.
func TestOtherWorkloads(t *testing.T) {
	tree := func(w v1alpha1.TreeWorkload) v1alpha1.Workload { return v1alpha1.Workload{Name: "w", Tree: &w} }
	corpora := func(w v1alpha1.CorpusWorkload) v1alpha1.Workload { return v1alpha1.Workload{Name: "w", Corpus: &w} }
	streams := func(w v1alpha1.StreamsWorkload) v1alpha1.Workload { return v1alpha1.Workload{Name: "w", Streams: &w} }
	copies := func(w v1alpha1.CopyWorkload) v1alpha1.Workload { return v1alpha1.Workload{Name: "w", Copy: &w} }
	size, same := resource.MustParse("1Gi"), resource.MustParse("1024Mi")
	iozone := func(size string, threads int32) v1alpha1.Workload {
		return v1alpha1.Workload{Name: "w", Iozone: &v1alpha1.IozoneWorkload{Size: resource.MustParse(size),
			Threads: threads}}
	}
	fsmark := func(sync v1alpha1.FsmarkSync) v1alpha1.Workload {
		return v1alpha1.Workload{Name: "w", Fsmark: &v1alpha1.FsmarkWorkload{Sync: sync}}
	}
	dbench := func(clients int32) v1alpha1.Workload {
		return v1alpha1.Workload{Name: "w", Dbench: &v1alpha1.DbenchWorkload{Clients: clients}}
	}
	bonnie := func(size resource.Quantity, fast bool) v1alpha1.Workload {
		return v1alpha1.Workload{Name: "w", Bonnie: &v1alpha1.BonnieWorkload{Size: &size, Fast: fast}}
	}
	scripts := func(image v1alpha1.ImageReference, size string, command ...string) v1alpha1.Workload {
		return v1alpha1.Workload{Name: "w", Script: &v1alpha1.ScriptWorkload{Image: image, Size: resource.MustParse(size),
			Command: command}}
	}
	given := func(image v1alpha1.ImageReference) v1alpha1.Workload {
		return corpora(v1alpha1.CorpusWorkload{Image: &v1alpha1.CorpusFromImage{Image: image, Size: size}})
	}
	claimed := func(name, path string) v1alpha1.Workload {
		return corpora(v1alpha1.CorpusWorkload{PersistentVolumeClaim: &v1alpha1.CorpusFromClaim{ClaimName: name,
			Path: path, Size: size}})
	}
	tests := map[string]struct {
		a, b v1alpha1.Workload
		same bool
	}{
		"a tree and its defaults": {tree(v1alpha1.TreeWorkload{}),
			tree(v1alpha1.TreeWorkload{Directories: 10, Workers: 1}), true},
		"trees of other sizes": {tree(v1alpha1.TreeWorkload{}), tree(v1alpha1.TreeWorkload{Directories: 11}), false},
		"trees with other phases": {tree(v1alpha1.TreeWorkload{}),
			tree(v1alpha1.TreeWorkload{Phases: []v1alpha1.TreePhase{"create"}}), false},
		"bonnie++, spelled":        {bonnie(size, true), bonnie(same, true), true},
		"bonnie++, another option": {bonnie(size, true), bonnie(size, false), false},
		"iozone, spelled":          {iozone("1Gi", 0), iozone("1024Mi", 1), true},
		"iozone, more threads":     {iozone("1Gi", 0), iozone("1Gi", 2), false},
		"fs_mark and its defaults": {fsmark(""), fsmark(v1alpha1.FsmarkSyncPerFile), true},
		"fs_mark, another sync":    {fsmark(""), fsmark(v1alpha1.FsmarkSyncNone), false},
		"dbench and its defaults":  {dbench(0), dbench(1), true},
		"dbench, more clients":     {dbench(1), dbench(2), false},
		"streams and defaults": {streams(v1alpha1.StreamsWorkload{Size: size}),
			streams(v1alpha1.StreamsWorkload{Size: same, Counts: []int32{1, 2, 4, 8}}), true},
		"corpora and defaults": {corpora(v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{{Content: v1alpha1.CorpusText,
			Size: size}}}), corpora(v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{{Content: v1alpha1.CorpusText,
			Size: same, Copies: 1}}}), true},
		"another corpus": {corpora(v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{{Content: v1alpha1.CorpusText,
			Size: size}}}), corpora(v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{{Content: v1alpha1.CorpusText,
			Size: size}}, Seed: 1}), false},
		"other streams": {streams(v1alpha1.StreamsWorkload{Size: size}),
			streams(v1alpha1.StreamsWorkload{Size: same, Counts: []int32{1, 2, 4}}), false},
		"a copy and its defaults": {copies(v1alpha1.CopyWorkload{Tool: "cp"}),
			copies(v1alpha1.CopyWorkload{Tool: "cp", Directories: 10}), true},
		"copies by other tools": {copies(v1alpha1.CopyWorkload{Tool: "cp"}),
			copies(v1alpha1.CopyWorkload{Tool: "rsync"}), false},
		"copies of other trees": {copies(v1alpha1.CopyWorkload{Tool: "cp"}),
			copies(v1alpha1.CopyWorkload{Tool: "cp", Directories: 11}), false},
		"a script, spelled":       {scripts("a:1", "1Gi", "run"), scripts("a:1", "1024Mi", "run"), true},
		"a script, another image": {scripts("a:1", "1Gi", "run"), scripts("a:2", "1Gi", "run"), false},
		"a script, another word":  {scripts("a:1", "1Gi", "run", "x"), scripts("a:1", "1Gi", "run x"), false},
		"a script, another end": {scripts("a:1", "1Gi", "sh", strings.Repeat("x", 5000)+"1"),
			scripts("a:1", "1Gi", "sh", strings.Repeat("x", 5000)+"2"), false},
		"a corpus and one " +
			"copied": {corpora(v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{{Content: v1alpha1.CorpusText,
			Size: size}}}), given("a:1"), false},
		"a corpus, another image": {given("a:1"), given("a:2"), false},
		"a corpus of a claim":     {claimed("a", ""), claimed("a", "/"), true},
		"a corpus, another claim": {claimed("a", ""), claimed("b", ""), false},
		"a corpus, another path":  {claimed("a", ""), claimed("a", "/b"), false},
		"another tool":            {bonnie(size, true), tree(v1alpha1.TreeWorkload{}), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if a, b := workloadOf(tt.a), workloadOf(tt.b); (a.Digest == b.Digest) != tt.same {
				t.Errorf("%v and %v", a.Options, b.Options)
			}
		})
	}
}

// A phase that moves no bytes is compared by its operations per second.
func TestPhasesAreCompared(t *testing.T) {
	phased := func(factor float64) Comparable {
		m := measured("storage-0", one, 6, around(1e8))
		m.Plan.Workloads = []v1alpha1.Workload{{Name: m.Plan.Workloads[0].Name, Tree: &v1alpha1.TreeWorkload{}}}
		for i := range m.Trials {
			s := &m.Trials[i].Samples[0]
			s.Phases = []result.Phase{{Name: "delete",
				Operation: result.Operation{IOPS: factor * s.Write.BandwidthBytesPerSecond / 1e5}}}
			s.Read, s.Write = nil, nil
		}
		return comparableOf("before", m)
	}
	data, err := Encode(phased(0.5))
	if err != nil {
		t.Fatal(err)
	}
	before, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	w, err := phased(1).Against(Other{Name: "before", Comparable: before}, 0.03)
	if err != nil || len(w.Comparisons) != 1 {
		t.Fatalf("%+v, %v", w, err)
	}
	c := w.Comparisons[0]
	if c.Operation != "delete" || !c.InOperations || c.Ratio < 1.99 || c.Ratio > 2.01 || c.Mean < 900 ||
		c.Mean > 1100 || c.N != 6 || c.OtherN != 6 {
		t.Errorf("%+v", c)
	}
}

// What is too large loses latencies, then properties, then results, says so, and can still be read.
func TestEncodeFits(t *testing.T) {
	many := func(n int) []string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("variant-%d", i))
		}
		return names
	}
	tests := map[string]struct {
		variants int
		want     []string
	}{
		"all of it":          {50, nil},
		"without latencies":  {320, []string{"latencies"}},
		"without properties": {430, []string{"latencies", "properties"}},
		"without results":    {1000, []string{"latencies", "properties, and results after the first 250"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := Encode(comparableOf("large", measured("storage-0", many(tt.variants), 6, around(1e8))))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Omitted); diff != "" {
				t.Errorf("%d bytes, omitted (-want +got):\n%s", len(data), diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	valid, err := Encode(comparableOf("before", measured("storage-0", one, 3, around(1e8))))
	if err != nil {
		t.Fatal(err)
	}
	replaced := func(old, text string) string {
		if !strings.Contains(string(valid), old) {
			t.Fatalf("%s is not in %s", old, valid)
		}
		return strings.Replace(string(valid), old, text, 1)
	}
	tests := map[string]struct{ text, want string }{
		"nothing":         {"", "not JSON"},
		"garbage":         {"\x00\xff{", "not JSON"},
		"a list":          {"[]", "not JSON"},
		"huge":            {strings.Repeat(" ", MaxBytes+1), "more than"},
		"deep":            {`{"version":1,"nodes":` + strings.Repeat("[", 50000), "not JSON"},
		"another version": {replaced(`"version":1`, `"version":2`), "version 2"},
		"no version":      {replaced(`"version":1,`, ``), "version 0"},
		"a preparation": {replaced(`"version":1`, `"version":1,"devicePreparation":"Trim"`),
			`devicePreparation "Trim"`},
		"a fresh pool":         {replaced(`"version":1`, `"version":1,"freshPool":"Weekly"`), `freshPool "Weekly"`},
		"an unknown field":     {replaced(`"version":1`, `"version":1,"evil":1`), "unknown field"},
		"a field twice":        {replaced(`"name":"before"`, `"name":"a","name":"b"`), "duplicate field"},
		"not a number":         {replaced(`100000000`, `NaN`), "not JSON"},
		"infinite":             {replaced(`100000000`, `1e999`), "not JSON"},
		"beyond anything":      {replaced(`100000000`, `1e300`), "not possible"},
		"below zero":           {replaced(`100000000`, `-1`), "not possible"},
		"zero":                 {replaced(`100000000`, `0`), "a value of 0"},
		"a terminal's text":    {replaced(`"phase":"Complete"`, `"phase":"\u001b[2J"`), "not possible"},
		"a long text":          {replaced(`"phase":"Complete"`, `"phase":"`+strings.Repeat("a", 300)+`"`), "not possible"},
		"other options":        {replaced(`"bs":"131072"`, `"bs":"4096"`), "not match its digest"},
		"a result of nothing":  {replaced(`"variant":"default"`, `"variant":"other"`), "does not list"},
		"a result twice":       {doubled(t, valid), "there twice"},
		"an operation":         {replaced(`"operation":"write"`, `"operation":"u p"`), "operation"},
		"too many repetitions": {replaced(`[100200000`, `[`+strings.Repeat("1,", 2048)+`1`), "more than 2048"},
		"something after it":   {string(valid) + "{}", "not JSON"},
		"a negative repetition": {replaced(`{"name":"default"`,
			`{"name":"default","stopping":{"minRepetitions":-1,"maxRepetitions":3,"targetRelativeError":0.1}`), "negative"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
			if err != nil && len(err.Error()) > 2*maxText {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func doubled(t *testing.T, valid []byte) string {
	t.Helper()
	d, err := Decode(valid)
	if err != nil {
		t.Fatal(err)
	}
	d.Results = append(d.Results, d.Results[0])
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// FuzzDecode proves that whatever a user wrote, what is read can be compared with, and the comparison written as
// JSON.
func FuzzDecode(f *testing.F) {
	own := comparableOf("after", measured("storage-0", one, 3, around(1e8)))
	valid, err := Encode(own)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(valid)
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Decode(data)
		if err != nil {
			return
		}
		w, err := own.Against(Other{Name: "fuzz", Comparable: d}, 0.03)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(w); err != nil {
			t.Fatal(err)
		}
	})
}

// One variant and one node are compared whatever they are called; what else differs is told, and a verdict found.
func TestAgainst(t *testing.T) {
	there := measured("storage-1", []string{"old"}, 7, around(1e8))
	there.Facts.OpenZFSModule, there.Facts.MemoryBytes = "2.2.7", 4<<30+4096
	there.Trials[0].Samples[0].Pool.DatasetProperties["compression"] = "lz4"
	here := measured("storage-0", one, 6, around(0.9e8))
	own := Of(&v1alpha1.ZfsBenchmark{}, v1alpha1.PhaseFailed, []Measured{here},
		[]caveats.Warning{{Kind: v1alpha1.ConditionTooShort, Node: "storage-0", Variant: "default", Workload: "w"}})
	got, err := own.Against(Other{Name: "before", Comparable: comparableOf("before", there)}, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	c := got.Comparisons[0]
	if c.Verdict != stats.Worse || math.Abs(c.Ratio-0.9) > 0.001 || c.N != 6 || c.OtherN != 7 ||
		c.OtherVariant != "old" || c.OtherNode != "storage-1" || c.Interval95 == nil {
		t.Errorf("got %+v, want 0.9 and Worse", c)
	}
	want := []Difference{
		{"benchmark", "Failed", "Complete"},
		{"node storage-0: OpenZFS (module)", "2.3.2", "2.2.7"},
		{"node storage-0: name", "storage-0", "storage-1"},
		{"variant default: compression", "on", "lz4"},
		{"w write, variant default on storage-0: warnings", "TooShort", "none"},
	}
	if diff := cmp.Diff(want, got.Differences); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	if got.Benchmark != "default/before" || got.Problem != "" || len(got.NotCompared) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestAgainstSays(t *testing.T) {
	base := func() Measured { return measured("storage-0", []string{"a", "b"}, 3, around(1e8)) }
	changed := base()
	fio := *changed.Plan.Workloads[0].Fio
	fio.BS, fio.Direct = "64k", true
	changed.Plan.Workloads[0].Fio = &fio
	renamed := base()
	renamed.Plan.Workloads[0].Name = "v"
	unmeasured := base()
	unmeasured.Trials = nil
	failed := base()
	for i := range failed.Trials {
		if failed.Trials[i].Variant == "a" {
			failed.Trials[i].Failure = &result.Failure{}
		}
	}
	discarded := base()
	discarded.Plan.DevicePreparation = v1alpha1.DevicePreparationDiscard
	used := base()
	used.Plan.FreshPool = v1alpha1.FreshPoolPerVariant
	nothing := "None of the results has a counterpart."
	tests := map[string]struct {
		other    Other
		problem  string
		compared int
		reason   string
	}{
		"the same": {Other{Comparable: comparableOf("x", base())}, "", 2, ""},
		"absent":   {Other{Problem: "It is not there."}, "It is not there.", 0, ""},
		"another workload": {Other{Comparable: comparableOf("x", changed)}, nothing, 0,
			"Not comparable, the workload is different: bs is 131072 here and 65536 there, direct is unset here and true " +
				"there."},
		"other preparation": {Other{Comparable: comparableOf("x", discarded)}, nothing, 0,
			"Not comparable, the disks were prepared in another way: devicePreparation is None here and Discard there."},
		"pools in use": {Other{Comparable: comparableOf("x", used)}, nothing, 0,
			"Not comparable, one measured pools in use: freshPool is PerRepetition here and PerVariant there."},
		"no such workload": {Other{Comparable: comparableOf("x", renamed)}, nothing, 0,
			"The other has no workload of this name."},
		"nothing measured": {Other{Comparable: comparableOf("x", unmeasured)}, nothing, 0,
			"The other has no results of it."},
		"one variant failed": {Other{Comparable: comparableOf("x", failed)}, "", 1, "The other has no results of it."},
		"other variants": {Other{Comparable: comparableOf("x",
			measured("storage-0", []string{"a", "c"}, 3, around(1e8)))}, "", 1, "The other has no variant b."},
		"one variant there": {Other{Comparable: comparableOf("x", measured("storage-0", []string{"c"}, 3, around(1e8)))},
			nothing, 0, "The other has no variant a."},
		"another node too": {Other{Comparable: comparableOf("x", measured("n1", []string{"a", "b"}, 3, around(1e8)),
			measured("n2", []string{"a", "b"}, 3, around(1e8)))}, nothing, 0, "The other did not run on node storage-0."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := comparableOf("after", base()).Against(tt.other, 0.03)
			if err != nil {
				t.Fatal(err)
			}
			if got.Problem != tt.problem || len(got.Comparisons) != tt.compared {
				t.Errorf("%d comparisons, problem %q; want %d, %q", len(got.Comparisons), got.Problem, tt.compared, tt.problem)
			}
			reason := ""
			if len(got.NotCompared) > 0 {
				reason = got.NotCompared[0].Reason
			}
			if reason != tt.reason {
				t.Errorf("not compared: %q, want %q", reason, tt.reason)
			}
		})
	}
}

// Holm's correction counts the whole table, and the numbers are those of Welch's test.
func TestAgainstCorrectsForTheTable(t *testing.T) {
	noisy := func(_ string, repetition int) float64 { return 1e8 * (1 + 0.05*float64(repetition%4)) }
	faster := func(v string, repetition int) float64 { return 1.05 * noisy(v, repetition) }
	two := []string{"a", "b"}
	own, other := comparableOf("after", measured("n", two, 6, faster)),
		comparableOf("before", measured("n", two, 9, noisy))
	got, err := own.Against(Other{Comparable: other}, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	want, err := stats.CompareUnpaired(own.Sample(own.Results[0], experiment.Bandwidth),
		other.Sample(other.Results[0], experiment.Bandwidth))
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Comparisons[0]; c.P != want.P || c.HolmP != min(1, 2*want.P) ||
		*c.Interval95 != Interval(want.Interval95) {
		t.Errorf("got %+v, want p %v, doubled", c, want.P)
	}
}

// A variant whose own scatter ended the repetitions keeps the rule, for the calibration; one that was compared does
// not.
func TestStoppingIsKept(t *testing.T) {
	m := measured("n", []string{"a", "b", "c"}, 6, around(1e8))
	m.Plan.Stopping = &plan.Stopping{MinRepetitions: 3, TargetRelativeError: 0.025}
	m.Plan.Variants[1].Reference = "a"
	d := comparableOf("x", m)
	for i, want := range []stats.StoppingRule{{}, {}, {Min: 3, Max: 6, TargetRelativeError: 0.025}} {
		if got := d.Sample(d.Results[i], experiment.Bandwidth).Rule; got != want {
			t.Errorf("the rule of %s is %+v, want %+v", d.Results[i].Variant, got, want)
		}
	}
}

func TestLayout(t *testing.T) {
	pool := v1alpha1.PoolSpec{
		Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevDraid1, Devices: []string{"d0", "d1", "d2", "d3"},
			Draid: &v1alpha1.DraidSpec{Data: new(int32(2)), Spares: 1}}},
		Log:    []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"d4"}, Ashift: new(int32(13))}},
		Spares: []string{"d5"},
	}
	if got, want := Layout(pool), "draid1:2d:4c:1s d0 d1 d2 d3 log (ashift=13) d4 spare d5"; got != want {
		t.Errorf("Layout is %q, want %q", got, want)
	}
}
