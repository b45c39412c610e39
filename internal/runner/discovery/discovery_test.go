// SPDX-License-Identifier: Apache-2.0

package discovery

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/filesystem"
)

type fakeNode struct {
	disks   []blockdev.Found
	failing error
	// lacks is why filesystems cannot be used, by type.
	lacks map[v1alpha1.FilesystemType]error
}

func (f fakeNode) Disks(context.Context) ([]blockdev.Found, error) { return f.disks, f.failing }
func (f fakeNode) Pools(context.Context) ([]string, error)         { return []string{"tank"}, nil }
func (f fakeNode) Versions(context.Context) (userland, module string, err error) {
	return "2.3.9-1", "2.3.9-1", nil
}
func (f fakeNode) Facts() (result.NodeFacts, error) {
	return result.NodeFacts{Kernel: "6.12.107", MemoryBytes: 1 << 34}, errors.New("no arcstats")
}
func (f fakeNode) Find(_ context.Context, kind filesystem.Filesystem) (string, error) {
	return "1.0", f.lacks[kind.Type]
}

func node(f fakeNode) Node {
	return Node{
		Survey: f, OpenZFS: f, Facts: f, Filesystems: f, Scratch: "/var/lib/zfsbench",
		Tools: func(context.Context) []preflight.ToolVersion {
			return []preflight.ToolVersion{{Name: "zpool", Version: "2.3.9-1"}, {Name: "zdb", Err: errors.New("not found")}}
		},
		Stat: func(directory string) (preflight.Filesystem, error) {
			if directory == "/var/lib" {
				return preflight.Filesystem{Kind: "ext4", FreeBytes: 1 << 30}, nil
			}
			return preflight.Filesystem{}, errors.New("does not exist")
		},
	}
}

func TestDiscover(t *testing.T) {
	refusal := func(step blockdev.Step, text string) error {
		return &blockdev.Refusal{Device: "sda", Path: "/dev/sda", Step: step, Cause: errors.New(text)}
	}
	const wwn = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d"
	found, err := Discover(t.Context(), node(fakeNode{
		lacks: map[v1alpha1.FilesystemType]error{"xfs": errors.New("the node has no mkfs.xfs")},
		disks: []blockdev.Found{
			{Device: "/dev/sda", Path: wwn + "2", Serial: "S2", SizeBytes: 1 << 40, Refusal: refusal(blockdev.StepMounts,
				"it is mounted at /srv (ext4)")},
			{Device: "/dev/sdb", Path: wwn + "1", Serial: "S1", SizeBytes: 1 << 40,
				Attributes: blockdev.Attributes{Model: "ST4000NM0025  ", Rotational: true, Transport: "sas"}},
			{Device: "/dev/sdc", Path: wwn + "3", Refusal: refusal(blockdev.StepHost, "it does not answer")},
			{Device: "/dev/sdd", Serial: "S4"},
			{Device: "/dev/sde", Path: wwn + "4", Refusal: refusal(blockdev.StepContent, "it is not blank"), UnsignedData: true},
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	disks := []v1alpha1.NodeDisk{
		{Device: "/dev/sdd", Serial: "S4", Verdict: v1alpha1.DiskRefused, Check: "path",
			Reason: "It has no path below /dev/disk/by-id, so no policy can name it."},
		{Path: wwn + "1", Device: "/dev/sdb", Serial: "S1", SizeBytes: 1 << 40, Model: "ST4000NM0025", Rotational: true,
			Transport: "sas", Verdict: v1alpha1.DiskBlank},
		{Path: wwn + "2", Device: "/dev/sda", Serial: "S2", SizeBytes: 1 << 40, Verdict: v1alpha1.DiskInUse,
			Check: "mounts", Reason: "It is mounted at /srv (ext4)."},
		{Path: wwn + "3", Device: "/dev/sdc", Verdict: v1alpha1.DiskRefused, Check: "host",
			Reason: "It does not answer."},
		{Path: wwn + "4", Device: "/dev/sde", Verdict: v1alpha1.DiskInUse, Check: "content", Reason: "It is not blank.",
			UnsignedData: true},
	}
	if diff := cmp.Diff(disks, found.Disks); diff != "" {
		t.Errorf("disks (-want +got):\n%s", diff)
	}
	tools := []v1alpha1.NodeTool{{Name: "zpool", Version: "2.3.9-1"}, {Name: "zdb", Problem: "Not found."}}
	if diff := cmp.Diff(tools, found.System.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	for _, f := range found.System.Filesystems {
		if usable := f.Problem == ""; usable == (f.Name == "xfs") {
			t.Errorf("filesystem %+v", f)
		}
	}
	found.System.Tools, found.System.Filesystems = nil, nil
	system := v1alpha1.NodeSystem{OpenZFS: "2.3.9-1", OpenZFSModule: "2.3.9-1", Kernel: "6.12.107", MemoryBytes: 1 << 34,
		Scratch: v1alpha1.NodeScratch{Directory: "/var/lib/zfsbench", Filesystem: "ext4", FreeBytes: 1 << 30}}
	if diff := cmp.Diff(system, found.System); diff != "" {
		t.Errorf("system (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"tank"}, found.Pools); diff != "" {
		t.Errorf("pools (-want +got):\n%s", diff)
	}
}

func TestDiscoverWithoutDisks(t *testing.T) {
	if _, err := Discover(t.Context(), node(fakeNode{failing: errors.New("no sysfs")})); err == nil {
		t.Error("a node whose disks cannot be listed has none")
	}
}

// together answers once somebody else asks at the same time.
type together struct {
	fakeNode
	asked *sync.WaitGroup
}

func (f together) meet() {
	f.asked.Done()
	f.asked.Wait()
}

func (f together) Disks(ctx context.Context) ([]blockdev.Found, error) {
	f.meet()
	return f.fakeNode.Disks(ctx)
}

func (f together) Pools(ctx context.Context) ([]string, error) {
	f.meet()
	return f.fakeNode.Pools(ctx)
}

func (f together) Versions(ctx context.Context) (userland, module string, err error) {
	f.meet()
	return f.fakeNode.Versions(ctx)
}

// TestDiscoverAsksAtOnce deadlocks if disks, pools and programs wait for each other.
func TestDiscoverAsksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := node(fakeNode{})
		f := together{asked: &sync.WaitGroup{}}
		f.asked.Add(3)
		n.Survey, n.OpenZFS = f, f
		if _, err := Discover(t.Context(), n); err != nil {
			t.Error(err)
		}
	})
}

// TestDiscoverOnANodeThatHangs: programs and a scratch directory that never answer are left out in time.
func TestDiscoverOnANodeThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, never := time.Now(), make(chan struct{})
		defer close(never)
		n := node(fakeNode{disks: []blockdev.Found{{Device: "/dev/sda", Serial: "S1"}}})
		n.Tools = func(ctx context.Context) []preflight.ToolVersion {
			<-ctx.Done()
			return []preflight.ToolVersion{{Name: "zpool", Err: ctx.Err()}}
		}
		n.Stat = func(string) (preflight.Filesystem, error) {
			<-never
			return preflight.Filesystem{}, errors.New("too late")
		}
		found, err := Discover(t.Context(), n)
		if err != nil || len(found.Disks) != 1 || found.System.Tools[0].Problem == "" ||
			found.System.Scratch.Directory != n.Scratch {
			t.Errorf("found %+v, %v", found, err)
		}
		if took := time.Since(began); took > systemPatience {
			t.Errorf("it took %s", took)
		}
	})
}
