// Package images builds the product's container images without a container engine: Debian's packages for the
// base, buildah for the Dockerfiles.
package images

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/command"
)

// Image is one of the product's images.
type Image struct {
	Name       string // also the archive's name in the cache
	Dockerfile string // in the repository's root
	Binary     string // what the Dockerfile copies, relative to the root
	Reference  string
	Arguments  []string // of the Dockerfile, NAME=VALUE
}

// Manager is the image of cmd/manager.
func Manager() Image {
	return Image{Name: "manager", Dockerfile: "Dockerfile", Binary: "bin/manager",
		Reference: "localhost/zfsbench/manager:dev"}
}

// Runner is the image of cmd/runner and of the tools that measure, with iozone, which is not free software, only where
// that is asked for.
func Runner(iozone bool) Image {
	image := Image{Name: "runner", Dockerfile: "Dockerfile.runner", Binary: "bin/runner",
		Reference: "localhost/zfsbench/runner:dev"}
	if iozone {
		image.Arguments = []string{"IOZONE=true"}
	}
	return image
}

// archivePrefix starts the archives' names in the cache.
const archivePrefix = "image-"

// Builder builds images in a storage of its own inside the cache. One builder may use a cache at a time: see Lock.
type Builder struct {
	Repository string
	Mirror     string
	Store      artefact.Store
	Log        io.Writer
}

// Build returns the archive of the image. buildah's layer cache decides what has to be done again; the archive
// is written only when the image changed.
func (b Builder) Build(ctx context.Context, image Image) (string, error) {
	if _, err := os.Stat(filepath.Join(b.Repository, image.Binary)); err != nil {
		return "", fmt.Errorf("build image %s: run make build first: %w", image.Name, err)
	}
	base, err := b.EnsureBase(ctx)
	if err != nil {
		return "", fmt.Errorf("build image %s: %w", image.Name, err)
	}
	id, err := b.build(ctx, image, base)
	if err != nil {
		return "", fmt.Errorf("build image %s: %w", image.Name, err)
	}
	archive, err := b.archive(ctx, image, id)
	if err != nil {
		return "", fmt.Errorf("build image %s: %w", image.Name, err)
	}
	return archive, nil
}

// Lock keeps other builders from using the storage.
func (b Builder) Lock(ctx context.Context) (unlock func(), err error) {
	return artefact.Lock(ctx, filepath.Join(b.Store.Dir, "buildah.lock"), nil)
}

// build runs the Dockerfile and returns the image's ID.
func (b Builder) build(ctx context.Context, image Image, base string) (string, error) {
	idFile := filepath.Join(b.dir(), image.Name+".id")
	args := []string{"bud", "--layers", "--pull=never", "--network=host", "--timestamp=0", "--build-arg", "BASE=" + base}
	for _, argument := range image.Arguments {
		args = append(args, "--build-arg", argument)
	}
	args = append(args, "--iidfile", idFile, "--tag", image.Reference, "--file", image.Dockerfile, ".")
	if err := b.buildah(ctx, args...); err != nil {
		return "", err
	}
	id, err := os.ReadFile(idFile)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(strings.TrimSpace(string(id)), "sha256:"), nil
}

// archive writes the image as a docker-archive unless that is there, and removes the archives of its
// predecessors.
func (b Builder) archive(ctx context.Context, image Image, id string) (string, error) {
	name := archivePrefix + image.Name
	key, err := artefact.NewKey(name).Strings(id, image.Reference).Sum()
	if err != nil {
		return "", err
	}
	path, err := b.Store.Ensure(ctx, name, key, func(ctx context.Context, path string) error {
		return b.buildah(ctx, "push", "--quiet", id, "docker-archive:"+path+":"+image.Reference)
	})
	if err != nil {
		return "", err
	}
	if _, err := b.Store.Prune(ctx, name, key); err != nil {
		return "", err
	}
	// Images without a name and without children: those that this one replaced.
	if err := b.buildah(ctx, "rmi", "--prune"); err != nil {
		return "", err
	}
	return path, nil
}

// buildah runs buildah on our storage. A mount namespace of its own, so that nothing stays mounted when it is
// interrupted; chroot isolation, because this machine may be a container itself.
func (b Builder) buildah(ctx context.Context, args ...string) error {
	for _, dir := range []string{"root", "run", "tmp"} {
		if err := os.MkdirAll(filepath.Join(b.dir(), dir), 0o700); err != nil {
			return err
		}
	}
	driver, err := b.driver(ctx)
	if err != nil {
		return err
	}
	_, err = command.Run(ctx, command.Spec{
		Args:          append(b.storageArgs(driver), args...),
		Dir:           b.Repository,
		Env:           []string{"BUILDAH_ISOLATION=chroot", "TMPDIR=" + filepath.Join(b.dir(), "tmp")},
		Log:           b.Log,
		PrivateMounts: true,
	})
	return err
}

func (b Builder) storageArgs(driver string) []string {
	return []string{
		"buildah", "--root", filepath.Join(b.dir(), "root"), "--runroot", filepath.Join(b.dir(), "run"),
		"--storage-driver", driver,
	}
}

// driver returns the storage driver to use. Overlay mounts are quick but do not work everywhere, for instance
// not on top of another overlay. The choice is written down: a storage has one driver for good.
func (b Builder) driver(ctx context.Context) (string, error) {
	file := filepath.Join(b.dir(), "driver")
	if content, err := os.ReadFile(file); err == nil {
		return string(content), nil
	}
	driver := "overlay"
	_, err := command.Run(ctx, command.Spec{Args: append(b.storageArgs(driver), "info"), Log: b.Log, PrivateMounts: true})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		driver = "vfs"
		if err := os.RemoveAll(filepath.Join(b.dir(), "root")); err != nil {
			return "", err
		}
	}
	return driver, os.WriteFile(file, []byte(driver), 0o644)
}

func (b Builder) dir() string { return filepath.Join(b.Store.Dir, "buildah") }
