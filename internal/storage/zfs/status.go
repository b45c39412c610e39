// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// Status is what `zpool status` reports about one pool.
type Status struct {
	// State is ONLINE, DEGRADED, FAULTED, SUSPENDED ...
	State string
	// Active is what OpenZFS currently does with the pool on its own, in its words: a scrub, a resilver, a removal, an
	// expansion; also which devices it trims or initializes.
	Active []string
	// Scan is the last scrub or resilver; zero if there was none.
	Scan Scan
	// Vdevs are all rows of the configuration, the pool's own first; available spares are left out.
	Vdevs []VdevStatus
}

// VdevStatus is a vdev with the errors counted since the pool was created or imported. Name is a path if the device is
// present.
type VdevStatus struct {
	Name, State                             string
	ReadErrors, WriteErrors, ChecksumErrors int64
}

// Status reads the state of an imported pool. A suspended one is a *SuspendedError.
func (c *Client) Status(ctx context.Context, pool string) (Status, error) {
	if err := c.CheckState(pool); err != nil {
		return Status{}, fmt.Errorf("status of pool %s: %w", pool, err)
	}
	out, err := c.run(ctx, "zpool", "status", "-pP", pool)
	if err != nil {
		return Status{}, fmt.Errorf("status of pool %s: %w", pool, err)
	}
	status, err := ParseStatus(strings.NewReader(string(out)))
	if err == nil && status.State == suspended {
		err = &SuspendedError{Pool: pool}
	}
	return status, err
}

// ParseStatus reads `zpool status -p` of one pool. It skips unknown lines: each version of OpenZFS adds some.
func ParseStatus(r io.Reader) (Status, error) {
	var s Status
	inConfig, inSpares := false, false
	for line, err := range lines.All(r) {
		if err != nil {
			return Status{}, fmt.Errorf("read zpool status: %w", err)
		}
		fields := strings.Fields(line)
		switch {
		case !inConfig:
			inConfig = len(fields) >= 5 && fields[0] == "NAME" && fields[1] == "STATE"
			s.readHead(line)
		case len(fields) == 0 || !strings.HasPrefix(line, "\t"):
			inConfig = false // another table, or the end
		case len(fields) == 1:
			inSpares = fields[0] == "spares"
		case !inSpares:
			if err := s.readVdev(line, fields); err != nil {
				return Status{}, err
			}
		}
	}
	if s.State == "" || len(s.Vdevs) == 0 {
		return Status{}, &ParseError{What: "zpool status", Line: "the end before a state and a vdev"}
	}
	return s, nil
}

// readHead reads a line before the configuration.
func (s *Status) readHead(line string) {
	line = strings.TrimSpace(line)
	if state, found := strings.CutPrefix(line, "state:"); found && s.State == "" {
		s.State = strings.TrimSpace(state)
	}
	if text, found := strings.CutPrefix(line, "scan:"); found {
		s.Scan = parseScan(strings.TrimSpace(text))
	}
	if strings.Contains(line, " in progress since ") {
		_, text, found := strings.Cut(line, ": ")
		if !found {
			text = line
		}
		s.Active = append(s.Active, strings.TrimSpace(text))
	}
}

// readVdev reads a row: name, state, three counters, remarks.
func (s *Status) readVdev(line string, fields []string) error {
	if len(fields) < 5 {
		return &ParseError{What: "zpool status", Line: line}
	}
	v := VdevStatus{Name: fields[0], State: fields[1]}
	for i, counter := range []*int64{&v.ReadErrors, &v.WriteErrors, &v.ChecksumErrors} {
		n, err := strconv.ParseUint(fields[2+i], 10, 63)
		if err != nil {
			return &ParseError{What: "zpool status", Line: line}
		}
		*counter = int64(n)
	}
	s.Vdevs = append(s.Vdevs, v)
	for _, activity := range []string{"trimming", "initializing"} {
		if strings.Contains(line, "("+activity+")") {
			s.Active = append(s.Active, activity+" of "+v.Name)
		}
	}
	return nil
}
