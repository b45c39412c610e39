// Package imagearchive writes container images as archives, without a container engine.
package imagearchive

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Write writes an image of this machine's architecture, in docker-archive format, to path.
func Write(path, reference string, config v1.Config, layers ...v1.Layer) error {
	image, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		return fmt.Errorf("make image %s: %w", reference, err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		return fmt.Errorf("make image %s: %w", reference, err)
	}
	file = file.DeepCopy()
	file.Architecture, file.OS, file.Config = runtime.GOARCH, "linux", config
	if image, err = mutate.ConfigFile(image, file); err != nil {
		return fmt.Errorf("make image %s: %w", reference, err)
	}
	tag, err := name.NewTag(reference)
	if err != nil {
		return fmt.Errorf("make image %s: %w", reference, err)
	}
	if err := tarball.WriteToFile(path, tag, image); err != nil {
		return fmt.Errorf("write image %s: %w", reference, err)
	}
	return nil
}

// TreeLayer is a layer made of a tar archive.
func TreeLayer(archive string) (v1.Layer, error) {
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return os.Open(archive) })
}

// FileLayer is a layer of one file.
func FileLayer(path string, mode int64, content []byte) (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: path, Mode: mode, Size: int64(len(content))}); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(archive.Bytes())), nil
	})
}
