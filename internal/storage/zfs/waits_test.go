// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

// waitsText is as print_vdev_stats and print_iostat_histo in cmd/zpool/zpool_main.c of OpenZFS 2.4 print it.
func waitsText(columns int, vdevs ...string) string {
	const buckets = 37
	var text strings.Builder
	for v, vdev := range vdevs {
		fmt.Fprintf(&text, "\n%s\n", vdev)
		for j := range buckets {
			fmt.Fprint(&text, uint64(1)<<(j+1)-1)
			for c := range columns {
				n := 0
				if j == 20+c%2 { // reads of 1 ms, writes of 2 ms
					n = 100 * (v + 1)
				}
				fmt.Fprintf(&text, "\t%d", n)
			}
			text.WriteString("\n")
		}
	}
	return text.String()
}

// The mean of the last device, which read nothing in between, is what zpool iostat -l printed as well: 3889419 ns.
func TestParseCapturedWaits(t *testing.T) {
	all, err := ParseWaits(fixtureReader(t, "zpool-iostat-w"))
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Vdev                                       string
		TotalRead, TotalWrite, DiskRead, DiskWrite int64
		Mean                                       float64
		Half, Most                                 int64
	}
	var got []row
	for _, w := range all {
		got = append(got, row{
			w.Vdev, w.TotalRead.Count(), w.TotalWrite.Count(), w.DiskRead.Count(), w.DiskWrite.Count(),
			math.Round(w.TotalRead.Mean()), w.DiskWrite.AtMost(0.5), w.DiskWrite.AtMost(0.99),
		})
	}
	want := []row{
		{"zfsbench-2f4e82ab-0", 773, 2342, 773, 2342, 4318763, 2097151, 16777215},
		{"mirror-0", 773, 2342, 773, 2342, 4318763, 2097151, 16777215},
		{"/dev/disk/by-partuuid/e34cc6b1-6b3c-421d-9ccd-f6a16f78c147", 313, 1165, 313, 1165, 4949748, 2097151, 16777215},
		{"/dev/disk/by-partuuid/bacc0ba6-e57e-46bc-b63e-f2b7c620acf8", 460, 1177, 460, 1177, 3889419, 2097151, 16777215},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWaits(t *testing.T) {
	online := map[string]string{"proc/spl/kstat/zfs/zbfix/state": fixture(t, "kstat-state")}
	tests := map[string]struct {
		pool   string
		kernel map[string]string
		want   []string
		err    error
	}{
		"a pool": {"zbfix", online, []string{"host zpool iostat -HpPvw zbfix"}, nil},
		"a pool that is suspended": {"zbfix", map[string]string{"proc/spl/kstat/zfs/zbfix/state": "SUSPENDED\n"}, nil,
			&SuspendedError{Pool: "zbfix"}},
		"a pool with an option": {"-v", online, nil, &NameError{Name: "-v", Kind: "pool"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t, hostexectest.Answer{Match: "host zpool iostat", Stdout: fixture(t, "zpool-iostat-w")})
			got, err := New(rec.Runner("host")).WithRoot(tree(t, test.kernel)).Waits(t.Context(), test.pool)
			if diff := cmp.Diff(test.err, errors.Unwrap(err)); diff != "" || (len(got) == 4) != (err == nil) {
				t.Errorf("%d vdevs, error (-want +got):\n%s", len(got), diff)
			}
			if diff := cmp.Diff(test.want, rec.Transcript()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWaitsSince(t *testing.T) {
	reading := func(vdev string, n int64) Waits {
		return Waits{vdev, WaitHistogram{n}, WaitHistogram{2 * n}, WaitHistogram{3 * n}, WaitHistogram{4 * n}}
	}
	tests := map[string]struct {
		later, earlier, want []Waits
	}{
		"more requests":    {[]Waits{reading("a", 3)}, []Waits{reading("a", 1)}, []Waits{reading("a", 2)}},
		"no more":          {[]Waits{reading("a", 3)}, []Waits{reading("a", 3)}, []Waits{reading("a", 0)}},
		"fewer":            {[]Waits{reading("a", 3)}, []Waits{reading("a", 4)}, nil},
		"another vdev":     {[]Waits{reading("a", 3)}, []Waits{reading("b", 1)}, nil},
		"one more vdev":    {[]Waits{reading("a", 3), reading("b", 3)}, []Waits{reading("a", 1)}, nil},
		"other buckets":    {[]Waits{reading("a", 3)}, []Waits{{Vdev: "a"}}, nil},
		"nothing was read": {[]Waits{reading("a", 3)}, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := WaitsSince(test.later, test.earlier)
			if diff := cmp.Diff(test.want, got); diff != "" || ok != (test.want != nil) {
				t.Errorf("%t (-want +got):\n%s", ok, diff)
			}
		})
	}
}

// What OpenZFS has counted beside total and disk, and how many columns that takes, does not matter.
func TestParseWaits(t *testing.T) {
	for _, columns := range []int{9, 10, 11, 12} {
		got, err := ParseWaits(strings.NewReader(waitsText(columns, "tank", "mirror-0", "/dev/disk/by-partuuid/a")))
		if err != nil || len(got) != 3 {
			t.Fatalf("%d columns: %+v, %v", columns, got, err)
		}
		disk := got[2]
		if disk.Vdev != "/dev/disk/by-partuuid/a" || len(disk.DiskRead) != 37 || disk.DiskRead[20] != 300 ||
			disk.DiskWrite[21] != 300 || disk.TotalRead.Mean() != 1.5*(1<<20) || disk.TotalWrite.AtMost(0.99) != 1<<22-1 {
			t.Errorf("%d columns: %+v", columns, disk)
		}
	}
}

func TestParseWaitsRefuses(t *testing.T) {
	good := waitsText(11, "tank")
	for name, text := range map[string]string{
		"no vdev":           good[len("\ntank\n"):],
		"no buckets":        "\ntank\n",
		"another bucket":    strings.Replace(good, "\n1023\t", "\n1024\t", 1),
		"a bucket missing":  strings.Replace(good, "\n1023\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0", "", 1),
		"a negative number": strings.Replace(good, "\t100", "\t-100", 1),
		"a unit":            strings.Replace(good, "\t100", "\t1.0K", 1),
		"few columns":       "\ntank\n1\t0\t0\t0\n",
		"cut off":           good[:len(good)-1],
	} {
		if got, err := ParseWaits(strings.NewReader(text)); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWaitHistogram(t *testing.T) {
	earlier, later := WaitHistogram{1, 2, 3}, WaitHistogram{1, 4, 9}
	added, ok := later.sub(earlier)
	if diff := cmp.Diff(WaitHistogram{0, 2, 6}, added); diff != "" || !ok {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := added.Mean(); got != (2*3+6*6)/8.0 {
		t.Errorf("mean %v", got)
	}
	if half, most := added.AtMost(0.25), added.AtMost(1); half != 3 || most != 7 {
		t.Errorf("%d and %d", half, most)
	}
	if _, ok := earlier.sub(later); ok {
		t.Error("a counter that shrank")
	}
	if none := (WaitHistogram{0, 0}); none.Mean() != 0 || none.AtMost(0.5) != 0 {
		t.Error("numbers of nothing")
	}
}

// FuzzWaits looks for numbers that nothing can have counted.
func FuzzWaits(f *testing.F) {
	for _, output := range captures(f, "zpool-iostat-w") {
		f.Add(output)
	}
	f.Add(waitsText(12, "tank", "d0"))
	f.Add("\nt\n1\t1\t2\t3\t4\n3\t1125899906842623\t0\t0\t0\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParseWaits(strings.NewReader(text))
		if err != nil && all != nil {
			t.Fatalf("%v with %v", all, err)
		}
		for _, w := range all {
			for _, h := range []WaitHistogram{w.TotalRead, w.TotalWrite, w.DiskRead, w.DiskWrite} {
				if len(h) == 0 || len(h) > maxWaitBuckets || !(h.Mean() >= 0) || h.AtMost(0.99) < 0 ||
					float64(h.AtMost(1)+1) < h.Mean() {
					t.Fatalf("%+v", w)
				}
			}
		}
	})
}
