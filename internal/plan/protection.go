// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// Protection is what a variant does to keep data safe, which costs speed. Variants are ranked only among variants with
// the same protection: less protection does not make a variant better.
type Protection struct {
	// Redundancy is how many devices may be lost, whichever they are, without losing data.
	Redundancy int `json:"redundancy"`
	// Sync and Checksum are the dataset's properties, with OpenZFS's defaults for what is not set. A baseline does what
	// sync=standard does, and checksum is what checksums its data, in the same words: off, on for its own default, or the
	// name of another algorithm. A child of the dataset that differs follows behind a comma: "standard, db=disabled".
	Sync     string `json:"sync"`
	Checksum string `json:"checksum"`
}

// ProtectionOf reads what a variant asks for. Special and dedup vdevs survive as many losses as the data vdevs: the API
// requires it.
func ProtectionOf(v Variant) Protection {
	if v.Baseline != nil {
		return protectionOfBaseline(*v.Baseline)
	}
	pool, dataset := v.Pool, v.Dataset
	p := Protection{Sync: syncOf(dataset), Checksum: checksumOf(dataset)}
	for _, c := range dataset.Children {
		child, _ := dataset.Child(c.Name)
		if sync := syncOf(child); sync != syncOf(dataset) {
			p.Sync += ", " + c.Name + "=" + sync
		}
		if checksum := checksumOf(child); checksum != checksumOf(dataset) {
			p.Checksum += ", " + c.Name + "=" + checksum
		}
	}
	for i, vdev := range pool.Vdevs {
		if survives := validate.LossTolerance(vdev); i == 0 || survives < p.Redundancy {
			p.Redundancy = survives
		}
	}
	return p
}

func syncOf(d v1alpha1.DatasetSpec) string { return cmp.Or(string(d.Properties["sync"]), "standard") }

func checksumOf(d v1alpha1.DatasetSpec) string {
	checksum := cmp.Or(string(d.Properties["checksum"]), "on")
	if checksum == "fletcher4" { // That is what on means.
		return "on"
	}
	return checksum
}

// IgnoresSync says whether the dataset or a child of it has sync=disabled.
func (p Protection) IgnoresSync() bool { return anyIs(p.Sync, "disabled") }

// LacksChecksums says whether the dataset or a child of it has checksum=off.
func (p Protection) LacksChecksums() bool { return anyIs(p.Checksum, "off") }

// anyIs looks for a value in what Protection says of a dataset and its children.
func anyIs(text, value string) bool {
	return slices.ContainsFunc(strings.Split(text, ", "), func(each string) bool {
		_, of, isChild := strings.Cut(each, "=")
		return each == value || isChild && of == value
	})
}

// protectionOfBaseline is the protection on one disk or an md array. Syncs are never ignored there, because the options
// that would do so cannot be set.
func protectionOfBaseline(b v1alpha1.Baseline) Protection {
	p := Protection{Sync: "standard", Checksum: "off"}
	if array := b.Array(); array != nil {
		p.Redundancy = mdraid.LossTolerance(*array)
	}
	if b.Filesystem != nil {
		if kind, known := filesystem.Of(b.Filesystem.Type); known {
			p.Checksum = kind.Checksum(b.Filesystem.FilesystemSpec)
		}
	}
	return p
}

// CompareProtection orders the one first that does more for the data; checksums have no such order, and are sorted by
// name.
func CompareProtection(a, b Protection) int {
	order := func(p Protection) int {
		of, _, _ := strings.Cut(p.Sync, ", ")
		return map[string]int{"always": 0, "standard": 1, "disabled": 2}[of]
	}
	return cmp.Or(cmp.Compare(b.Redundancy, a.Redundancy), cmp.Compare(order(a), order(b)), cmp.Compare(a.Sync, b.Sync),
		cmp.Compare(a.Checksum, b.Checksum))
}

// Unlike lists the differences from another protection, for example "redundancy 0, not 1"; empty if they are equal.
func (p Protection) Unlike(other Protection) string {
	var differences []string
	for _, d := range []struct{ name, here, there string }{
		{"redundancy", fmt.Sprint(p.Redundancy), fmt.Sprint(other.Redundancy)}, {"sync", p.Sync, other.Sync},
		{"checksum", p.Checksum, other.Checksum},
	} {
		if d.here != d.there {
			differences = append(differences, fmt.Sprintf("%s %s, not %s", d.name, d.here, d.there))
		}
	}
	return strings.Join(differences, ", ")
}
