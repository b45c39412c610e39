// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	kjson "sigs.k8s.io/json"

	"zfsbench.io/operator/internal/spec/matrix"
)

// maxBytes limits an encoded plan: a ConfigMap holds 1 MiB, its metadata included.
const maxBytes = 900 << 10

// ErrTooLarge says that an encoded plan has more than 900 KiB.
var ErrTooLarge = errors.New("the plan is larger than 900 KiB")

// tooLarge says how much of a plan that is too large would fit.
func tooLarge(p Plan, size int) error {
	beside := p
	beside.Trials = nil
	rest := len(Encode(beside))
	if rest >= maxBytes {
		return fmt.Errorf("%w: its %s variants alone take %d KiB: use fewer, or let the axes of the matrix set less",
			ErrTooLarge, matrix.Grouped(len(p.Variants)), rest>>10)
	}
	fit := (maxBytes - rest) * len(p.Trials) / (size - rest)
	return fmt.Errorf("%w: it has %d KiB, of which its %s trials take %d KiB, and about %s trials would fit: "+
		"use fewer repetitions or variants, or shorter names for the values of axes",
		ErrTooLarge, size>>10, matrix.Grouped(len(p.Trials)), (size-rest)>>10, matrix.Grouped(fit))
}

// Encode renders a plan as canonical JSON: one line, fields in the order of the types, map keys sorted. Fields that are
// added to the types later must be left out when they are unset, or the plans that exist lose their digests.
func Encode(p Plan) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	// Encoding fails only for types that a plan does not contain: channels, functions, floats that are no numbers.
	if err := encoder.Encode(p); err != nil {
		panic(fmt.Sprintf("encode plan: %v", err))
	}
	return buffer.Bytes()
}

// Digest identifies a plan: "sha256:" and the hexadecimal digest of Encode(p).
func Digest(p Plan) string {
	sum := sha256.Sum256(Encode(p))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Decode reads one plan, strictly: a field that is unknown, there twice or in another case, another version, anything
// after the plan, or contents that no Build makes are errors; more than 900 KiB is ErrTooLarge.
func Decode(r io.Reader) (Plan, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return Plan{}, fmt.Errorf("read plan: %w", err)
	}
	if len(text) > maxBytes {
		return Plan{}, fmt.Errorf("read plan: %w", ErrTooLarge)
	}
	var p Plan
	strict, err := kjson.UnmarshalStrict(text, &p)
	if err := errors.Join(append(strict, err)...); err != nil {
		return Plan{}, fmt.Errorf("decode plan: %w", err)
	}
	if err := check(p); err != nil {
		return Plan{}, fmt.Errorf("check plan: %w", err)
	}
	return p, nil
}
