package debian

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"zfsbench.io/operator/hack/devcluster/internal/artefact"
	"zfsbench.io/operator/hack/devcluster/internal/command"
)

// Suite is the Debian release all trees are made of: the first with QEMU 10 and OpenZFS 2.3.
const Suite = "trixie"

// Tree is a Debian installation in a directory or, when the target ends in ".tar", in an archive.
type Tree struct {
	Variant    string // mmdebstrap's; "apt" (essential packages and apt) when empty
	Components []string
	Packages   []string
	// Excludes are path patterns dpkg leaves out.
	Excludes []string
}

// Key adds everything that determines the tree's content to k.
func (t Tree) Key(k *artefact.Key, mirror string) *artefact.Key {
	return k.Strings(t.args(mirror, "TARGET")...)
}

// Make makes the tree at target. Its mounts live in a mount namespace that ends with it.
func (t Tree) Make(ctx context.Context, mirror, target string, log io.Writer) error {
	spec := command.Spec{
		Args: t.args(mirror, target),
		// An archive's tree is made here first, and /tmp may be memory.
		Env:           []string{"TMPDIR=" + filepath.Dir(target)},
		PrivateMounts: true,
		Log:           log,
	}
	if _, err := command.Run(ctx, spec); err != nil {
		return fmt.Errorf("make Debian tree: %w", err)
	}
	return nil
}

func (t Tree) args(mirror, target string) []string {
	variant := t.Variant
	if variant == "" {
		variant = "apt"
	}
	args := []string{
		"mmdebstrap", "--mode=root", "--variant=" + variant,
		`--aptopt=APT::Install-Recommends "false"`,
		`--aptopt=Acquire::Retries "3"`,
		"--dpkgopt=force-unsafe-io",
	}
	for _, pattern := range t.Excludes {
		args = append(args, "--dpkgopt=path-exclude="+pattern)
	}
	if len(t.Packages) > 0 {
		args = append(args, "--include="+strings.Join(t.Packages, ","))
	}
	line := strings.Join(append([]string{"deb", mirror, Suite}, t.Components...), " ")
	return append(args, Suite, target, line)
}

// DocumentationPaths are what nobody reads in a tree.
func DocumentationPaths() []string {
	return []string{"/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*",
		"/usr/share/lintian/*"}
}
