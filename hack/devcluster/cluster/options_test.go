package cluster

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/hack/devcluster/internal/netns"
)

func TestDefaultOptions(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv(RunDirVariable, "")
	t.Setenv(KubernetesModuleVariable, "")
	o, err := DefaultOptions()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.validate(); err != nil {
		t.Errorf("the defaults are invalid: %v", err)
	}
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	got := []string{o.Repository, o.CacheDir, o.RunDir, o.KubernetesModule}
	want := []string{repository, "/cache/zfsbench-devcluster", "/cache/zfsbench-devcluster/run", "kubernetes"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("directories (-want +got):\n%s", diff)
	}
}

func TestDefaultOptionsFromEnvironment(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv(RunDirVariable, "/elsewhere")
	t.Setenv(KubernetesModuleVariable, "kubernetes-1.30")
	t.Chdir(t.TempDir())
	o, err := DefaultOptions()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"", "/elsewhere", "kubernetes-1.30"},
		[]string{o.Repository, o.RunDir, o.KubernetesModule}); diff != "" {
		t.Errorf("options outside a checkout (-want +got):\n%s", diff)
	}
	if _, err := Assets(t.Context(), o); err == nil {
		t.Error("something was built without a repository")
	}
}

// Two disks of one serial number are one disk to the operator.
func TestDisksHaveDifferentSerialNumbers(t *testing.T) {
	o := Options{DisksPerNode: 2, DiskSizeBytes: gibibyte}
	var serials []string
	for node := range 2 {
		for _, d := range o.disks(node) {
			serials = append(serials, d.Serial())
		}
	}
	want := []string{"zfsbench-d0", "zfsbench-d1", "zfsbench-1-d0", "zfsbench-1-d1"}
	if diff := cmp.Diff(want, serials); diff != "" {
		t.Errorf("serial numbers (-want +got):\n%s", diff)
	}
}

func TestValidate(t *testing.T) {
	valid := Options{Nodes: 1, CPUs: 2, MemoryMiB: 4096, DisksPerNode: 2, DiskSizeBytes: gibibyte}
	tests := map[string]struct {
		change func(*Options)
		want   []string
	}{
		"valid":      {func(*Options) {}, nil},
		"no disks":   {func(o *Options) { o.DisksPerNode = 0 }, nil},
		"no nodes":   {func(o *Options) { o.Nodes = 0 }, []string{"nodes: 0 is not between 1 and 100"}},
		"many nodes": {func(o *Options) { o.Nodes = 101 }, []string{"nodes: 101 is not between 1 and 100"}},
		"all at once": {
			func(o *Options) { o.CPUs, o.MemoryMiB, o.DiskSizeBytes, o.DisksPerNode = 0, 512, 100, 1 },
			[]string{
				"cpus: 0 is less than 1",
				"memory: 512 MiB is less than the 2048 MiB a node needs",
				"disk d0: size 100 bytes is no positive multiple of 512",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := valid
			test.change(&o)
			var got []string
			if err := o.validate(); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("validate (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLayout(t *testing.T) {
	got := layout([]nodeState{{Name: nodeName(0), Index: 0}, {Name: nodeName(1), Index: 1}})
	want := netns.Layout{
		Bridge: "br0", Address: "10.99.0.1/24",
		Taps: []netns.Tap{
			{Name: "tap0", PodCIDR: "10.244.0.0/24", NodeIP: "10.99.0.10"},
			{Name: "tap1", PodCIDR: "10.244.1.0/24", NodeIP: "10.99.0.11"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("52:54:00:99:00:0b", nodeMAC(1)); diff != "" {
		t.Errorf("nodeMAC (-want +got):\n%s", diff)
	}
}
