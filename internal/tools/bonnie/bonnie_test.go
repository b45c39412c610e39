// SPDX-License-Identifier: Apache-2.0

package bonnie

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport/toolreporttest"
)

func TestArgv(t *testing.T) {
	tests := map[string]struct {
		workload v1alpha1.BonnieWorkload
		want     string
	}{
		"throughput": {
			v1alpha1.BonnieWorkload{Size: ptr.To(resource.MustParse("2Gi"))},
			"bonnie++ -d /target -s 2048 -n 0 -r 0 -x 1 -q -m zfsbench -z 3",
		},
		"files": {
			v1alpha1.BonnieWorkload{Files: &v1alpha1.BonnieFiles{Count: 16}},
			"bonnie++ -d /target -s 0 -n 16:0:0:1 -r 0 -x 1 -q -m zfsbench -z 3",
		},
		// bonnie++ -d /tank/ -u root -n 128 -x 1 -q -z 0 -f, of a published study; the user and the seed are ours.
		"a study's": {
			v1alpha1.BonnieWorkload{Size: ptr.To(resource.MustParse("32Gi")), Fast: true,
				Files: &v1alpha1.BonnieFiles{Count: 128}},
			"bonnie++ -d /target -s 32768 -n 128:0:0:1 -r 0 -x 1 -q -m zfsbench -z 3 -f",
		},
		"everything": {
			v1alpha1.BonnieWorkload{
				Size: ptr.To(resource.MustParse("1Mi")), ChunkSize: 65536, Fast: true, Fsync: true, Direct: true,
				Files: &v1alpha1.BonnieFiles{Count: 1, MaxSize: 4096, MinSize: 512, Directories: 10},
			},
			"bonnie++ -d /target -s 1:65536 -n 1:4096:512:10 -r 0 -x 1 -q -m zfsbench -z 3 -f -b -D",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(Argv(tt.workload, "/target", 3<<33+5), " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

var reader = toolreporttest.Reader[struct{}]{
	Parse:    func(r io.Reader, _ struct{}) (result.Sample, error) { return Parse(r) },
	Fixtures: "bonnie-", Extension: ".csv",
	Captured: map[string]struct{}{"2.00a-full": {}, "2.00a-small": {}, "2.00a-files": {}, "2.00a-throughput": {},
		"1.97-all": {}, "1.96-all": {}, "1.96-files": {}},
}

func parse(t *testing.T, name string) result.Sample {
	t.Helper()
	s, err := Parse(strings.NewReader(reader.Fixture(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What bonnie++ printed of a run in memory, long enough to be measured but for one test.
func TestParse(t *testing.T) {
	s := parse(t, "2.00a-full")
	if s.Tool != "bonnie++" || s.ToolVersion != "bonnie++-2.00a" {
		t.Errorf("tool %q %q", s.Tool, s.ToolVersion)
	}
	kib := func(n float64) float64 { return n * 1024 }
	want := map[string]float64{
		"write": kib(1179434), "rewrite": kib(1183538), "read": kib(2970868), "seek": 13460,
		"sequentialCreate": 83634, "sequentialStat": 97750, "sequentialDelete": 93304, "randomCreate": 64724,
		"randomStat": 78609,
	}
	got := map[string]float64{}
	for _, o := range s.Operations() {
		got[o.Name] = o.Rate()
		if err := o.Check(); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
	write, last := s.Phases[0], s.Phases[len(s.Phases)-1]
	if write.Bytes != 3<<30 || write.Latency.MaxNanoseconds != 15326000 || write.RuntimeNanoseconds/1e6 != 2667 ||
		write.Reads {
		t.Errorf("write: %+v", write)
	}
	if last.Name != "randomDelete" || !last.TooFast || last.Latency.MaxNanoseconds != 18647000 {
		t.Errorf("last: %+v", last)
	}
	if files := s.Phases[4]; files.IOs != 48*1024 || files.Bytes != 0 {
		t.Errorf("files: %+v", files)
	}
}

// Tests that were left out are not there; those that were too fast have no rate.
func TestParseParts(t *testing.T) {
	tests := map[string]struct {
		phases int
		rates  []string
	}{
		"2.00a-small":      {12, []string{"writeCharacters", "readCharacters"}},
		"2.00a-files":      {6, []string{"sequentialDelete", "randomCreate", "randomDelete"}},
		"2.00a-throughput": {4, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := parse(t, name)
			var rates []string
			for _, o := range s.Operations() {
				rates = append(rates, o.Name)
			}
			if diff := cmp.Diff(tt.rates, rates); diff != "" || len(s.Phases) != tt.phases {
				t.Errorf("%d phases, rates (-want +got):\n%s", len(s.Phases), diff)
			}
		})
	}
}

// Older versions print fewer fields: what they mean is what bonnie++ printed beside them as a table.
func TestParseOlder(t *testing.T) {
	kib := func(n float64) float64 { return n * 1024 }
	tests := map[string]struct {
		version string
		rates   map[string]float64
		tooFast int
		// seeks and create are the largest latencies of the last test of throughput and the first of files.
		seeks, create int64
	}{
		"1.97-all": {"1.97", map[string]float64{
			"writeCharacters": kib(668), "write": kib(993827), "rewrite": kib(553909), "readCharacters": kib(1411),
			"read": kib(1341920), "seek": 8210,
		}, 6, 15082e3, 1262e3},
		"1.96-all": {"1.96", map[string]float64{
			"writeCharacters": kib(624), "write": kib(83917), "rewrite": kib(40261), "readCharacters": kib(2015),
			"read": kib(999552), "seek": 2840,
			"sequentialCreate": 28438, "randomCreate": 14767, "randomDelete": 26551,
		}, 3, 8033e3, 38544e3},
		"1.96-files": {"1.96", map[string]float64{
			"sequentialCreate": 1702, "sequentialStat": 2025, "sequentialDelete": 1332, "randomCreate": 1873, "randomStat": 2047,
			"randomDelete": 1266,
		}, 0, 0, 3874e6},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := parse(t, name)
			got, tooFast := map[string]float64{}, 0
			for _, p := range s.Phases {
				if p.TooFast {
					tooFast++
				} else {
					got[p.Name] = p.Rate()
				}
			}
			if diff := cmp.Diff(tt.rates, got); diff != "" || tooFast != tt.tooFast || s.ToolVersion != "bonnie++-"+tt.version {
				t.Errorf("%s, %d too fast, rates (-want +got):\n%s", s.ToolVersion, tooFast, diff)
			}
			seek, _ := s.Phase("seek")
			if create, _ := s.Phase("sequentialCreate"); seek.Latency.MaxNanoseconds != tt.seeks ||
				create.Latency.MaxNanoseconds != tt.create {
				t.Errorf("latencies %d and %d", seek.Latency.MaxNanoseconds, create.Latency.MaxNanoseconds)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	good := reader.Fixture(t, "2.00a-full")
	replaced := func(old, with string) string { return strings.Replace(good, old, with, 1) }
	reader.RefusesRates(t, "2.00a-full", "1179434", "rate of write")
	reader.RefusesRates(t, "1.97-all", "993827", "rate of write")
	reader.Refuses(t, map[string]toolreporttest.Hostile{
		"nothing":        {"", "", tool.Missing().Error()},
		"words":          {"Can't open file\n", "", "this build reads format 1.98"},
		"another format": {replaced("1.98", "1.95"), "", `format "1.95" with 50 fields`},
		"an older format": {replaced("1.98", "1.96"), "",
			`format "1.96" with 50 fields; this build reads format 1.98 with 50, of bonnie++ 1.98 and 2.00, and 1.96 and 1.97 with 48`},
		"one field less": {strings.Replace(reader.Fixture(t, "1.96-all"), ",,,,,", ",,,,", 1), "",
			`format "1.96" with 47 fields`},
		"cut off":          {good[:100], "", "fields"},
		"an odd latency":   {replaced("15326us", "15326"), "", "latency of write"},
		"a size of 0":      {replaced("3G", "0G"), "", "size"},
		"an unknown size":  {replaced("3G", "3X"), "", "size"},
		"files without":    {replaced(",48,4096", ",,4096"), "", "rate of sequentialCreate"},
		"an open quote":    {`"1.98`, "", "report"},
		"only what is not": {"1.98,2.00a,x" + strings.Repeat(",", 47) + "\n", "", "no test ran"},
	})
}

// FuzzParse: whatever is printed, what is made of it can be a part of a result, or is an error.
func FuzzParse(f *testing.F) { reader.Fuzz(f) }
