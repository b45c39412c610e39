// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"regexp"
	"strconv"
	"strings"
)

// Kinds of scans.
const (
	ScanScrub    = "scrub"
	ScanResilver = "resilver"
)

// Scan is a scrub or a resilver, as `zpool status` shows it.
type Scan struct {
	// Text is the line that says how the scan ended, or since when it has been running.
	Text string
	// Kind is ScanScrub or ScanResilver for a scan that has ended normally; empty for others.
	Kind string
	// Bytes is how much a scrub repaired, or a resilver wrote. Its precision is three digits, as printed.
	Bytes int64
	// Errors is the number of errors that could not be repaired.
	Errors int64
}

// The last lines of scans, as print_scan_scrub_resilver_status and print_rebuild_status_impl in cmd/zpool/zpool_main.c
// print them; a rebuild names its vdev.
var (
	scrubbed   = regexp.MustCompile(`^scrub repaired (\S+) in .+ with ([0-9]+) errors on `)
	resilvered = regexp.MustCompile(`^resilvered (?:\([^)]*\) )?(\S+) in .+ with ([0-9]+) errors on `)
)

// parseScan reads the text after "scan:". An unknown text has no kind.
func parseScan(text string) Scan {
	scan := Scan{Text: text}
	for kind, pattern := range map[string]*regexp.Regexp{ScanScrub: scrubbed, ScanResilver: resilvered} {
		found := pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		bytes, known := parseNiceBytes(found[1])
		errors, err := strconv.ParseInt(found[2], 10, 64)
		if known && err == nil {
			scan.Kind, scan.Bytes, scan.Errors = kind, bytes, errors
		}
	}
	return scan
}

// parseNiceBytes reads a number of bytes as zfs_nicebytes prints it: 0B, 512B, 1.50K, 34M. Units are powers of 1024.
func parseNiceBytes(text string) (int64, bool) {
	const units = "BKMGTPE"
	factor := 1.0
	if i := strings.IndexByte(units, text[len(text)-1]); i >= 0 {
		text = text[:len(text)-1]
		for range i {
			factor *= 1 << 10
		}
	}
	number, err := strconv.ParseFloat(text, 64)
	if bytes := number * factor; err == nil && bytes >= 0 && bytes < 1<<62 {
		return int64(bytes), true
	}
	return 0, false
}
