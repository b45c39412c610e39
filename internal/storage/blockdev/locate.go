// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
)

// DiskState is the state of a disk that was recorded as owned.
type DiskState int

const (
	// Present is a disk that may be the recorded one. Every doubtful case counts as present: Release decides.
	Present DiskState = iota
	// Repurposed is a disk that provably no longer is the recorded one, while nothing of the benchmark is on any disk
	// of the node.
	Repurposed
	// Missing is a disk that the node does not have. What is left on it is unknown.
	Missing
)

// Locate searches for a recorded disk. why describes what it found. It examines the node's other disks only if the
// recorded one is not at its path. If a disk does not answer in a short time, the result stays in doubt. It writes
// nothing.
func (g *Guard) Locate(ctx context.Context, owned result.OwnedDevice) (where DiskState, why string) {
	if c, err := g.find(ctx, owned); err == nil {
		_, err = patiently(c.disk.Device, func() (likeness, error) { return g.compareEnds(c) })
		if !errors.Is(err, ErrNotOurs) {
			return Present, fmt.Sprintf("the disk with its serial number is at %s", owned.Path)
		}
	}
	seen, err := g.observe(ctx, owned)
	if err != nil {
		return Present, err.Error()
	}
	return seen.decide(owned)
}

// observation is what was found about a recorded disk.
type observation struct {
	// device is the device at the path; empty if there is none. serial is that disk's serial number.
	device, serial string
	// isForeign says that the disk with the recorded serial number exists, but holds something that does not belong to
	// the benchmark.
	isForeign bool
	// elsewhere are other disks with the recorded serial number.
	elsewhere []string
	// ours are devices that contain the recorded table, a part of it, or one of its partitions.
	ours []string
}

func (s observation) decide(owned result.OwnedDevice) (where DiskState, why string) {
	switch {
	case len(s.ours) > 0:
		return Present, fmt.Sprintf("its partition table is on %s", strings.Join(s.ours, ", "))
	case len(s.elsewhere) > 0:
		return Present, fmt.Sprintf("the disk with its serial number is now %s", strings.Join(s.elsewhere, ", "))
	case s.device == "":
		return Missing, fmt.Sprintf("no disk of the node has its serial number %s, so nobody can say what is left on it",
			owned.Serial)
	case s.serial != owned.Serial:
		return Repurposed, fmt.Sprintf("%s leads to a disk with the serial number %s now; the recorded disk has %s and is "+
			"not on this node",
			owned.Path, s.serial, owned.Serial)
	case s.isForeign:
		return Repurposed, fmt.Sprintf("%s holds something else now, and nothing of the benchmark", owned.Path)
	}
	return Present, ""
}

// observe examines all disks of the node. Anything that cannot be read is an error.
func (g *Guard) observe(ctx context.Context, owned result.OwnedDevice) (observation, error) {
	all, err := g.node.readTree()
	if err != nil {
		return observation{}, err
	}
	var s observation
	resolved, err := g.node.resolve(owned.Path)
	if err == nil {
		s.device = resolved
	} else if !missing(err) {
		return observation{}, err
	}
	serials, err := g.serials(ctx)
	if err != nil {
		return observation{}, err
	}
	for _, b := range all {
		if b.Disk != "" || len(b.Slaves) > 0 || b.BackingFile != "" {
			continue
		}
		if err := g.observeDisk(&s, b, serials, owned); err != nil {
			return observation{}, fmt.Errorf("/dev/%s: %w", b.Name, err)
		}
	}
	for _, p := range owned.Partitions {
		link := byPartUUID + strings.ToLower(p.GUID)
		if _, err := os.Lstat(g.node.path(link)); err == nil {
			s.ours = append(s.ours, link)
		} else if !missing(err) {
			return observation{}, err
		}
	}
	if s.device != "" && s.serial == "" {
		return observation{}, fmt.Errorf("nobody can say which disk %s is", s.device)
	}
	slices.Sort(s.elsewhere)
	slices.Sort(s.ours)
	return s, nil
}

// serials are the serial numbers of all block devices by kernel name, as lsblk prints them.
func (g *Guard) serials(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	listing := hostexec.Cmd{Args: []string{"lsblk", "--json", "--all", "--nodeps", "--output", "KNAME,SERIAL"}}
	answer, err := patiently("lsblk", func() (hostexec.Result, error) { return g.local.Run(ctx, listing) })
	if err != nil {
		return nil, fmt.Errorf("the serial numbers of the node's disks cannot be read: %w", err)
	}
	return parseSerials(bytes.NewReader(answer.Stdout))
}

// parseSerials reads `lsblk --json` with the columns KNAME and SERIAL; a device without a serial number has an empty
// one.
func parseSerials(r io.Reader) (map[string]string, error) {
	var listed struct {
		Devices []struct {
			Name   string  `json:"kname"`
			Serial *string `json:"serial"`
		} `json:"blockdevices"`
	}
	if err := decodeOne(r, &listed); err != nil {
		return nil, fmt.Errorf("lsblk: %w", err)
	}
	serials := map[string]string{}
	for _, d := range listed.Devices {
		if d.Name == "" {
			return nil, errors.New("lsblk lists a device without a name")
		}
		serials[d.Name] = ""
		if d.Serial != nil {
			serials[d.Name] = strings.TrimSpace(*d.Serial)
		}
	}
	return serials, nil
}

// observeDisk examines one disk.
func (g *Guard) observeDisk(s *observation, b block, serials map[string]string, owned result.OwnedDevice) error {
	device := "/dev/" + b.Name
	serial, listed := serials[b.Name]
	if !listed {
		return errors.New("lsblk does not list it, so its serial number is not known")
	}
	isRecorded := serial == owned.Serial || b.Serial != "" && joinWords(b.Serial) == joinWords(owned.Serial)
	isThere := device == s.device
	switch {
	case isThere && isRecorded:
		s.serial = owned.Serial
	case isThere:
		s.serial = serial
	case isRecorded:
		s.elsewhere = append(s.elsewhere, device)
	}
	if b.SizeBytes != owned.SizeBytes {
		return nil
	}
	found, err := patiently(device, func() (likeness, error) { return g.compareDisk(b, owned) })
	switch {
	case errors.Is(err, ErrNotOurs):
		s.isForeign = s.isForeign || isThere && isRecorded
	case err != nil && found == foreign:
		return err
	case found != blank:
		s.ours = append(s.ours, device)
	}
	return nil
}

// compareDisk compares the ends of a disk with the recorded table.
func (g *Guard) compareDisk(b block, owned result.OwnedDevice) (found likeness, err error) {
	t, err := newTable(&Disk{Want: Want{SizeBytes: b.SizeBytes}, SectorBytes: b.SectorBytes}, owned)
	if err != nil {
		return foreign, err
	}
	opened, err := g.node.Open(g.node.path("/dev", b.Name), shared)
	if err != nil {
		return foreign, fmt.Errorf("it cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	have, err := readEnds(opened, b.SizeBytes)
	if err != nil {
		return foreign, err
	}
	return t.compare(have)
}
