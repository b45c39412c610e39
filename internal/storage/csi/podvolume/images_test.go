// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const testPodUID, testContainerID = "5b0f0c6e-1111-4222-8333-444455556666", "77aa"

// imageNode plays a node on which a pod holds image 1 with a process.
type imageNode struct {
	*Images
	pod ImagePod
	// container is the ID of the container that the process pid is in, holder the program as that has it.
	pid, container string
}

func newImageNode(t *testing.T) *imageNode {
	t.Helper()
	n := &imageNode{container: testContainerID, pod: ImagePod{
		Name: "zb-images", UID: testPodUID, Containers: map[int]string{1: testContainerID},
	}}
	n.Images = NewImages(func(context.Context) (ImagePod, error) { return n.pod, nil }, "/holder", t.TempDir())
	n.poll = time.Millisecond
	n.cgroup = func(p process) (string, error) {
		if filepath.Base(p.Name()) != n.pid {
			return "0::/init.scope\n", nil
		}
		return "0::/kubepods/besteffort/pod" + testPodUID + "/" + n.container + "\n", nil
	}
	return n
}

// start starts a process that holds the image.
func (n *imageNode) start(t *testing.T) (stop func()) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pid, stop := startStoppableHolder(t, imageVariable, t.TempDir(), program)
	n.pid = strconv.Itoa(pid)
	return stop
}

// look is Attach for an image that is there already, or will not come.
func (n *imageNode) look(t *testing.T, number int) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	return n.Attach(ctx, number)
}

// mustAttach attaches image 1 and lets go of it at the end of the test.
func (n *imageNode) mustAttach(t *testing.T) string {
	t.Helper()
	root, err := n.Attach(t.Context(), 1)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("mounts cannot be taken over here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(root, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) {
			t.Error(err)
		}
	})
	return root
}

// TestImages: the files of the image with the given number appear read-only. Neither other images nor what else the
// container has mounted appear.
func TestImages(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	n := newImageNode(t)
	n.start(t)
	root := n.mustAttach(t)
	if text, err := os.ReadFile(filepath.Join(root, "file")); err != nil || string(text) != "theirs" {
		t.Errorf("read %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(root, "mounted", "token")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is mounted in the container is there: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "new"), nil, 0o600); !errors.Is(err, unix.EROFS) {
		t.Errorf("it can be written to: %v", err)
	}
	options := mountOptions(t, root)
	for _, want := range []string{"ro", "nosuid", "nodev"} {
		if !strings.Contains(options, want) {
			t.Errorf("mounted with %s, want %s", options, want)
		}
	}
	if again, err := n.look(t, 1); err != nil || again != root {
		t.Errorf("asked again: %q, %v", again, err)
	}
	var none *NoHolderError
	if _, err := n.look(t, 0); !errors.As(err, &none) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("image 0, which nobody holds: %v, want %T", err, none)
	}
}

// Only a process of the very container, which runs the holder there, has the image's files as its root.
func TestImagesOfNobodyElse(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	tests := map[string]struct {
		change func(*imageNode)
		want   string
	}{
		"another pod": {func(n *imageNode) {
			n.pod.UID = "5b0f0c6e-1111-4222-8333-444455556667"
		}, "no process of it is on this node"},
		"another container": {func(n *imageNode) { n.container = "88bb" }, "no process of it is on this node"},
		"another program":   {func(n *imageNode) { n.holder = "/file" }, "no process of it is on this node"},
		"a pod that is not there": {func(n *imageNode) {
			n.pod.UID = ""
		}, "pod zb-images does not hold it: the pod is not there"},
		"a container that waits": {
			func(n *imageNode) {
				n.pod.Containers, n.pod.Problem = nil, "ErrImageNeverPull: not present"
			}, "ErrImageNeverPull: not present",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n := newImageNode(t)
			n.start(t)
			tt.change(n)
			if root, err := n.look(t, 1); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("attached at %q, error %v, want %q", root, err, tt.want)
			}
		})
	}
}

// TestImageIsLostWithItsContainer: once its container has ended, the image's files may go, whoever still has them
// mounted. Those of the next container take their place.
func TestImageIsLostWithItsContainer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	n := newImageNode(t)
	stop := n.start(t)
	root := n.mustAttach(t)
	if err := n.Check(1); err != nil {
		t.Errorf("the container runs: %v", err)
	}
	stop()
	var lost *LostImageError
	if err := n.Check(1); !errors.As(err, &lost) || !strings.Contains(err.Error(), "zb-images") {
		t.Errorf("the container has ended: %v, want %T", err, lost)
	}
	if _, err := n.look(t, 1); err == nil || mounted(t, root) {
		t.Errorf("its files are still there: %v", err)
	}
	n.start(t)
	if again := n.mustAttach(t); again != root || !mounted(t, root) {
		t.Errorf("the next container's are at %q", again)
	}
	if err := n.Check(1); err != nil {
		t.Errorf("the next container runs: %v", err)
	}
}

func mounted(t *testing.T, dir string) bool {
	t.Helper()
	return hasMount(mustPin(t, os.Getpid()), dir)
}
