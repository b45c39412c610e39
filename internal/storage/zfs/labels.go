// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/text/lines"
)

// The exit codes of `zdb -l`: a label was damaged; no label was found.
const (
	zdbDamaged = 1
	zdbNone    = 2
)

// labelsPerDevice is how many copies of the label a device has.
const labelsPerDevice = 4

// Label is the content of one label of a device. A device's labels differ only while its pool is being changed, or
// after a crash.
type Label struct {
	// Pool, PoolGUID and Comment are the pool's.
	Pool, PoolGUID, Comment string
	// State is OpenZFS's number: 0 active, 1 exported, 2 destroyed, 3 spare, 4 cache.
	State int
	// Children is the number of top-level vdevs of the pool.
	Children int
	// TopID is the position of the top-level vdev that contains the device, -1 if none does; Ashift is that vdev's
	// actual ashift.
	TopID, Ashift int
	// Paths are the paths of all devices of the top-level vdev.
	Paths []string
}

// Labels returns the distinct labels of a device, or none if it has no labels. If they cannot be read, the error is a
// *LabelError.
func (c *Client) Labels(ctx context.Context, device string) ([]Label, error) {
	if !filepath.IsAbs(device) {
		return nil, fmt.Errorf("read labels: %w", &NameError{Name: device, Kind: "device"})
	}
	out, err := c.run(ctx, "zdb", "-l", device)
	var exit *hostexec.ExitError
	if err != nil && (!errors.As(err, &exit) || (exit.Code != zdbDamaged && exit.Code != zdbNone)) {
		return nil, fmt.Errorf("read labels of %s: %w", device, err)
	}
	labels, failed, parseErr := ParseLabels(strings.NewReader(string(out)))
	if parseErr != nil {
		return nil, fmt.Errorf("read labels of %s: %w", device, parseErr)
	}
	// zdb also exits with 1 if it cannot open the device, and with 2 if it cannot read it. A device has no labels only
	// if zdb could read all four and unpack none.
	if len(labels) == 0 && (exit == nil || exit.Code != zdbNone || failed != labelsPerDevice) {
		return nil, fmt.Errorf("read labels of %s: %w", device, &LabelError{Device: device, Output: string(out)})
	}
	return labels, nil
}

// ParseLabels reads the output of `zdb -l`: the distinct labels, and how many could not be unpacked.
func ParseLabels(r io.Reader) (labels []Label, failed int, err error) {
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, 0, fmt.Errorf("read zdb -l: %w", err)
		}
		switch {
		case strings.HasPrefix(line, "LABEL ") && len(labels) == labelsPerDevice:
			return nil, 0, &ParseError{What: "zdb -l", Line: line}
		case strings.HasPrefix(line, "LABEL "):
			labels = append(labels, Label{TopID: -1})
		case strings.HasPrefix(line, "failed to unpack label "):
			failed++
		case strings.HasPrefix(line, "    ") && len(labels) > 0:
			if err := labels[len(labels)-1].read(line); err != nil {
				return nil, 0, err
			}
		}
	}
	return labels, failed, nil
}

// smallNumber reads a state, an ashift or a number of vdevs, none of which has more than 16 bits.
func smallNumber(text string) (int, error) {
	number, err := strconv.ParseUint(text, 10, 16)
	return int(number), err
}

// read parses a line: the pool's own values are indented by four spaces, the top-level vdev's by eight.
func (l *Label) read(line string) error {
	key, value, found := strings.Cut(strings.TrimLeft(line, " "), ": ")
	if !found {
		return nil
	}
	depth := len(line) - len(strings.TrimLeft(line, " "))
	text := strings.TrimSuffix(strings.TrimPrefix(value, "'"), "'")
	var err error
	switch {
	case depth == 4 && key == "name":
		l.Pool = text
	case depth == 4 && key == "pool_guid":
		l.PoolGUID = value
	case depth == 4 && key == "comment":
		l.Comment = text
	case depth == 4 && key == "state":
		l.State, err = smallNumber(value)
	case depth == 4 && key == "vdev_children":
		l.Children, err = smallNumber(value)
	case depth == 8 && key == "id":
		l.TopID, err = smallNumber(value)
	case depth == 8 && key == "ashift":
		l.Ashift, err = smallNumber(value)
	case depth >= 8 && key == "path":
		l.Paths = append(l.Paths, text)
	}
	if err != nil {
		return &ParseError{What: "zdb -l", Line: line}
	}
	return nil
}
