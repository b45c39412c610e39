// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/lines"
)

// Facts are the conditions that a number measured on this node depends on, except for the versions of OpenZFS's
// userland and module, which its tools report. The module has to be loaded. Fields that only describe, such as the CPU
// model and the OS name, may be empty.
func (n Kernel) Facts() (result.NodeFacts, error) {
	var facts result.NodeFacts
	var errs [6]error
	facts.Kernel, errs[0] = n.line(n.proc("sys", "kernel", "osrelease"))
	facts.BootID, errs[1] = n.line(n.proc("sys", "kernel", "random", "boot_id"))
	facts.MemoryBytes, errs[2] = parseFile(n.proc("meminfo"), parseMemTotal)
	facts.ARCMaxBytes, errs[3] = n.ARCMaxBytes()
	facts.ModuleParameters, errs[4] = n.moduleParameters()
	var cpus cpuInfo
	cpus, errs[5] = parseFile(n.proc("cpuinfo"), parseCPUInfo)
	facts.CPUs, facts.CPUModel = cpus.count, cpus.model
	facts.OS = n.osName()
	return facts, errors.Join(errs[:]...)
}

// maxValueBytes bounds a file that holds one value: sysfs and procfs have at most a page.
const maxValueBytes = 4096

// line reads a file that holds one value.
func (n Kernel) line(path string) (string, error) { return parseFile(path, parseValue) }

// parseValue reads a value; the line feed at its end may be missing, as for some parameters of zfs.
func parseValue(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxValueBytes+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxValueBytes {
		return "", &lines.LimitError{What: "text", LimitBytes: maxValueBytes}
	}
	if !utf8.Valid(text) || bytes.ContainsRune(text, 0) {
		return "", lines.ErrNoText
	}
	return strings.TrimSpace(string(text)), nil
}

// onlyLine reads a text of exactly one line, which may be empty. It returns an error if there are more lines, or if the
// line is too long or has no end.
func onlyLine(r io.Reader) (string, error) {
	var all []string
	for line, err := range lines.All(r) {
		if err != nil {
			return "", err
		}
		if all = append(all, line); len(all) > 1 {
			return "", errors.New("more than one line")
		}
	}
	return strings.Join(all, ""), nil
}

// kibibytesBits bounds the memory of a node to 1 EiB.
const kibibytesBits = 50

func parseMemTotal(r io.Reader) (int64, error) {
	for line, err := range lines.All(r) {
		if err != nil {
			return 0, err
		}
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kib, err := strconv.ParseUint(fields[1], 10, kibibytesBits)
			if err != nil {
				return 0, err
			}
			return int64(kib) << 10, nil
		}
	}
	return 0, errors.New("no MemTotal in kB")
}

type cpuInfo struct {
	count int
	model string
}

// parseCPUInfo counts processors; not every architecture names a model.
func parseCPUInfo(r io.Reader) (cpuInfo, error) {
	var info cpuInfo
	for line, err := range lines.All(r) {
		if err != nil {
			return cpuInfo{}, err
		}
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "processor":
			info.count++
		case "model name":
			info.model = strings.TrimSpace(value)
		}
	}
	if info.count == 0 {
		return cpuInfo{}, errors.New("no processors")
	}
	return info, nil
}

// osName is the host's PRETTY_NAME, or empty.
func (n Kernel) osName() string {
	for _, path := range []string{n.host("etc", "os-release"), n.host("usr", "lib", "os-release")} {
		if name, err := parseFile(path, parsePrettyName); err == nil {
			return name
		}
	}
	return ""
}

func parsePrettyName(r io.Reader) (string, error) {
	for line, err := range lines.All(r) {
		if err != nil {
			return "", err
		}
		if value, found := strings.CutPrefix(line, "PRETTY_NAME="); found {
			return strings.Trim(value, `"'`), nil
		}
	}
	return "", errors.New("no PRETTY_NAME")
}

// moduleParameters are all parameters of zfs and spl that can be read, as module.parameter.
func (n Kernel) moduleParameters() (map[string]string, error) {
	parameters := map[string]string{}
	for _, module := range []string{"zfs", "spl"} {
		dir := n.sys("module", module, "parameters")
		entries, err := os.ReadDir(dir)
		if module == "spl" && errors.Is(err, fs.ErrNotExist) {
			continue // part of zfs from 2.3 on some builds
		}
		if err != nil {
			return nil, fmt.Errorf("monitor: %w", err)
		}
		for _, entry := range entries {
			// Some are write-only.
			if value, err := n.line(filepath.Join(dir, entry.Name())); err == nil {
				parameters[module+"."+entry.Name()] = value
			}
		}
	}
	return parameters, nil
}
