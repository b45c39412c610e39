package debian

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

// Tool is a program or file the host must have and the Debian package that brings it.
type Tool struct {
	Program string // looked up in PATH; an absolute path is a pattern of files
	Package string
}

// ClusterTools are what bringing up a cluster needs.
func ClusterTools() []Tool {
	return []Tool{
		{"mmdebstrap", "mmdebstrap"},
		{"mke2fs", "e2fsprogs"},
		{"ip", "iproute2"},
		{"tar", "tar"},
		{"/usr/share/keyrings/debian-archive-keyring.gpg", "debian-archive-keyring"},
	}
}

// ImageTools are what building the product's images needs.
func ImageTools() []Tool {
	return append(ClusterTools(), Tool{"buildah", "buildah"})
}

// TestTools are the measuring tools that unit tests run.
func TestTools() []Tool {
	return []Tool{
		{"fio", "fio"}, {"dbench", "dbench"}, {"fs_mark", "fsmark"}, {"rsync", "rsync"},
		{"/usr/lib/postgresql/*/bin/pgbench", "postgresql"},
	}
}

// Missing returns the tools the host lacks.
func Missing(tools []Tool) []Tool {
	var missing []Tool
	for _, t := range tools {
		if !present(t.Program) {
			missing = append(missing, t)
		}
	}
	return missing
}

func present(program string) bool {
	if filepath.IsAbs(program) {
		found, err := filepath.Glob(program)
		return err == nil && len(found) > 0
	}
	_, err := os.Stat(command.LookPath(program))
	return err == nil
}

// Packages are the names of the Debian packages that bring the tools, for a command line.
func Packages(tools []Tool) string {
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		names = append(names, t.Package)
	}
	return strings.Join(names, " ")
}

// Install installs missing tools with apt-get. On a host that is not Debian it says what is missing. lockDir
// keeps two of our processes from running apt-get at once.
func Install(ctx context.Context, missing []Tool, lockDir string, log io.Writer) error {
	if len(missing) == 0 {
		return nil
	}
	release, err := ReadOSRelease("/")
	if err != nil {
		return fmt.Errorf("install host tools: %w", err)
	}
	if release["ID"] != "debian" {
		return fmt.Errorf("install host tools: this is %q, not Debian: install what Debian calls %s by hand",
			release["PRETTY_NAME"], Packages(missing))
	}
	unlock, err := artefact.Lock(ctx, filepath.Join(lockDir, "apt.lock"), nil)
	if err != nil {
		return fmt.Errorf("install host tools: %w", err)
	}
	defer unlock()
	env := []string{"DEBIAN_FRONTEND=noninteractive"}
	install := append([]string{"apt-get", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"},
		strings.Fields(Packages(missing))...)
	for _, args := range [][]string{{"apt-get", "update", "-o", "DPkg::Lock::Timeout=300"}, install} {
		if _, err := command.Run(ctx, command.Spec{Args: args, Env: env, Log: log}); err != nil {
			return fmt.Errorf("install host tools: %w", err)
		}
	}
	return nil
}
