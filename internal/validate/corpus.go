// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	corpusof "zfsbench.io/operator/internal/corpus"
)

const maxCorpusParts, maxCorpusCopies = 8, 1000

// corpus checks a corpus of files.
func corpus(w *v1alpha1.CorpusWorkload, path *field.Path) field.ErrorList {
	if (w.Parts != nil) == (w.Image != nil) {
		return field.ErrorList{field.Invalid(path, "", "exactly one of parts and image must be set")}
	}
	if w.Image != nil {
		return corpusFromImage(w.Image, path.Child("image"))
	}
	at := path.Child("parts")
	errs := count(len(w.Parts), 1, maxCorpusParts, at)
	for i, p := range w.Parts {
		errs = append(errs, oneOf(p.Content, at.Index(i).Child("content"), v1alpha1.CorpusText, v1alpha1.CorpusImage, v1alpha1.CorpusZeros, v1alpha1.CorpusRandom)...)
		errs = append(errs, size(p.Size, 1, "1", "10Gi", at.Index(i).Child("size"))...)
		if p.Copies != 0 {
			errs = append(errs, between(p.Copies, 1, maxCorpusCopies, at.Index(i).Child("copies"))...)
		}
	}
	if w.FileSize != nil {
		if n, whole := Bytes(*w.FileSize); !whole || n < 1 || n > maxTreeFileBytes {
			errs = append(errs, field.Invalid(path.Child("fileSize"), text(*w.FileSize), "fileSize must be a whole number of bytes from 1 to 1Ti, for example 1Mi"))
		}
	}
	if w.Seed < 0 {
		errs = append(errs, field.Invalid(path.Child("seed"), w.Seed, "should be greater than or equal to 0"))
	}
	if len(errs) > 0 {
		return errs
	}
	return corpusFiles(w, path)
}

// corpusFromImage checks a corpus that is copied.
func corpusFromImage(w *v1alpha1.CorpusFromImage, path *field.Path) field.ErrorList {
	errs := imageReference(w.Image, path.Child("image"))
	errs = append(errs, size(w.Size, 1, "1", "10Gi", path.Child("size"))...)
	switch at := path.Child("path"); {
	case len(w.Path) > maxPathLength:
		errs = append(errs, field.TooLong(at, w.Path, maxPathLength))
	case w.Path != "" && w.Path != "/" && !imagePath.MatchString(w.Path):
		errs = append(errs, field.Invalid(at, w.Path, "path must be an absolute path of letters, digits, '.', '_', '+', '@' and '-', without '..' and without '/' at the end, for example /usr/share"))
	}
	return errs
}

// corpusFiles checks how many files there are, and that there are as many as are to be the same.
func corpusFiles(w *v1alpha1.CorpusWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if n := corpusof.Files(*w); n > maxTreeInodes {
		errs = append(errs, field.Invalid(path, n, fmt.Sprintf("it has too many files: at most %d; a larger fileSize makes fewer", maxTreeInodes)))
	}
	for i, p := range corpusof.PartsOf(*w) {
		if files := p.Files(w.FileBytes()); files < p.Copies {
			errs = append(errs, field.Invalid(path.Child("parts").Index(i).Child("copies"), p.Copies,
				fmt.Sprintf("the part has only %d files of %d bytes, so that none can occur so often; size is that of all copies", files, w.FileBytes())))
		}
	}
	return errs
}
