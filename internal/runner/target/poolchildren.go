// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"os"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/mounts"
)

// childDataset is the name of a child of the dataset.
func (t *Target) childDataset(name string) string { return t.parent() + "/" + name }

// createChildren makes the filesystems below the dataset. They inherit what they do not set.
func (s poolStorage) createChildren(ctx context.Context, t *Target) error {
	for _, c := range t.Variant.Dataset.Children {
		if err := s.Pools.CreateFilesystem(ctx, t.childDataset(c.Name), TextProperties(c.Properties)); err != nil {
			return failure.Wrap(v1alpha1.ReasonPoolFailed, "create child "+c.Name+" of the filesystem", err)
		}
	}
	return nil
}

// mountChildren mounts each child of the dataset in its own directory, outside the dataset's mount point.
func (s poolStorage) mountChildren(ctx context.Context, t *Target) error {
	for _, c := range t.Variant.Dataset.Children {
		if err := s.mountChild(ctx, t, c.Name); err != nil {
			return failure.Wrap(v1alpha1.ReasonPoolFailed, "mount child "+c.Name+" of the filesystem", err)
		}
	}
	return nil
}

func (s poolStorage) mountChild(ctx context.Context, t *Target, name string) error {
	properties, err := s.Pools.Get(ctx, t.childDataset(name), "atime", "relatime")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Workspace.Child(name), 0o700); err != nil {
		return fmt.Errorf("make a directory for it: %w", err)
	}
	return s.Bounded(ctx, func() error {
		return s.Mounts.Mount(t.childDataset(name), s.Workspace.Child(name),
			mounts.OptionsOf(properties))
	})
}

// unmountAll unmounts the dataset and its children.
func (s poolStorage) unmountAll(ctx context.Context) error {
	dirs, err := s.Workspace.MountPoints()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := s.Bounded(ctx, func() error { return s.Mounts.Unmount(dir) }); err != nil {
			return err
		}
	}
	return nil
}

// deepestFirst are the children of the dataset, and then the dataset: the order in which they can be destroyed.
func (t *Target) deepestFirst() []string {
	var names []string
	for _, c := range t.Variant.Dataset.Children {
		names = append(names, t.childDataset(c.Name))
	}
	return append(names, t.dataset())
}

// Children are the directories of the children of the dataset, by name; none for anything but a pool.
func (h *Host) Children(t *Target) map[string]string {
	var dirs map[string]string
	for _, c := range t.Variant.Dataset.Children {
		if dirs == nil {
			dirs = map[string]string{}
		}
		dirs[c.Name] = h.Workspace.Child(c.Name)
	}
	return dirs
}

// describeChildren adds the children's effective properties to the pool's facts.
func (s poolStorage) describeChildren(ctx context.Context, t *Target, facts *result.PoolFacts) error {
	for _, c := range t.Variant.Dataset.Children {
		properties, err := s.Pools.Get(ctx, t.childDataset(c.Name))
		if err != nil {
			return failure.Wrap(v1alpha1.ReasonPoolFailed, "read the properties of child "+c.Name+" of the filesystem", err)
		}
		facts.Children = append(facts.Children, result.ChildFacts{Name: c.Name, Properties: properties})
	}
	return nil
}
