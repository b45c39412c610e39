// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	kjson "sigs.k8s.io/json"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// MaxBytes limits an encoded document, so that the whole document fits into the first of a benchmark's ConfigMaps,
// together with summary.md.
const MaxBytes = 120 << 10

// operation is the form of an operation's name.
var operation = regexp.MustCompile(`^[a-z][A-Za-z0-9]{0,39}$`)

// maxResults is the maximum number of results in a document, even if they are small.
const maxResults = 2048

// Encode writes a document as one line of JSON. If it does not fit into MaxBytes, parts are left out, and named: first
// latencies, then properties, then results from the end.
func Encode(d Comparable) ([]byte, error) {
	d.Results = slices.Clone(d.Results)
	d.Variants = slices.Clone(d.Variants)
	omit := func(text string) { d.Omitted = append(slices.Clone(d.Omitted), text) }
	if len(d.Results) > maxResults {
		d.Results = d.Results[:maxResults]
		omit(fmt.Sprintf("results after the first %d", maxResults))
	}
	for step := 0; ; step++ {
		data, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("encode document to compare with: %w", err)
		}
		if len(data) < MaxBytes || step > 1 && len(d.Results) == 0 {
			return append(data, '\n'), nil
		}
		switch step {
		case 0:
			for i := range d.Results {
				for _, q := range latencies {
					*d.Results[i].values(q) = nil
				}
			}
			omit("latencies")
		case 1:
			for i := range d.Variants {
				d.Variants[i].Target = nil
			}
			omit("properties")
		default:
			d.Results = d.Results[:len(d.Results)/2]
			d.Omitted[len(d.Omitted)-1] = fmt.Sprintf("properties, and results after the first %d", len(d.Results))
		}
	}
}

// Decode reads a document from an untrusted source. Its size is limited before anything is decoded. Unknown or
// duplicate fields are refused, and so is every number and text that Encode does not write. The error says what is
// wrong, and contains little of the content.
func Decode(data []byte) (Comparable, error) {
	if len(data) > MaxBytes {
		return Comparable{}, fmt.Errorf("it has %d bytes, more than %d", len(data), MaxBytes)
	}
	var version struct {
		Version int `json:"version"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &version); err != nil {
		return Comparable{}, fmt.Errorf("it is not JSON of this kind: %s", clip(err.Error(), maxText))
	}
	if version.Version != Version {
		return Comparable{}, fmt.Errorf("it is of version %d; this operator reads version %d", version.Version, Version)
	}
	var d Comparable
	strict, err := kjson.UnmarshalStrict(data, &d)
	if err := errors.Join(append(strict, err)...); err != nil {
		return Comparable{}, fmt.Errorf("it is not JSON of this kind: %s", clip(err.Error(), maxText))
	}
	if err := result.CheckBounds(&d); err != nil {
		return Comparable{}, fmt.Errorf("it is not possible: %s", clip(err.Error(), maxText))
	}
	return d, d.check()
}

// check compares the parts of a document.
func (d Comparable) check() error {
	if d.DevicePreparation != "" && d.DevicePreparation != v1alpha1.DevicePreparationDiscard {
		return fmt.Errorf("it has the devicePreparation %q", d.DevicePreparation)
	}
	if d.FreshPool != "" && d.FreshPool != v1alpha1.FreshPoolPerVariant {
		return fmt.Errorf("it has the freshPool %q", d.FreshPool)
	}
	nodes, variants, digests := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, n := range d.Nodes {
		if nodes[n.Name] {
			return fmt.Errorf("it has node %q twice", n.Name)
		}
		nodes[n.Name] = true
	}
	for _, v := range d.Variants {
		if variants[v.Name] {
			return fmt.Errorf("it has variant %q twice", v.Name)
		}
		variants[v.Name] = true
	}
	for _, w := range d.Workloads {
		if digests[w.Name] {
			return fmt.Errorf("it has workload %q twice", w.Name)
		}
		if w.Digest != digest(w.Options) {
			return fmt.Errorf("the options of workload %q do not match its digest", w.Name)
		}
		digests[w.Name] = true
	}
	seen := map[place]bool{}
	for i, r := range d.Results {
		switch {
		case !operation.MatchString(string(r.Operation)):
			return fmt.Errorf("result %d has the operation %q", i, r.Operation)
		case !nodes[r.Node] || !variants[r.Variant] || !digests[r.Workload]:
			return fmt.Errorf("result %d is of a node, variant or workload that the document does not list", i)
		case seen[r.place()]:
			return fmt.Errorf("result %d is there twice", i)
		}
		seen[r.place()] = true
		for _, values := range [][]float64{
			r.BandwidthBytesPerSecond, r.IOPS, r.LatencyMeanNanoseconds, r.LatencyP50Nanoseconds, r.LatencyP95Nanoseconds,
			r.LatencyP99Nanoseconds, r.LatencyP999Nanoseconds,
		} {
			if slices.Contains(values, 0) {
				return fmt.Errorf("result %d has a value of 0", i)
			}
		}
	}
	return nil
}

// place identifies a result.
type place struct {
	workload, variant, node string
	operation               v1alpha1.Operation
}

func (r Result) place() place { return place{r.Workload, r.Variant, r.Node, r.Operation} }
