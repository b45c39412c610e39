// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

var sample = v1alpha1.CorpusWorkload{
	Parts: []v1alpha1.CorpusPart{{Content: v1alpha1.CorpusText, Size: resource.MustParse("10Mi")},
		{Content: v1alpha1.CorpusRandom, Size: resource.MustParse("2500Ki"), Copies: 2}},
	Seed: 7,
}

func TestArgv(t *testing.T) {
	other := sample
	other.FileSize = ptr.To(resource.MustParse("64Ki"))
	tests := map[string]struct {
		workload     v1alpha1.CorpusWorkload
		want         string
		files, bytes int64
	}{
		"defaults": {sample, "runner corpus --directory=/target/w --report=/out/report.json " +
			"--parts=Text:10485760:1,Random:2560000:2 --file-size=1048576 --seed=7", 13, 10<<20 + 2500<<10},
		"copied": {
			v1alpha1.CorpusWorkload{Image: &v1alpha1.CorpusFromImage{Image: "example/data:1", Path: "/usr/share",
				Size: resource.MustParse("1Gi")}},
			"runner corpus --directory=/target/w --report=/out/report.json --source=/source --path=/usr/share " +
				"--limit=1073741824", 0, 1 << 30,
		},
		"files": {other, "runner corpus --directory=/target/w --report=/out/report.json " +
			"--parts=Text:10485760:1,Random:2560000:2 --file-size=65536 --seed=7", 160 + 40, 10<<20 + 2500<<10},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(Argv(tt.workload, "/target/w", "/source", "/out/report.json"),
				" ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if files, bytes := Files(tt.workload), Bytes(tt.workload); files != tt.files || bytes != tt.bytes {
				t.Errorf("%d files of %d bytes", files, bytes)
			}
		})
	}
}

func TestParts(t *testing.T) {
	for _, p := range PartsOf(sample) {
		if got, err := ParsePart(p.String()); err != nil || got != p {
			t.Errorf("%s is read as %+v, %v", p, got, err)
		}
	}
	if p := (Part{v1alpha1.CorpusText, 10, 3}); p.Files(3) != 4 || p.Distinct(3) != 2 {
		t.Errorf("%d files, %d distinct", p.Files(3), p.Distinct(3))
	}
	for _, text := range []string{"", "Text", "Text:1", "Text:0:1", "Text:1:0", "Text:x:1", "Text:1:1:1", "Text:-1:1"} {
		if got, err := ParsePart(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
