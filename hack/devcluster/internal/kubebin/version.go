package kubebin

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/modfile"
)

// Version is a Kubernetes release.
type Version struct {
	Major, Minor, Patch int
}

func (v Version) String() string { return fmt.Sprintf("v%d.%d.%d", v.Major, v.Minor, v.Patch) }

// ReadVersion returns the version of k8s.io/kubernetes that a go.mod requires. The module file is the one
// place where the version is stated; another version is another module directory.
func ReadVersion(goMod string) (Version, error) {
	content, err := os.ReadFile(goMod)
	if err != nil {
		return Version{}, fmt.Errorf("read Kubernetes version: %w", err)
	}
	file, err := modfile.Parse(goMod, content, nil)
	if err != nil {
		return Version{}, fmt.Errorf("read Kubernetes version: %w", err)
	}
	for _, require := range file.Require {
		if require.Mod.Path == "k8s.io/kubernetes" {
			return ParseVersion(require.Mod.Version)
		}
	}
	return Version{}, fmt.Errorf("read Kubernetes version: %s does not require k8s.io/kubernetes", goMod)
}

// ParseVersion reads a version such as v1.36.3.
func ParseVersion(s string) (Version, error) {
	var v Version
	release, _, _ := strings.Cut(s, "-")
	if _, err := fmt.Sscanf(release, "v%d.%d.%d", &v.Major, &v.Minor, &v.Patch); err != nil {
		return Version{}, fmt.Errorf("parse Kubernetes version %q: %w", s, err)
	}
	return v, nil
}
