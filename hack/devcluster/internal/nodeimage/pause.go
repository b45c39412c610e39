package nodeimage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/command"
	"zfsbench.io/operator/hack/devcluster/internal/imagearchive"
)

// PauseReference is the image that the node's containerd is configured to use.
const PauseReference = "localhost/zfsbench/pause:1"

// EnsurePause returns an archive of the pause image, whose program is the Go package in source.
func EnsurePause(ctx context.Context, store artefact.Store, source string) (string, error) {
	key, err := artefact.NewKey("pause 1").Strings(runtime.Version(),
		runtime.GOARCH).Files(filepath.Join(source, "main.go")).Sum()
	if err != nil {
		return "", fmt.Errorf("make pause image: %w", err)
	}
	path, err := store.Ensure(ctx, PauseName, key, func(ctx context.Context, path string) error {
		program := path + ".program"
		build := command.Spec{
			Args: []string{"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "main.go"},
			Dir:  source,
			Env:  []string{"CGO_ENABLED=0", "GOFLAGS=-buildvcs=false"},
		}
		if _, err := command.Run(ctx, build); err != nil {
			return err
		}
		return writePauseArchive(program, path)
	})
	if err != nil {
		return "", fmt.Errorf("make pause image: %w", err)
	}
	return path, nil
}

func writePauseArchive(program, path string) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	layer, err := imagearchive.FileLayer("pause", 0o755, binary)
	if err != nil {
		return err
	}
	return imagearchive.Write(path, PauseReference, v1.Config{Entrypoint: []string{"/pause"}}, layer)
}
