package debian

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ReadOSRelease returns the fields of root's etc/os-release. Format: os-release(5).
func ReadOSRelease(root string) (map[string]string, error) {
	f, err := os.Open(filepath.Join(root, "etc/os-release"))
	if err != nil {
		return nil, fmt.Errorf("read os-release: %w", err)
	}
	defer f.Close()
	fields := map[string]string{}
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		name, value, found := strings.Cut(scanner.Text(), "=")
		if found && !strings.HasPrefix(name, "#") {
			fields[strings.TrimSpace(name)] = strings.Trim(value, `"'`)
		}
	}
	return fields, scanner.Err()
}
