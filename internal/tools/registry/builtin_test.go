// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools"
)

// The runner's own tools are started as themselves, with room for what they need, and work in a directory of the
// workload's name.
func TestBuiltinToolsStart(t *testing.T) {
	size := resource.MustParse("1Mi")
	type started struct {
		Name, Argv   string
		Self, Layout bool
		Tasks        int
		DataBytes    int64
	}
	tests := map[string]struct {
		workload v1alpha1.Workload
		layout   bool
		want     started
	}{
		"streams": {
			v1alpha1.Workload{Streams: &v1alpha1.StreamsWorkload{Size: size, BlockSize: ptr.To(resource.MustParse("1Mi"))}},
			false,
			started{"streams", "runner streams --directory=/target/w --report=/out/report.json --counts=1,2,4,8 " +
				"--size=1048576 --block-size=1048576 --phases=write,read --seed=5", true, false, 72, 16 << 20},
		},
		"streams, before they are read": {
			v1alpha1.Workload{Streams: &v1alpha1.StreamsWorkload{Size: size, Counts: []int32{2},
				Phases: []v1alpha1.StreamsPhase{"read"}}}, true,
			started{"streams", "runner streams --directory=/target/w --report=/out/report.json --counts=2 --size=1048576 " +
				"--block-size=131072 --phases=write --seed=5", true, true, 66, 512 << 10},
		},
		"a corpus": {
			v1alpha1.Workload{Corpus: &v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{{Content: v1alpha1.CorpusText,
				Size: size}}, Seed: 3}}, false,
			started{"corpus", "runner corpus --directory=/target/w --report=/out/report.json --parts=Text:1048576:1 " +
				"--file-size=1048576 --seed=3", true, false, 64, 8 << 20},
		},
		"a copy": {
			v1alpha1.Workload{Copy: &v1alpha1.CopyWorkload{Tool: v1alpha1.CopyRsync}}, false,
			started{"rsync", "runner copy --tool=rsync --from=/target/w/from/w0 --to=/target/w/to --report=/out/report.json " +
				"--inodes=1111 --bytes=4505600", true, true, 80, 1111 * 256},
		},
		"a copy, before": {
			v1alpha1.Workload{Copy: &v1alpha1.CopyWorkload{Tool: v1alpha1.CopyCp}}, true,
			started{"cp", "runner tree --directory=/target/w/from --report=/out/report.json --levels=1 --directories=10 " +
				"--files=100 --file-size=4096 --workers=1 --phases=create --seed=5", true, true, 80, 1111 * 256},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.workload.Name = "w"
			tool := Of(tt.workload)
			s, err := tool.Start(tools.Place{Directory: "/target", Output: "/out", Layout: tt.layout, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			got := started{tool.Name(), strings.Join(s.Argv, " "), s.Self, tool.NeedsLayout(), s.Limits.Tasks,
				s.Limits.DataBytes}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A copy wants the tool that copies, not only the runner.
func TestCopyIsLookedFor(t *testing.T) {
	tests := map[v1alpha1.CopyTool]string{v1alpha1.CopyRsync: "rsync-3.5.0", v1alpha1.CopyCp: "cp-9.1"}
	for tool, want := range tests {
		text, err := os.ReadFile("../treecopy/testdata/" + want + "-version.txt")
		if err != nil {
			t.Fatal(err)
		}
		probe := Of(v1alpha1.Workload{Copy: &v1alpha1.CopyWorkload{Tool: tool}}).Probe()
		if got := probe.Version(string(text), ""); got != want || probe.Self || strings.Join(probe.Argv, " ") != string(tool)+
			" --version" {
			t.Errorf("%s: %q by %+v", tool, got, probe)
		}
	}
}
