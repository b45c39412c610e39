// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/text/lines"
)

// FindArrays returns the version of mdadm. A *LackError names what the node lacks for md arrays of some levels: the
// tool, or kernel support for a level, built in or as a module. It changes nothing; the kernel loads the module when an
// array is made.
func (n Host) FindArrays(ctx context.Context, levels []mdraid.Level) (version string, err error) {
	version, err = n.version(ctx, mdraid.VersionArgv())
	known, errStat := n.personalities()
	if errStat != nil {
		return version, errors.Join(err, errStat)
	}
	for _, level := range levels {
		if !known[level.Personality] {
			err = errors.Join(err, n.hasModule(ctx, level.Module, "md "+string(level.Name)))
		}
	}
	return version, err
}

// personalities are the levels of md arrays that the kernel knows now; none before its md driver is loaded.
func (n Host) personalities() (map[string]bool, error) {
	const doing = "read the kernel's levels of md arrays"
	file, err := os.Open(n.path("mdstat"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wrap(doing, err)
	}
	known, err := parsePersonalities(file)
	return known, wrap(doing, errors.Join(err, file.Close()))
}

// parsePersonalities reads the first line of /proc/mdstat, like "Personalities : [raid1] [raid6] [raid5] [raid4] ".
func parsePersonalities(r io.Reader) (map[string]bool, error) {
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, err
		}
		list, found := strings.CutPrefix(line, "Personalities :")
		if !found {
			return nil, fmt.Errorf("unexpected line %q", line)
		}
		known := map[string]bool{}
		for _, word := range strings.Fields(list) {
			name, opened := strings.CutPrefix(word, "[")
			name, closed := strings.CutSuffix(name, "]")
			if !opened || !closed || name == "" || strings.ContainsAny(name, "[]") {
				return nil, fmt.Errorf("unexpected word %q", word)
			}
			known[name] = true
		}
		return known, nil
	}
	return nil, errors.New("it is empty")
}

// DiscardParameter is the kernel module parameter that decides whether arrays with parity pass discards on to their
// devices, for arrays started after it is set. Parity needs discarded blocks to read as zeros, which the module cannot
// check.
const DiscardParameter = "raid456.devices_handle_discard_safely"

// ParityDiscards returns the value of that parameter, Y or N; empty if the module is not loaded.
func (n Host) ParityDiscards() (string, error) {
	module, name, _ := strings.Cut(DiscardParameter, ".")
	read := arrayFiles{dir: filepath.Join(n.sys, "module", module, "parameters")}
	value := read.optional(name, "")
	return value, wrap("read the kernel's parameter "+DiscardParameter, read.err)
}

// Array is the state of an md array, according to the kernel.
type Array struct {
	// Level is raid0, raid1, ...; Disks is the number of its devices; Degraded is how many of them are missing or not
	// in sync yet.
	Level           string
	Disks, Degraded int
	// ChunkBytes is 0 if nothing is striped. Layout is the kernel's number for the layout.
	ChunkBytes int64
	Layout     int
	// Bitmap is none, internal or file.
	Bitmap string
	// Action is what the kernel does with the array on its own, for example resync, recover or check; idle means
	// nothing.
	Action string
	// Percent is the progress of that action.
	Percent int
	// Unsynced says that the array was never in sync as a whole.
	Unsynced bool
	// LastAction is what the kernel did last. MismatchBytes is how much differed at the last check or sync; the kernel
	// compares in pieces of at least a page.
	LastAction    string
	MismatchBytes int64
	// DeviceBytes is how much of each device holds data and redundancy.
	DeviceBytes int64
	// LeastSyncBytesPerSecond is the rate per device that a sync, recovery or check gets even while others use the
	// array. MostSyncBytesPerSecond is the highest rate that it may use.
	LeastSyncBytesPerSecond, MostSyncBytesPerSecond int64
}

// InSync says whether all devices are present and in sync, and no sync, recovery or check is running.
func (a Array) InSync() bool { return a.IsIdle() && a.Degraded == 0 }

// IsIdle says whether all devices that are present are in sync, and no sync, recovery or check is running.
func (a Array) IsIdle() bool { return a.Action == idle && !a.Unsynced }

