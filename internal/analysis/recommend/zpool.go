// SPDX-License-Identifier: Apache-2.0

package recommend

import (
	"fmt"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/storage/zfs/layout"
)

// ZpoolCreate is zpool-create.txt: shell commands that make the variant's pool on whole disks. Notes point out files
// and partitions: a real pool should not be on files, and partitions have to be made first.
func ZpoolCreate(s Source) (string, error) {
	paths, notes := map[string]string{}, []string{}
	for _, d := range s.Devices {
		if d.FileSizeBytes > 0 {
			paths[d.Name] = "DISK-" + d.Name
			notes = append(notes, fmt.Sprintf("# %s was a file of %d bytes: name a disk in its place.", paths[d.Name],
				d.FileSizeBytes))
			continue
		}
		paths[d.Name] = d.Path
		for i, part := range d.Partitions {
			paths[part.Name] = fmt.Sprintf("%s-part%d", d.Path, i+1)
			notes = append(notes, fmt.Sprintf("# %s is a partition%s of %s: make it first.", paths[part.Name], size(part),
				d.Path))
		}
	}
	vdevs, err := layout.Vdevs(s.Variant.Pool, paths)
	if err != nil {
		return "", fmt.Errorf("write zpool create: %w", err)
	}
	additions, err := layout.Additions(s.PoolName(), s.Variant.Pool, paths)
	if err != nil {
		return "", fmt.Errorf("write zpool create: %w", err)
	}
	lines := []string{fmt.Sprintf("# The pool of variant %s of benchmark %s/%s. It takes the disks it names for "+
		"itself.", s.Variant.Name, s.Namespace, s.Name)}
	used := strings.Join(vdevs, " ")
	for _, a := range additions {
		used += " " + strings.Join(a.Vdev, " ")
	}
	for _, note := range notes {
		if strings.Contains(used+" ", strings.Fields(note)[1]+" ") {
			lines = append(lines, note)
		}
	}
	lines = append(lines, strings.Join(append(s.createWords(), vdevs...), " "))
	for _, a := range additions {
		lines = append(lines, fmt.Sprintf("zpool add -o ashift=%d %s %s", a.Ashift, a.Pool, strings.Join(a.Vdev, " ")))
	}
	return strings.Join(lines, "\n") + "\n", nil
}

// createWords are the command up to the vdevs. The values need no quoting: the API allows no characters that are
// special to a shell.
func (s Source) createWords() []string {
	words := []string{"zpool", "create", "-m", "none"}
	if ashift := s.Variant.Pool.Ashift; ashift != nil {
		words = append(words, "-o", "ashift="+strconv.Itoa(int(*ashift)))
	}
	for _, name := range sorted(s.Variant.Pool.Properties) {
		words = append(words, "-o", name+"="+string(s.Variant.Pool.Properties[name]))
	}
	inherited, _ := s.inherited()
	for _, property := range inherited {
		words = append(words, "-O", property)
	}
	return append(words, s.PoolName())
}

// size formats the size of a partition; empty if it takes the rest of the disk.
func size(p plan.Partition) string {
	if p.SizeBytes == 0 {
		return ""
	}
	return fmt.Sprintf(" of %d bytes", p.SizeBytes)
}
