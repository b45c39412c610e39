// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// The limits of the documents.
const (
	// MaxSampleBytes is how much of a compressed trial each of its samples may take, and so much again what is not a
	// sample.
	MaxSampleBytes = 4 << 10
	// MaxTrialBytes bounds a trial after decompression, whatever it holds; one of few samples may take less, see
	// plainLimit.
	MaxTrialBytes = 1 << 20
	// MaxDocumentBytes bounds progress and ownership.
	MaxDocumentBytes = 128 << 10
)

const maxSamples = 64

// plainSampleBytes is how much of a decompressed trial each of its samples may take, and so much again what is not a
// sample: histograms in full and every text at its longest fit. Without it, a manager that reads thousands of trials
// would need a MiB for each.
const plainSampleBytes = 64 << 10

// compressedLimit and plainLimit bound a trial of so many samples, in bytes.
func compressedLimit(samples int) int { return MaxSampleBytes * (samples + 1) }

func plainLimit(samples int) int { return min(MaxTrialBytes, plainSampleBytes*(samples+1)) }

// TrialKey is the key of a trial in the binary data of its results ConfigMap.
func TrialKey(index int) string { return fmt.Sprintf("trial-%05d.json.gz", index) }

// EncodeTrial writes a trial as compressed JSON of at most 4 KiB per sample and 4 KiB for the rest. What does not fit
// loses resolution first: all histograms are coarsened bit by bit, with vdevs left out before they are below 4 bits,
// then left out, then the tails of failing tools' outputs go, then what excluded attempts had measured, then the
// properties beside each sample, then the monitors. Overlong texts are cut, control characters replaced, times become
// UTC. The trial itself is not changed. Errors: *InvalidError for a trial that DecodeTrial would refuse, *SizeError.
func EncodeTrial(trial Trial) ([]byte, error) {
	return EncodeTrialWithin(trial, compressedLimit(len(trial.Samples)))
}

// EncodeTrialWithin is EncodeTrial with a limit in bytes, if that is less.
func EncodeTrialWithin(trial Trial, limit int) ([]byte, error) {
	var fit Trial
	if err := repaired("trial", trial, &fit); err != nil {
		return nil, err
	}
	if err := checkTrial(fit); err != nil {
		return nil, err
	}
	limit = min(limit, compressedLimit(len(fit.Samples)))
	for resolution := MaxHistogramBits; ; resolution-- {
		coarsen(&fit, resolution)
		data, fits, err := compress(fit)
		if err != nil {
			return nil, err
		}
		if fits && len(data) <= limit {
			return data, nil
		}
		if resolution == withoutMonitors {
			return nil, &SizeError{Document: "trial", LimitBytes: limit}
		}
	}
}

// minBitsBesideVdevs is the resolution of histograms, of 3% of a latency, that the vdevs may cost.
const minBitsBesideVdevs = 4

// The steps of making a trial smaller after its histograms' lowest resolution, 0.
const (
	withoutHistograms = -1
	withoutTails      = -2
	withoutBandwidths = -3
	withoutProperties = -4
	withoutMonitors   = -5
)

// coarsen makes a trial smaller, in place.
func coarsen(trial *Trial, resolution int) {
	for i, s := range trial.Samples {
		if resolution < minBitsBesideVdevs {
			trial.Samples[i].Vdevs, trial.Samples[i].OmittedVdevs = nil, 0
		}
		if resolution <= withoutProperties {
			trial.Samples[i].Pool.DropProperties()
		}
		if resolution <= withoutMonitors {
			trial.Samples[i].Monitors = nil
		}
		for _, o := range s.Operations() {
			if resolution <= withoutHistograms {
				o.Latency.Histogram = Histogram{}
			} else {
				o.Latency.Histogram = o.Latency.Histogram.Coarsen(resolution)
			}
		}
	}
	if resolution <= withoutTails && trial.Failure != nil {
		trial.Failure.Tail = ""
	}
	for i := range trial.Excluded {
		if resolution <= withoutTails {
			trial.Excluded[i].Failure.Tail = ""
		}
		if resolution <= withoutBandwidths {
			trial.Excluded[i].Bandwidths = nil
		}
	}
}

// shape is decoded before a trial is, because a list of very many empty samples would take a thousand times its own
// size. It sees the lists as often as the document repeats them.
type shape struct {
	Samples  fewSamples  `json:"samples"`
	Excluded fewAttempts `json:"excluded"`
}

type (
	fewSamples  struct{}
	fewAttempts struct{}
)

func (*fewSamples) UnmarshalJSON(data []byte) error { return atMost(maxSamples, "samples", data) }

func (*fewAttempts) UnmarshalJSON(data []byte) error {
	return atMost(MaxExcluded, "excluded attempts", data)
}

func atMost(limit int, what string, data []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	if len(list) > limit {
		return fmt.Errorf("more than %d %s", limit, what)
	}
	return nil
}