const idle = "idle"

// ArrayState reads the state of an array by its block device, for example /dev/md127. An array without redundancy has
// no sysfs files about syncing.
func (n Host) ArrayState(device string) (Array, error) {
	read := arrayFiles{dir: filepath.Join(n.sys, "block", filepath.Base(device), "md")}
	a := Array{
		Level: read.text("level"), Disks: int(read.number("raid_disks")), ChunkBytes: read.number("chunk_size"),
		Layout: int(read.number("layout")),
		Bitmap: bitmapAt(read.optional("bitmap/location", "none")),
		Action: read.optional("sync_action", idle),
	}
	degraded, errDegraded := strconv.Atoi(read.optional("degraded", "0"))
	a.Degraded = degraded
	if read.optional("sync_action", "") != "" {
		a.Unsynced = read.text("resync_start") != "none"
		a.LastAction, a.MismatchBytes = read.text("last_sync_action"), sectorBytes*read.number("mismatch_cnt")
		a.LeastSyncBytesPerSecond, a.MostSyncBytesPerSecond = read.kibibytes("sync_speed_min"),
			read.kibibytes("sync_speed_max")
	}
	a.DeviceBytes = read.kibibytes("component_size")
	var errPercent error
	a.Percent, errPercent = percentOf(read.optional("sync_completed", "none"))
	return a, wrap("read the state of md array "+device, errors.Join(read.err, errDegraded, errPercent))
}

// sectorBytes is the unit in which the kernel counts sectors, whatever the sectors of the disks are.
const sectorBytes = 512

// MemberState is the kernel's state of an array's device, both given as block devices: words like in_sync, spare,
// faulty, want_replacement. Empty for a device that is not in the array.
func (n Host) MemberState(array, device string) ([]string, error) {
	read := arrayFiles{dir: filepath.Join(n.sys, "block", filepath.Base(array), "md", "dev-"+filepath.Base(device))}
	words := strings.FieldsFunc(read.optional("state", ""), func(r rune) bool { return r == ',' })
	return words, wrap("read the state of "+device+" in md array "+array, read.err)
}

// bitmapAt translates the location of a bitmap: an offset in sectors from the metadata, like "+8", means internal.
func bitmapAt(location string) string {
	switch {
	case strings.HasPrefix(location, "+"), strings.HasPrefix(location, "-"):
		return "internal"
	default:
		return location
	}
}

// percentOf reads "SECTORS / SECTORS", or a word if nothing is in progress.
func percentOf(completed string) (int, error) {
	if slices.Contains([]string{"none", "delayed"}, completed) {
		return 0, nil
	}
	done, all, found := strings.Cut(completed, " / ")
	// For a moment the kernel may report more than the total.
	d, errDone := strconv.ParseUint(done, 10, 64)
	a, errAll := strconv.ParseUint(all, 10, 64)
	if !found || errDone != nil || errAll != nil || a == 0 {
		return 0, fmt.Errorf("sync_completed is %q", completed)
	}
	return int(float64(min(d, a)) / float64(a) * 100), nil
}

// arrayFiles reads files of one sysfs directory, and keeps the first error.
type arrayFiles struct {
	dir string
	err error
}

// text is a file with one line.
func (f *arrayFiles) text(name string) string {
	content, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil && f.err == nil {
		f.err = err
	}
	return strings.TrimSpace(string(content))
}

// optional is a file with one line; otherwise is its value if the file does not exist.
func (f *arrayFiles) optional(name, otherwise string) string {
	content, err := os.ReadFile(filepath.Join(f.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return otherwise
	}
	if err != nil && f.err == nil {
		f.err = err
	}
	return strings.TrimSpace(string(content))
}

func (f *arrayFiles) number(name string) int64 {
	n, err := strconv.ParseInt(f.text(name), 10, 50)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", name, err)
	}
	return n
}

// kibibytes is a file with a number of KiB, in bytes. The kernel may append where a limit comes from, as in "1000
// (system)".
func (f *arrayFiles) kibibytes(name string) int64 {
	number, _, _ := strings.Cut(f.text(name), " ")
	n, err := strconv.ParseInt(number, 10, 50)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", name, err)
	}
	return n << 10
}
