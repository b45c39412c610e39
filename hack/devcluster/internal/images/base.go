package images

import (
	"context"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/debian"
	"zfsbench.io/operator/hack/devcluster/internal/imagearchive"
)

// baseName is the base image's name in the cache.
const baseName = "image-base"

// aptClean is what Debian's own container images have too: without it apt's caches, over 100 MiB, stay in the
// layer of whoever installs something. It cannot be in force already while the tree is made.
const aptClean = `APT::Keep-Downloaded-Packages "false";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
`

// EnsureBase returns the reference, in our storage, of a minimal Debian to build on: what debian:trixie-slim is
// where that can be pulled.
func (b Builder) EnsureBase(ctx context.Context) (string, error) {
	recipe := debian.Tree{Variant: "minbase", Components: []string{"main"}, Excludes: debian.DocumentationPaths()}
	key, err := recipe.Key(artefact.NewKey("image-base 2").Strings(aptClean), b.Mirror).Sum()
	if err != nil {
		return "", err
	}
	reference := "localhost/zfsbench/base:" + key
	archive, err := b.Store.Ensure(ctx, baseName, key, func(ctx context.Context, path string) error {
		tree := path + ".tar"
		if err := recipe.Make(ctx, b.Mirror, tree, b.Log); err != nil {
			return err
		}
		return writeBase(tree, path, reference)
	})
	if err != nil {
		return "", err
	}
	if _, err := b.Store.Prune(ctx, baseName, key); err != nil {
		return "", err
	}
	if err := b.buildah(ctx, "inspect", "--type", "image", reference); err == nil || ctx.Err() != nil {
		return reference, ctx.Err()
	}
	return reference, b.buildah(ctx, "pull", "--quiet", "docker-archive:"+archive)
}

func writeBase(tree, path, reference string) error {
	root, err := imagearchive.TreeLayer(tree)
	if err != nil {
		return err
	}
	clean, err := imagearchive.FileLayer("etc/apt/apt.conf.d/99clean", 0o644, []byte(aptClean))
	if err != nil {
		return err
	}
	return imagearchive.Write(path, reference, v1.Config{
		Cmd: []string{"bash"},
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
	}, root, clean)
}
