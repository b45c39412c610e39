package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// archiveLabel is the label of an image in the node's containerd that tells which archive it came from. A later
// import under the same name replaces the image and so drops the label.
const archiveLabel = "zfsbench.io/archive"

// Load imports image archives (docker-archive format) on every node, skipping those that are there already.
// They survive reboots and are never collected.
func (c *Cluster) Load(ctx context.Context, archives ...string) error {
	nodes, err := c.Nodes()
	if err != nil {
		return fmt.Errorf("load images: %w", err)
	}
	for _, archive := range archives {
		for _, n := range nodes {
			err := c.report.Step(ctx, fmt.Sprintf("load %s on %s", filepath.Base(archive), n.name),
				func(ctx context.Context) error {
					return n.load(ctx, archive)
				})
			if err != nil {
				return fmt.Errorf("load %s on %s: %w", archive, n.name, err)
			}
		}
	}
	return nil
}

func (n *Node) load(ctx context.Context, archive string) error {
	references, err := archiveReferences(archive)
	if err != nil {
		return err
	}
	digest, err := fileDigest(archive)
	if err != nil {
		return err
	}
	present, err := n.imagesOf(ctx, digest)
	if err != nil {
		return err
	}
	if containsAll(present, references) {
		return nil
	}
	return n.withTransferDisk(ctx, archive, func(device string) error {
		if _, _, err := n.Run(ctx, ctr("import", device)); err != nil {
			return err
		}
		for _, reference := range references {
			_, _, err := n.Run(ctx, ctr("label", reference, archiveLabel+"="+digest, "io.cri-containerd.pinned=pinned"))
			if err != nil {
				return err
			}
		}
		// A power failure right afterwards must not leave an image without its layers.
		_, _, err := n.Run(ctx, Command{Args: []string{"sync"}})
		return err
	})
}

// imagesOf returns the names of the images on the node that came from the archive with that digest.
func (n *Node) imagesOf(ctx context.Context, digest string) ([]string, error) {
	stdout, _, err := n.Run(ctx, ctr("ls", "-q", fmt.Sprintf("labels.%q==%s", archiveLabel, digest)))
	if err != nil {
		return nil, err
	}
	return strings.Fields(stdout), nil
}

func ctr(args ...string) Command {
	return Command{Args: append([]string{"ctr", "-n", "k8s.io", "images"}, args...)}
}

// archiveReferences returns the names of the archive's images as containerd writes them.
func archiveReferences(path string) ([]string, error) {
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(path) })
	if err != nil {
		return nil, fmt.Errorf("read image archive: %w", err)
	}
	var references []string
	for _, image := range manifest {
		for _, tag := range image.RepoTags {
			reference, err := name.ParseReference(tag)
			if err != nil {
				return nil, fmt.Errorf("read image archive: %w", err)
			}
			references = append(references, strings.Replace(reference.Name(), "index.docker.io/", "docker.io/", 1))
		}
	}
	if len(references) == 0 {
		return nil, fmt.Errorf("read image archive: no image in %s has a name", path)
	}
	return references, nil
}

func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func containsAll(have, want []string) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}
