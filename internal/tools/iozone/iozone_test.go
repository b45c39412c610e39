// SPDX-License-Identifier: Apache-2.0

package iozone

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/toolreport/toolreporttest"
)

func workload(record string, w v1alpha1.IozoneWorkload) v1alpha1.IozoneWorkload {
	w.Size, w.RecordSize = resource.MustParse("16Mi"), ptr.To(resource.MustParse(record))
	return w
}

// captured are the workloads of the fixtures, by their names.
var captured = map[string]v1alpha1.IozoneWorkload{
	"default": workload("64Ki", v1alpha1.IozoneWorkload{IncludeFlush: true, IncludeClose: true}),
	"full":    workload("64Ki", v1alpha1.IozoneWorkload{IncludeFlush: true, IncludeClose: true}),
	"all": workload("4Ki", v1alpha1.IozoneWorkload{Tests: v1alpha1.IozoneTests(), Sync: true, Direct: true,
		RandomData: true}),
	"some": {Size: resource.MustParse("8Mi"), RecordSize: ptr.To(resource.MustParse("64Ki")),
		Tests: []v1alpha1.IozoneTest{"stride", "write", "backward", "read"}},
	"threads": workload("64Ki", v1alpha1.IozoneWorkload{
		IncludeFlush: true, IncludeClose: true, Threads: 3,
		Tests: []v1alpha1.IozoneTest{"write", "read", "random", "backward", "stride"},
	}),
}

var reader = toolreporttest.Reader[v1alpha1.IozoneWorkload]{Parse: Parse, Fixtures: "iozone-3.507-", Extension: ".txt",
	Captured: captured}

func TestArgv(t *testing.T) {
	tests := map[string]struct {
		workload v1alpha1.IozoneWorkload
		want     string
	}{
		"the least": {v1alpha1.IozoneWorkload{Size: resource.MustParse("1Gi")},
			"iozone -s 1048576k -r 4k -i 0 -i 1 -i 2 -f /target/iozone"},
		"default":    {captured["default"], "iozone -s 16384k -r 64k -i 0 -i 1 -i 2 -e -c -f /target/iozone"},
		"everything": {captured["all"], "iozone -s 16384k -r 4k -i 0 -i 1 -i 2 -i 3 -i 4 -i 5 -o -I -+w 0 -f /target/iozone"},
		"some":       {captured["some"], "iozone -s 8192k -r 64k -i 0 -i 1 -i 3 -i 5 -f /target/iozone"},
		"threads": {captured["threads"],
			"iozone -s 16384k -r 64k -i 0 -i 1 -i 2 -i 3 -i 5 -e -c -C -t 3 -F /target/iozone0 /target/iozone1 /target/iozone2"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(Argv(tt.workload, "/target"), " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := Tasks(captured["threads"]); got != 4 {
		t.Errorf("%d processes", got)
	}
}

// Rates are those that iozone printed, in KiB per second, whatever tests ran.
func TestParse(t *testing.T) {
	tests := map[string]map[string]float64{
		"default": {"write": 391437, "rewrite": 512496, "read": 1217161, "reread": 3611339, "randomRead": 3452232,
			"randomWrite": 654291},
		"all": {
			"write": 26656, "rewrite": 36529, "read": 74416, "reread": 69585, "randomRead": 57909, "randomWrite": 19341,
			"backwardRead": 79114, "recordRewrite": 31992, "strideRead": 40988,
		},
		"some": {"write": 1810426, "rewrite": 3803041, "read": 3230268, "reread": 3593060, "backwardRead": 1543369,
			"strideRead": 5524246},
		"threads": {
			"write": 583001.56, "rewrite": 659621.31, "read": 5447627.62, "reread": 4934382.75, "randomRead": 6281729.12,
			"randomWrite": 767032.91, "backwardRead": 5229605.25,
			"strideRead": 9302342.62,
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			w := captured[name]
			s, err := Parse(strings.NewReader(reader.Fixture(t, name)), w)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{}
			for i, p := range s.Phases {
				got[p.Name] = p.BandwidthBytesPerSecond / 1024
				if err := p.Check(); err != nil {
					t.Errorf("%s: %v", p.Name, err)
				}
				if w.Operations()[i] != v1alpha1.Operation(p.Name) || p.Reads != strings.Contains(strings.ToLower(p.Name), "read") {
					t.Errorf("%d: %+v", i, p)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rates (-want +got):\n%s", diff)
			}
			if s.Tool != "iozone" || s.ToolVersion != "iozone-3.507" || s.RuntimeNanoseconds == 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// What threads moved is what each of them did until the first had finished.
func TestParseThreads(t *testing.T) {
	s, err := Parse(strings.NewReader(reader.Fixture(t, "threads")), captured["threads"])
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Phases[0].Bytes; got != (11456+14848+16384)*1024 {
		t.Errorf("%d bytes were written", got)
	}
}

func TestParseRefuses(t *testing.T) {
	good, threads := reader.Fixture(t, "default"), reader.Fixture(t, "threads")
	reader.RefusesRates(t, "default", "391437", "rate of write")
	reader.RefusesRates(t, "threads", "583001.56", "")
	reader.Refuses(t, map[string]toolreporttest.Hostile{
		"nothing":          {"", "default", tool.Missing().Error()},
		"no space":         {reader.Fixture(t, "full"), "default", tool.Missing().Error()},
		"cut off":          {good[:len(good)-10], "default", tool.Missing().Error()},
		"no version":       {strings.Replace(good, "$Revision", "$Date", 1), "default", "it has no version"},
		"other tests":      {good, "all", "it has no rates of a file of 16384 KiB and records of 4 KiB"},
		"a rate too few":   {strings.Replace(good, "391437", "", 1), "default", "5 rates of 6 operations"},
		"one thread":       {good, "threads", "nothing of 3 threads of write"},
		"a thread too few": {strings.Replace(threads, "Child[2]", "Kid[2]", 1), "threads", "nothing of 3 threads of write"},
		"a thread too much": {strings.Replace(threads, "xfer count =   16384.00 kB", "xfer count = 99916384.00 kB", 1),
			"threads", "a thread has moved"},
	})
}

func FuzzParse(f *testing.F) { reader.Fuzz(f) }
