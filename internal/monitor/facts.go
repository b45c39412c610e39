// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/result"
)

// Facts are what a number measured on this node depends on, but for the versions of OpenZFS's userland and module, which its tools know. The module has to be
// loaded. What only describes, the CPU's model and the OS's name, may be missing.
func (n Node) Facts() (result.NodeFacts, error) {
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

// line reads a file that holds one line.
func (n Node) line(path string) (string, error) {
	return parseFile(path, func(r io.Reader) (string, error) {
		text, err := io.ReadAll(io.LimitReader(r, 4096))
		return strings.TrimSpace(string(text)), err
	})
}

func parseMemTotal(r io.Reader) (int64, error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.Join(errors.New("no MemTotal in kB"), lines.Err())
}

type cpuInfo struct {
	count int
	model string
}

// parseCPUInfo counts processors; not every architecture names a model.
func parseCPUInfo(r io.Reader) (cpuInfo, error) {
	var info cpuInfo
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch strings.TrimSpace(name) {
		case "processor":
			info.count++
		case "model name":
			info.model = strings.TrimSpace(value)
		}
	}
	if err := lines.Err(); err != nil {
		return cpuInfo{}, err
	}
	if info.count == 0 {
		return cpuInfo{}, errors.New("no processors")
	}
	return info, nil
}

// osName is the host's PRETTY_NAME, or empty.
func (n Node) osName() string {
	for _, path := range []string{n.host("etc", "os-release"), n.host("usr", "lib", "os-release")} {
		if name, err := parseFile(path, parsePrettyName); err == nil {
			return name
		}
	}
	return ""
}

func parsePrettyName(r io.Reader) (string, error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if value, found := strings.CutPrefix(lines.Text(), "PRETTY_NAME="); found {
			return strings.Trim(value, `"'`), nil
		}
	}
	return "", errors.Join(errors.New("no PRETTY_NAME"), lines.Err())
}

// moduleParameters are all parameters of zfs and spl that can be read, as module.parameter.
func (n Node) moduleParameters() (map[string]string, error) {
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
