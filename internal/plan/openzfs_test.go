// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/schema"
)

// captured is the version in the output of `zfs version`.
func captured(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../storage/zfs/testdata/zfs-version-2.3.9.txt")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "zfs-")
}

func TestParseOpenZFS(t *testing.T) {
	tests := map[string]struct {
		want OpenZFS
		fail bool
	}{
		captured(t):         {want: OpenZFS{2, 3, 9}},
		"2.1.11-1+deb12u1":  {want: OpenZFS{2, 1, 11}},
		"2.2.2-0ubuntu9.1":  {want: OpenZFS{2, 2, 2}},
		"2.4.99-123_gabcde": {want: OpenZFS{2, 4, 99}},
		"2.4.0-rc1":         {want: OpenZFS{2, 4, 0}},
		"v2.3":              {want: OpenZFS{2, 3, 0}},
		"":                  {fail: true},
		"2":                 {fail: true},
		"2.3.9.1":           {fail: true},
		"kmod-2.3.9":        {fail: true},
		"99999.1.1":         {fail: true},
	}
	for text, tt := range tests {
		got, err := ParseOpenZFS(text)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.fail {
			t.Errorf("%q: error %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestSameRelease(t *testing.T) {
	tests := map[string]struct {
		userland, module OpenZFS
		want             bool
	}{
		"the same":          {OpenZFS{2, 3, 9}, OpenZFS{2, 3, 9}, true},
		"a fix apart":       {OpenZFS{2, 3, 9}, OpenZFS{2, 3, 2}, true},
		"not rebooted":      {OpenZFS{2, 3, 9}, OpenZFS{2, 2, 9}, false},
		"another long line": {OpenZFS{3, 3, 9}, OpenZFS{2, 3, 9}, false},
	}
	for name, tt := range tests {
		if got := tt.userland.SameRelease(tt.module); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestUnsupported(t *testing.T) {
	tests := map[string]struct {
		have          OpenZFS
		pool, dataset map[string]v1alpha1.PropertyValue
		maxRecord     int64
		parameters    v1alpha1.ModuleParameters
		want          []string
	}{
		"nothing asked": {have: OpenZFS{2, 1, 5}},
		"all there": {have: OpenZFS{2, 3, 0}, dataset: map[string]v1alpha1.PropertyValue{"direct": "always",
			"recordsize": "16M"}, maxRecord: 16 << 20},
		"direct on 2.2": {
			have: OpenZFS{2, 2, 9}, dataset: map[string]v1alpha1.PropertyValue{"direct": "always", "compression": "lz4"},
			want: []string{"The dataset property direct=always needs OpenZFS 2.3; the node has 2.2.9."},
		},
		"prefetch before it came": {have: OpenZFS{2, 2, 2}, dataset: map[string]v1alpha1.PropertyValue{"prefetch": "none"},
			want: []string{"The dataset property prefetch=none needs OpenZFS 2.2.4; the node has 2.2.2."}},
		"prefetch after that": {have: OpenZFS{2, 2, 4}, dataset: map[string]v1alpha1.PropertyValue{"prefetch": "none"}},
		"one value of a property": {have: OpenZFS{2, 1, 11}, dataset: map[string]v1alpha1.PropertyValue{"checksum": "blake3"},
			want: []string{"The dataset property checksum=blake3 needs OpenZFS 2.2; the node has 2.1.11."}},
		"the others": {have: OpenZFS{2, 1, 11}, dataset: map[string]v1alpha1.PropertyValue{"checksum": "edonr"}},
		"a feature": {have: OpenZFS{2, 2, 9},
			pool: map[string]v1alpha1.PropertyValue{"feature@fast_dedup": "disabled", "autotrim": "off"},
			want: []string{"The pool property feature@fast_dedup=disabled needs OpenZFS 2.3; the node has 2.2.9."}},
		"large records": {have: OpenZFS{2, 1, 11}, dataset: map[string]v1alpha1.PropertyValue{"recordsize": "16M"},
			maxRecord: 1 << 20, want: []string{"The dataset property recordsize=16M is more than the module allows: its " +
				"parameter zfs_max_recordsize is 1048576."}},
		"larger records are set": {
			have: OpenZFS{2, 1, 11}, dataset: map[string]v1alpha1.PropertyValue{"recordsize": "16M"}, maxRecord: 1 << 20,
			parameters: v1alpha1.ModuleParameters{"zfs_max_recordsize": "16777216"},
		},
		"the parameter not known": {have: OpenZFS{2, 1, 11},
			dataset: map[string]v1alpha1.PropertyValue{"recordsize": "16M"}},
		"in the order of the name": {have: OpenZFS{2, 1, 11},
			dataset: map[string]v1alpha1.PropertyValue{"prefetch": "all", "direct": "always"},
			want: []string{"The dataset property direct=always needs OpenZFS 2.3; the node has 2.1.11.",
				"The dataset property prefetch=all needs OpenZFS 2.2.4; the node has 2.1.11."}},
	}
	for name, tt := range tests {
		v := Variant{Pool: v1alpha1.PoolSpec{Properties: tt.pool}, Dataset: v1alpha1.DatasetSpec{Properties: tt.dataset},
			ModuleParameters: tt.parameters}
		if diff := cmp.Diff(tt.want, Unsupported(v, tt.have, tt.maxRecord)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSinceNamesWhatTheAPITakes keeps the table in step with the properties that a benchmark may set.
func TestSinceNamesWhatTheAPITakes(t *testing.T) {
	for entry := range since {
		name, value, _ := strings.Cut(entry, "=")
		for _, try := range []v1alpha1.PropertyValue{v1alpha1.PropertyValue(value), "enabled", "on", "none", "disabled"} {
			properties := map[string]v1alpha1.PropertyValue{name: try}
			volume := v1alpha1.DatasetSpec{
				Type: v1alpha1.DatasetVolume, Volume: &v1alpha1.VolumeSpec{Size: resource.MustParse("1Gi")}, Properties: properties,
			}
			errs := []int{
				len(schema.Pool.Check(v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe,
					Devices: []string{"d0"}}}, Properties: properties}, nil)),
				len(schema.Dataset.Check(v1alpha1.DatasetSpec{Type: v1alpha1.DatasetFilesystem, Properties: properties}, nil)),
				len(schema.Dataset.Check(volume, nil)),
			}
			if min(errs[0], errs[1], errs[2]) == 0 {
				name = ""
				break
			}
		}
		if name != "" {
			t.Errorf("no benchmark can set %s", entry)
		}
	}
}

func TestIgnored(t *testing.T) {
	direct := []v1alpha1.Workload{{Name: "w", Fio: &v1alpha1.FioWorkload{Direct: true}},
		{Name: "other", Fio: &v1alpha1.FioWorkload{}}}
	tests := map[string]struct {
		have OpenZFS
		kind v1alpha1.DatasetType
		want []string
	}{
		"before 2.3": {OpenZFS{2, 2, 9}, v1alpha1.DatasetFilesystem, []string{"Workload w asks for direct I/O, which " +
			"OpenZFS before 2.3 ignores."}},
		"from 2.3": {OpenZFS{2, 3, 0}, v1alpha1.DatasetFilesystem, nil},
		"a volume": {OpenZFS{2, 2, 9}, v1alpha1.DatasetVolume, nil},
	}
	for name, tt := range tests {
		if diff := cmp.Diff(tt.want, Ignored(direct, v1alpha1.DatasetSpec{Type: tt.kind}, tt.have)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
