// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ImagePod is the pod that holds images, according to the API.
type ImagePod struct {
	Name string
	// UID is empty if there is no such pod.
	UID string
	// Containers are the IDs of the running containers, by the numbers of their images.
	Containers map[int]string
	// Problem is why other containers do not run, according to the kubelet or the scheduler; it may be empty.
	Problem string
}

// imagePoll is how often the pod is checked while Attach waits for it.
const imagePoll = time.Second

// Images are the images that a pod on this node holds. They are safe for concurrent use.
type Images struct {
	// pod asks the API for the pod.
	pod func(ctx context.Context) (ImagePod, error)
	// holder is the path of the program that holds an image, inside its container.
	holder, dir string
	cgroup      func(process) (string, error)
	poll        time.Duration

	mu       sync.Mutex
	attached map[int]heldImage
}

// heldImage is an image whose files are attached, and the process that holds it.
type heldImage struct {
	pod     string
	root    string
	process process
}

// NewImages attaches the files of a pod's images below a directory, in this process's own mount namespace.
func NewImages(pod func(ctx context.Context) (ImagePod, error), holder, dir string) *Images {
	return &Images{pod: pod, holder: holder, dir: dir, cgroup: cgroupOf, poll: imagePoll, attached: map[int]heldImage{}}
}

// NoHolderError says that no process holds an image.
type NoHolderError struct {
	Number       int
	Pod, Problem string
}

func (e *NoHolderError) Error() string {
	return fmt.Sprintf("container image-%d of pod %s does not hold it: %s", e.Number, e.Pod, e.Problem)
}

// LostImageError says that an image is no longer held: its files may disappear at any time.
type LostImageError struct {
	Number int
	Pod    string
}

func (e *LostImageError) Error() string {
	return fmt.Sprintf("container image-%d of pod %s, which held it, has ended: "+
		"somebody has deleted or evicted the pod, or ended the container", e.Number, e.Pod)
}

// Attach makes the files of the image with the given number appear, read-only, and returns their root. It waits for the
// pod until the context ends. If a container is replaced, the files of the new container appear instead. It needs Linux
// 5.2.
func (i *Images) Attach(ctx context.Context, number int) (root string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if held, ok := i.attached[number]; ok {
		if held.process.lives() {
			return held.root, nil
		}
		if err := i.detach(number); err != nil {
			return "", err
		}
	}
	for {
		err := i.tryAttach(ctx, number)
		var none *NoHolderError
		switch {
		case err == nil:
			return i.attached[number].root, nil
		case !errors.As(err, &none):
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", errors.Join(err, context.Cause(ctx))
		case <-time.After(i.poll):
		}
	}
}

// Check returns an error unless the container whose files are attached still holds the image.
func (i *Images) Check(number int) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if held, ok := i.attached[number]; ok && !held.process.lives() {
		return &LostImageError{Number: number, Pod: held.pod}
	}
	return nil
}

// tryAttach makes one attempt.
func (i *Images) tryAttach(ctx context.Context, number int) error {
	pod, err := i.pod(ctx)
	if err != nil {
		return fmt.Errorf("look for the pod that holds images: %w", err)
	}
	p, err := i.find(pod, number)
	if err != nil {
		return err
	}
	root := filepath.Join(i.dir, strconv.Itoa(number))
	if err := os.MkdirAll(root, 0o755); err != nil {
		return errors.Join(fmt.Errorf("make a place for image %d: %w", number, err), p.Close())
	}
	err = attach(*p, "/", root, readOnly)
	ended := &NoHolderError{number, pod.Name, "it has just ended"}
	switch lives := p.lives(); {
	case err != nil && lives:
		return errors.Join(err, p.Close())
	case err != nil:
		return errors.Join(ended, p.Close())
	case !lives:
		i.attached[number] = heldImage{pod: pod.Name, root: root, process: *p}
		return errors.Join(ended, i.detach(number))
	}
	i.attached[number] = heldImage{pod: pod.Name, root: root, process: *p}
	return nil
}

// detach removes the mount of an image's files.
func (i *Images) detach(number int) error {
	held := i.attached[number]
	if err := unix.Unmount(held.root, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount image %d: %w", number, err)
	}
	delete(i.attached, number)
	_ = held.process.Close() // only read from
	return nil
}

// find returns a process of the container that holds an image. The caller closes it.
func (i *Images) find(pod ImagePod, number int) (*process, error) {
	id := pod.Containers[number]
	switch {
	case pod.UID == "":
		return nil, &NoHolderError{number, pod.Name, "the pod is not there"}
	case id == "" && pod.Problem == "":
		return nil, &NoHolderError{number, pod.Name, "it does not run"}
	case id == "":
		return nil, &NoHolderError{number, pod.Name, pod.Problem}
	}
	p, err := findProcess(func(p process) (bool, error) {
		cgroup, err := i.cgroup(p)
		return err == nil && isOfPod(cgroup, pod.UID) && strings.Contains(cgroup, id) && i.isHolder(p), err
	})
	if err != nil {
		return nil, fmt.Errorf("look for the holders of images: %w", err)
	}
	if p == nil {
		const problem = "no process of it is on this node; does the runner see the host's processes?"
		return nil, &NoHolderError{number, pod.Name, problem}
	}
	return p, nil
}

// isHolder says whether the process runs the holder program. While the runtime still sets the container up, the root of
// its process is the host's, and must not be mistaken for the image's.
func (i *Images) isHolder(p process) bool {
	var want unix.Stat_t
	return unix.Stat(filepath.Join(p.path("root"), i.holder), &want) == nil && p.runs(want)
}
