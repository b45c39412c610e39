package cluster

import (
	"context"
	"fmt"
	"os"

	"zfsbench.io/operator/hack/devcluster/internal/debian"
	"zfsbench.io/operator/hack/devcluster/internal/images"
	"zfsbench.io/operator/hack/devcluster/internal/progress"
)

// Images are the product's image archives (docker-archive format) and the names of the images in them.
type Images struct {
	ManagerArchive, ManagerReference string
	RunnerArchive, RunnerReference   string
}

// IozoneVariable is the environment variable that, if it is set, puts iozone into the runner's image, from Debian's
// non-free.
const IozoneVariable = "IOZONE"

// BuildImages builds the product's images from the repository's Dockerfiles and the binaries in its bin
// directory. After the first time only what changed is built.
func BuildImages(ctx context.Context, o Options) (Images, error) {
	b, err := newBuilder(o, progress.New(o.Progress))
	if err != nil {
		return Images{}, fmt.Errorf("build images: %w", err)
	}
	built, err := b.images(ctx)
	if err != nil {
		return Images{}, fmt.Errorf("build images: %w", err)
	}
	return built, nil
}

func (b builder) images(ctx context.Context) (Images, error) {
	if err := checkRoot(); err != nil {
		return Images{}, err
	}
	if err := b.hostTools(ctx, debian.ImageTools()); err != nil {
		return Images{}, err
	}
	mirror, err := debian.Mirror("/", os.Getenv)
	if err != nil {
		return Images{}, err
	}
	log, err := b.log("images.log")
	if err != nil {
		return Images{}, err
	}
	defer log.Close()
	build := images.Builder{Repository: b.options.Repository, Mirror: mirror, Store: b.options.store(), Log: log}
	unlock, err := build.Lock(ctx)
	if err != nil {
		return Images{}, err
	}
	defer unlock()
	err = b.report.Step(ctx, "base image", func(ctx context.Context) error {
		_, err := build.EnsureBase(ctx)
		return err
	})
	if err != nil {
		return Images{}, err
	}
	manager, runner := images.Manager(), images.Runner(os.Getenv(IozoneVariable) != "")
	built := Images{ManagerReference: manager.Reference, RunnerReference: runner.Reference}
	for _, target := range []struct {
		image   images.Image
		archive *string
	}{{manager, &built.ManagerArchive}, {runner, &built.RunnerArchive}} {
		err := b.report.Step(ctx, "image "+target.image.Reference, func(ctx context.Context) (err error) {
			*target.archive, err = build.Build(ctx, target.image)
			return err
		})
		if err != nil {
			return Images{}, err
		}
	}
	return built, nil
}