// DecodeTrial reads what EncodeTrial writes for a trial of at most so many samples, from a source that is not trusted:
// decompression is bounded, and anything impossible is refused. Errors: *SizeError, *FormatError, *InvalidError.
// Unknown fields are ignored.
func DecodeTrial(data []byte, samples int) (Trial, error) {
	samples = min(max(samples, 0), maxSamples)
	if limit := compressedLimit(samples); len(data) > limit {
		return Trial{}, &SizeError{Document: "trial", LimitBytes: limit}
	}
	plain, err := decompress(data, plainLimit(samples))
	if err != nil {
		return Trial{}, err
	}
	if err := decode("trial", plain, len(plain), &shape{}); err != nil {
		return Trial{}, err
	}
	var trial Trial
	if err := decode("trial", plain, len(plain), &trial); err != nil {
		return Trial{}, err
	}
	if err := checkTrial(trial); err != nil {
		return Trial{}, err
	}
	return trial, nil
}

// EncodeProgress writes progress as JSON, texts cut and times in UTC. Errors: *InvalidError, *SizeError.
func EncodeProgress(progress Progress) ([]byte, error) {
	var fit Progress
	if err := repaired("progress", progress, &fit); err != nil {
		return nil, err
	}
	if err := checkProgress(fit); err != nil {
		return nil, err
	}
	return encode("progress", fit)
}

// DecodeProgress reads what EncodeProgress writes, from a source that is not trusted. Errors: *SizeError, *FormatError,
// *InvalidError.
func DecodeProgress(data []byte) (Progress, error) {
	var progress Progress
	if err := decode("progress", data, MaxDocumentBytes, &progress); err != nil {
		return Progress{}, err
	}
	if err := checkProgress(progress); err != nil {
		return Progress{}, err
	}
	return progress, nil
}

// EncodeOwnership writes ownership as JSON. Nothing in it is cut or cleaned: what does not fit is an error, for a
// changed name would own something else. Errors: *InvalidError, *SizeError.
func EncodeOwnership(ownership Ownership) ([]byte, error) {
	if err := checkOwnership(ownership); err != nil {
		return nil, err
	}
	return encode("ownership", ownership)
}

// DecodeOwnership reads what EncodeOwnership writes, from a source that is not trusted. Errors: *SizeError,
// *FormatError, *InvalidError.
func DecodeOwnership(data []byte) (Ownership, error) {
	var ownership Ownership
	if err := decode("ownership", data, MaxDocumentBytes, &ownership); err != nil {
		return Ownership{}, err
	}
	if err := checkOwnership(ownership); err != nil {
		return Ownership{}, err
	}
	return ownership, nil
}

// repaired copies a document and makes its texts and times fit.
func repaired[T any](document string, from T, to *T) error {
	data, err := json.Marshal(from)
	if err != nil {
		return &InvalidError{Document: document, Problem: err.Error()}
	}
	if err := json.Unmarshal(data, to); err != nil {
		return &InvalidError{Document: document, Problem: err.Error()}
	}
	if err := (walker{repair: true}).walk("", reflect.ValueOf(to), bound{}); err != nil {
		return &InvalidError{Document: document, Problem: err.Error()}
	}
	return nil
}

func encode(document string, v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, &InvalidError{Document: document, Problem: err.Error()}
	}
	if len(data) > MaxDocumentBytes {
		return nil, &SizeError{Document: document, LimitBytes: MaxDocumentBytes}
	}
	return data, nil
}

func decode(document string, data []byte, limit int, to any) error {
	if len(data) > limit {
		return &SizeError{Document: document, LimitBytes: limit}
	}
	if err := json.Unmarshal(data, to); err != nil {
		return &FormatError{Document: document, Err: err}
	}
	return nil
}

// compress says also whether the trial before compression is within what DecodeTrial reads for that many samples.
func compress(trial Trial) (data []byte, fits bool, err error) {
	plain, err := json.Marshal(trial)
	if err != nil {
		return nil, false, &InvalidError{Document: "trial", Problem: err.Error()}
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, false, fmt.Errorf("compress trial: %w", err)
	}
	if _, err := w.Write(plain); err != nil {
		return nil, false, fmt.Errorf("compress trial: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, false, fmt.Errorf("compress trial: %w", err)
	}
	return out.Bytes(), len(plain) <= plainLimit(len(trial.Samples)), nil
}

// decompress reads one gzip member and nothing after it, up to a limit.
func decompress(data []byte, limit int) ([]byte, error) {
	in := bytes.NewReader(data)
	r, err := gzip.NewReader(in)
	if err != nil {
		return nil, &FormatError{Document: "trial", Err: err}
	}
	r.Multistream(false)
	plain, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, &FormatError{Document: "trial", Err: err}
	}
	if len(plain) > limit {
		return nil, &SizeError{Document: "trial", LimitBytes: limit}
	}
	if in.Len() > 0 {
		return nil, &FormatError{Document: "trial", Err: errors.New("something follows the compressed document")}
	}
	return plain, nil
}
