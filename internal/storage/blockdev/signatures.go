// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/text/lines"
)

// The exit codes of `blkid -p`.
const (
	blkidNothing   = 2
	blkidAmbiguous = 8
)

// checkSignatures requires a disk on which blkid, wipefs and lsblk find nothing, and about which lsblk agrees with the
// kernel. blkid looks a second time where a first partition usually starts: if only the partition table was wiped, the
// filesystem there may still be intact.
func (g *Guard) checkSignatures(ctx context.Context, look *hostState, disk *Disk) error {
	var found []string
	whole, err := g.blkid(ctx, disk.Device)
	if err != nil {
		return err
	}
	found = append(found, describe(whole, "")...)
	inside, err := g.blkidInside(ctx, disk, mebibyte, partitionBytes(disk.SizeBytes))
	if err != nil {
		return err
	}
	found = append(found, describe(inside, " at 1 MiB, where a wiped partition may have begun")...)
	wiped, err := g.wipefs(ctx, disk.Device)
	if err != nil {
		return err
	}
	for _, s := range wiped {
		found = append(found, fmt.Sprintf("signature %s at %s (wipefs)", s.Type, s.Offset))
	}
	listed, err := g.lsblk(ctx, disk, look.tree[disk.Number])
	if err != nil {
		return err
	}
	found = append(found, listed...)
	if len(found) > 0 {
		return fmt.Errorf("it is not blank: %s", strings.Join(found, "; "))
	}
	return nil
}

// blkidInside runs blkid on a part of the disk.
func (g *Guard) blkidInside(ctx context.Context, disk *Disk, offset, length int64) (map[string]string, error) {
	return g.blkid(ctx, disk.Device, "-O", strconv.FormatInt(offset, 10), "-S", strconv.FormatInt(length, 10))
}

// blkid returns the tags that blkid finds by reading the device; empty if there are none. Contradicting signatures are
// an error.
func (g *Guard) blkid(ctx context.Context, device string, options ...string) (map[string]string, error) {
	args := append(append([]string{"blkid", "-p", "-o", "export"}, options...), device)
	result, err := g.local.Run(ctx, hostexec.Cmd{Args: args})
	var exit *hostexec.ExitError
	if errors.As(err, &exit) {
		return nil, decideBlkid(exit.Code, result, exit)
	}
	if err != nil {
		return nil, fmt.Errorf("blkid could not look at it: %w", err)
	}
	tags, err := parseExport(bytes.NewReader(result.Stdout))
	if err == nil && len(tags) == 0 {
		err = errors.New("blkid succeeded and said nothing")
	}
	return tags, err
}

// decideBlkid interprets an exit code other than 0. blkid exits with 2 for "nothing found", but also when it cannot
// open the device; the guard's own reads tell these cases apart.
func decideBlkid(code int, result hostexec.Result, exit *hostexec.ExitError) error {
	switch {
	case code == blkidNothing && len(result.Stdout) == 0 && len(result.Stderr) == 0:
		return nil
	case code == blkidAmbiguous:
		return fmt.Errorf("it has several signatures that contradict each other: %w", exit)
	default:
		return fmt.Errorf("blkid could not look at it: %w", exit)
	}
}

// parseExport reads the output of `blkid -o export`.
func parseExport(r io.Reader) (map[string]string, error) {
	tags, err := parseTags(r)
	if err != nil {
		return nil, fmt.Errorf("blkid: %w", err)
	}
	return tags, nil
}

// parseTags reads NAME=VALUE lines.
func parseTags(r io.Reader) (map[string]string, error) {
	tags := map[string]string{}
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, err
		}
		name, value, found := strings.Cut(line, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("unexpected line %q", line)
		}
		tags[name] = value
	}
	return tags, nil
}

// describe names the signatures among blkid's tags.
func describe(tags map[string]string, where string) []string {
	if len(tags) == 0 {
		return nil
	}
	kinds := map[string]string{"TYPE": "signature ", "PTTYPE": "partition table "}
	var found []string
	for _, tag := range []string{"TYPE", "PTTYPE"} {
		if value := tags[tag]; value != "" {
			found = append(found, kinds[tag]+value+where+" (blkid)")
		}
	}
	if len(found) == 0 {
		found = append(found, "something"+where+" that blkid does not name")
	}
	return found
}

// signature is something that says what a device is used for.
type signature struct {
	// Offset is in bytes, in C's notation. UUID and Label are empty where the signature has none.
	Offset, Type, UUID, Label string
}

// notOurs describes a signature in a place where only the benchmark's own are allowed.
func (s signature) notOurs() string {
	return fmt.Sprintf("a signature %s at %s with the UUID %q, which is not the benchmark's", s.Type, s.Offset, s.UUID)
}

// wipefs returns all signatures, including contradicting ones, about which blkid may say nothing. With --no-act, wipefs
// erases nothing.
func (g *Guard) wipefs(ctx context.Context, device string) ([]signature, error) {
	result, err := g.local.Run(ctx, hostexec.Cmd{Args: []string{"wipefs", "--no-act", "--json", device}})
	if err != nil {
		return nil, fmt.Errorf("wipefs could not look at it: %w", err)
	}
	return parseWipefs(bytes.NewReader(result.Stdout))
}

// parseWipefs reads the output of `wipefs --json`. Some versions print nothing for a blank device. A document without a
// list is an error.
func parseWipefs(r io.Reader) ([]signature, error) {
	var listed struct{ Signatures *[]signature }
	err := decodeOne(r, &listed)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil && listed.Signatures == nil {
		err = errors.New("it lists no signatures, not even none")
	}
	if err != nil {
		return nil, fmt.Errorf("wipefs: %w", err)
	}
	return *listed.Signatures, nil
}

// decodeOne reads exactly one JSON document, limited to the size that any command may print. The error is io.EOF if
// there is no document.
func decodeOne(r io.Reader, to any) error {
	bounded := &io.LimitedReader{R: r, N: hostexec.OutputLimitBytes + 1}
	decoder := json.NewDecoder(bounded)
	decoder.UseNumber()
	err := decoder.Decode(to)
	switch {
	case bounded.N <= 0:
		return &lines.LimitError{What: "document", LimitBytes: hostexec.OutputLimitBytes}
	case err != nil:
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the document")
	}
	return nil
}
