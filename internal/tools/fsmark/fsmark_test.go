// SPDX-License-Identifier: Apache-2.0

package fsmark

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport/toolreporttest"
)

func size(text string) *resource.Quantity { return ptr.To(resource.MustParse(text)) }

// captured are the workloads of the fixtures, by their names.
var captured = map[string]v1alpha1.FsmarkWorkload{
	"default": {Files: 200, Threads: 4, Directories: 2},
	"full":    {Files: 200, Threads: 2},
	"syncpost": {Files: 200, FileSize: size("4Ki"), WriteSize: 1024, Subdirectories: 4,
		Sync: v1alpha1.FsmarkSyncSyncPost},
	"empty":     {Files: 200, FileSize: size("0"), WriteSize: 1024, Threads: 2, Sync: v1alpha1.FsmarkSyncNone},
	"perthread": {Files: 200, FileSize: size("4Ki"), WriteSize: 1024, Threads: 2, Sync: v1alpha1.FsmarkSyncPerThread},
}

var reader = toolreporttest.Reader[v1alpha1.FsmarkWorkload]{Parse: Parse, Fixtures: "fs_mark-3.3-", Extension: ".txt",
	Captured: captured}

// The commands are those that the fixtures were captured with, which fs_mark prints.
func TestArgv(t *testing.T) {
	for name, w := range captured {
		t.Run(name, func(t *testing.T) {
			ran, _, _ := strings.Cut(strings.TrimPrefix(reader.Fixture(t, name), "\n# "), "\n")
			if diff := cmp.Diff(strings.Fields(ran), Argv(w, "/target", "/out/fsmark.log")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got, bytes := Tasks(captured["default"]), DataBytes(captured["default"]); got != 5 || bytes != 200*512 {
		t.Errorf("%d processes, %d bytes", got, bytes)
	}
}

func TestParse(t *testing.T) {
	call := func(name string, workers int, count, least, average, greatest int64) result.Phase {
		return result.Calls(name, workers,
			result.Latency{Count: count, MinNanoseconds: least * 1000, MeanNanoseconds: float64(average) * 1000,
				MaxNanoseconds: greatest * 1000})
	}
	create := func(files, bytes int64, rate float64) result.Phase {
		return result.Phase{Name: "create", Operation: result.Operation{
			Bytes: files * bytes, IOs: files, IOPS: rate, BandwidthBytesPerSecond: rate * float64(bytes),
			RuntimeNanoseconds: int64(float64(files) / rate * 1e9),
		}}
	}
	tests := map[string][]result.Phase{
		"default": {
			create(800, 51200, 4736.9), call("creatCall", 4, 800, 15, 51, 2882), call("writeCall", 4, 3200, 3, 16, 1988),
			call("fsyncCall", 4, 800, 170, 750, 6789),
			call("closeCall", 4, 800, 2, 9, 2226), call("unlinkCall", 4, 800, 247, 998, 4015),
		},
		"syncpost": {
			create(200, 4096, 5969.1), call("creatCall", 1, 200, 11, 54, 2143), call("writeCall", 1, 800, 1, 5, 1390),
			call("fsyncCall", 1, 200, 30, 45, 362), call("syncCall", 1, 1, 0, 6862, 6862),
			call("closeCall", 1, 200, 1, 2, 11), call("unlinkCall", 1, 200, 86, 730, 5347),
		},
		"empty": {
			create(400, 0, 15944.7), call("creatCall", 2, 400, 10, 105, 4345), call("closeCall", 2, 400, 1, 2, 28),
			call("unlinkCall", 2, 400, 7, 33, 3977),
		},
		"perthread": {
			create(400, 4096, 15781.7), call("creatCall", 2, 400, 10, 68, 5104), call("writeCall", 2, 1600, 1, 2, 112),
			call("syncCall", 2, 2, 0, 4495, 4495),
			call("closeCall", 2, 400, 1, 23, 8417), call("unlinkCall", 2, 400, 91, 615, 5089),
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(strings.NewReader(reader.Fixture(t, name)), captured[name])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, s.Phases); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for i, p := range s.Phases {
				if err := p.Check(); err != nil || captured[name].Operations()[i] != v1alpha1.Operation(p.Name) {
					t.Errorf("%s: %v", p.Name, err)
				}
			}
			if s.Tool != "fs_mark" || s.ToolVersion != "fs_mark-3.3" || s.RuntimeNanoseconds != want[0].RuntimeNanoseconds {
				t.Errorf("%+v", s)
			}
		})
	}
}

// fs_mark 3.3 with 64 threads on a tmpfs printed 1, 0 and 3 for closing.
func TestAverageBelowTheLeast(t *testing.T) {
	s, err := Parse(strings.NewReader(strings.Replace(reader.Fixture(t, "empty"), "1        2       28",
		"1        0       28", 1)), captured["empty"])
	if err != nil {
		t.Fatal(err)
	}
	want := result.Calls("closeCall", 2,
		result.Latency{Count: 400, MinNanoseconds: 1000, MeanNanoseconds: 1000, MaxNanoseconds: 28000})
	if diff := cmp.Diff(want, s.Phases[2]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	good := reader.Fixture(t, "default")
	reader.RefusesRates(t, "default", "4736.9", "is not a rate")
	reader.Refuses(t, map[string]toolreporttest.Hostile{
		"nothing":          {"", "default", tool.Missing().Error()},
		"no space":         {reader.Fixture(t, "full"), "full", tool.Missing().Error()},
		"cut off":          {good[:len(good)-20], "default", tool.Missing().Error()},
		"no version":       {strings.Replace(good, "Version", "Edition", 1), "default", "it has no version"},
		"other files":      {good, "perthread", `"800" files of "51200" bytes in place of 400 of 4096`},
		"a time of words":  {strings.Replace(good, " 6789", " 6x89", 1), "default", `fsyncCall: "6x89" is not a time`},
		"times in a mess":  {strings.Replace(good, " 6789", " 679", 1), "default", "are not in order"},
		"a time too large": {strings.Replace(good, " 6789", " 99999999999999", 1), "default", "is not a time"},
	})
}

func FuzzParse(f *testing.F) { reader.Fuzz(f) }
