// SPDX-License-Identifier: Apache-2.0

package localpv

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestParameters(t *testing.T) {
	properties := v1alpha1.DatasetProperties{"recordsize": "16K", "compression": "zstd-fast-3", "dedup": "on",
		"sync": "always", "primarycache": "metadata"}
	want := map[string]string{"poolname": "p/bench", "fstype": "zfs", "thinprovision": "no", "recordsize": "16K",
		"dedup": "on"}
	if diff := cmp.Diff(want, Parameters("p/bench", FSTypeZFS, false, properties)); diff != "" {
		t.Errorf("Parameters (-want +got):\n%s", diff)
	}
	parent := v1alpha1.DatasetProperties{"compression": "zstd-fast-3", "sync": "always", "primarycache": "metadata"}
	if diff := cmp.Diff(parent, ForParent(properties)); diff != "" {
		t.Errorf("ForParent (-want +got):\n%s", diff)
	}
	block := map[string]string{"poolname": "p/bench", "thinprovision": "yes"}
	if diff := cmp.Diff(block, Parameters("p/bench", "", true, nil)); diff != "" {
		t.Errorf("Parameters of a block device (-want +got):\n%s", diff)
	}
}

func TestNodeID(t *testing.T) {
	for name, tt := range map[string]struct {
		labels map[string]string
		want   string
	}{
		"labelled": {map[string]string{TopologyKey: "id-7"}, "id-7"},
		"plain":    {nil, "storage-0"},
	} {
		if got := NodeID("storage-0", tt.labels); got != tt.want {
			t.Errorf("%s: NodeID = %q, want %q", name, got, tt.want)
		}
	}
}

func TestLacks(t *testing.T) {
	full := map[string]string{"poolname": "p/bench", "fstype": "zfs", "thinprovision": "no", "recordsize": "16K",
		"compression": "zstd-3", "dedup": "on"}
	tests := map[string]struct {
		change     func(string) string
		parameters map[string]string
		want       string
	}{
		"everything is there": {func(s string) string { return s }, full, ""},
		"another version": {func(s string) string {
			return strings.ReplaceAll(s, "name: v1\n", "name: v2alpha1\n")
		}, nil, "serves v2alpha1, but this operator reads v1"},
		"a version not served": {func(s string) string {
			return strings.ReplaceAll(s, "served: true", "served: false")
		}, nil, "serves nothing"},
		"a value too new": {func(s string) string {
			return strings.ReplaceAll(s, "zstd(?:-fast|-[1-9]|-1[0-9])?|", "")
		}, full, "does not take compression=zstd-3"},
		"a parameter too new": {func(s string) string {
			return strings.ReplaceAll(s, "thinProvision:", "thick:")
		}, full, "has no parameter thinprovision"},
		"a value that is no on": {func(s string) string {
			return s
		}, map[string]string{"dedup": "sha256"}, "does not take dedup=sha256"},
	}
	text, err := os.ReadFile("testdata/zfsvolumes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := yaml.YAMLToJSON([]byte(tt.change(string(text))))
			if err != nil {
				t.Fatal(err)
			}
			d, err := ParseDefinition(data)
			if err != nil {
				t.Fatal(err)
			}
			got := d.Lacks(tt.parameters)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("Lacks = %q, want %q in it", got, tt.want)
			}
		})
	}
}
