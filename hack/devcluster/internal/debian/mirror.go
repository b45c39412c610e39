package debian

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// MirrorVariable names the mirror where the machine's apt configuration cannot tell it.
const MirrorVariable = "ZFSBENCH_DEBIAN_MIRROR"

// ErrNoMirror means that no Debian mirror is known.
var ErrNoMirror = errors.New("no Debian mirror found in the apt configuration; name one in " + MirrorVariable)

// Mirror returns the URI of the Debian mirror to install from: the environment variable's, or the one this
// machine's apt configuration uses for its own release. root is the machine's root directory ("/").
func Mirror(root string, getenv func(string) string) (string, error) {
	if m := getenv(MirrorVariable); m != "" {
		return strings.TrimSuffix(m, "/"), nil
	}
	repos, err := readRepositories(root)
	if err != nil {
		return "", fmt.Errorf("find Debian mirror: %w", err)
	}
	osRelease, err := ReadOSRelease(root)
	if err != nil {
		return "", fmt.Errorf("find Debian mirror: %w", err)
	}
	uri, found := PickMirror(repos, osRelease["VERSION_CODENAME"])
	if !found {
		return "", fmt.Errorf("find Debian mirror: %w", ErrNoMirror)
	}
	return resolveMirrorList(root, uri)
}

// PickMirror returns the first URI that serves Debian's own release. Repositories of others may use the same
// suite names, so one that is signed by Debian's archive keyring, or whose path ends in "debian", goes first
// and nothing else is taken.
func PickMirror(repos []Repository, codename string) (string, bool) {
	suites := []string{codename, "stable", "oldstable", "testing"}
	var byPath string
	for _, repo := range repos {
		if !slices.Contains(repo.Components, "main") || !overlaps(repo.Suites, suites) {
			continue
		}
		for _, uri := range repo.URIs {
			uri = strings.TrimSuffix(uri, "/")
			switch {
			case strings.Contains(repo.SignedBy, "debian-archive"):
				return uri, true
			case byPath == "" && looksLikeDebian(uri):
				byPath = uri
			}
		}
	}
	return byPath, byPath != ""
}

func looksLikeDebian(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && (path.Base(u.Path) == "debian" || strings.HasPrefix(u.Scheme, "mirror+"))
}

func overlaps(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return s != "" && slices.Contains(b, s) })
}

// resolveMirrorList follows mirror+file: URIs, as Debian's cloud images have them, to the first mirror listed.
func resolveMirrorList(root, uri string) (string, error) {
	list, found := strings.CutPrefix(uri, "mirror+file:")
	if !found {
		return uri, nil
	}
	f, err := os.Open(filepath.Join(root, filepath.Clean("/"+list)))
	if err != nil {
		return "", fmt.Errorf("read mirror list: %w", err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		if fields := strings.Fields(scanner.Text()); len(fields) > 0 && !strings.HasPrefix(fields[0], "#") {
			return strings.TrimSuffix(fields[0], "/"), nil
		}
	}
	return "", fmt.Errorf("read mirror list %s: %w", list, errors.Join(ErrNoMirror, scanner.Err()))
}

func readRepositories(root string) ([]Repository, error) {
	etc := filepath.Join(root, "etc/apt")
	var all []Repository
	for _, source := range []struct {
		pattern string
		parse   func(io.Reader) ([]Repository, error)
	}{
		{filepath.Join(etc, "sources.list"), ParseOneLine},
		{filepath.Join(etc, "sources.list.d", "*.list"), ParseOneLine},
		{filepath.Join(etc, "sources.list.d", "*.sources"), ParseDeb822},
	} {
		files, err := filepath.Glob(source.pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			repos, err := parseFile(file, source.parse)
			if err != nil {
				return nil, err
			}
			all = append(all, repos...)
		}
	}
	return all, nil
}

func parseFile(file string, parse func(io.Reader) ([]Repository, error)) ([]Repository, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	repos, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return repos, nil
}
