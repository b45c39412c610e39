// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
	"zfsbench.io/operator/internal/tools/tree"
)

const maxParts, maxCopies, maxPathLength = 8, 1000, 255

var copiedPath = regexp.MustCompile(`^(/[A-Za-z0-9_+@-][A-Za-z0-9._+@-]*)+$`)

// Validate checks a corpus of files.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	w := &t.CorpusWorkload
	sources := 0
	for _, set := range []bool{w.Parts != nil, w.Image != nil, w.PersistentVolumeClaim != nil} {
		if set {
			sources++
		}
	}
	switch {
	case sources != 1:
		return field.ErrorList{field.Invalid(path, "", "exactly one of parts, image and persistentVolumeClaim must be set")}
	case w.Image != nil:
		at := path.Child("image")
		errs := fields.ImageReference(string(w.Image.Image), at.Child("image"))
		return append(errs, copiedDirectory(w.Image.Path, w.Image.Size, "/usr/share", at)...)
	case w.PersistentVolumeClaim != nil:
		at := path.Child("persistentVolumeClaim")
		errs := fields.SubdomainName(w.PersistentVolumeClaim.ClaimName,
			"claimName must be the name of a PersistentVolumeClaim", at.Child("claimName"))
		return append(errs, copiedDirectory(w.PersistentVolumeClaim.Path, w.PersistentVolumeClaim.Size, "/sources", at)...)
	}
	at := path.Child("parts")
	errs := fields.Count(len(w.Parts), 1, maxParts, at)
	for i, p := range w.Parts {
		errs = append(errs, fields.OneOf(p.Content, at.Index(i).Child("content"), v1alpha1.CorpusText, v1alpha1.CorpusImage,
			v1alpha1.CorpusZeros, v1alpha1.CorpusRandom)...)
		errs = append(errs, fields.Size(p.Size, 1, "1", "10Gi", at.Index(i).Child("size"))...)
		if p.Copies != 0 {
			errs = append(errs, fields.Between(p.Copies, 1, maxCopies, at.Index(i).Child("copies"))...)
		}
	}
	if w.FileSize != nil {
		if n, whole := fields.Bytes(*w.FileSize); !whole || n < 1 || n > tree.MaxFileBytes {
			errs = append(errs, field.Invalid(path.Child("fileSize"), fields.Text(*w.FileSize),
				"fileSize must be a whole number of bytes from 1 to 1Ti, for example 1Mi"))
		}
	}
	if w.Seed < 0 {
		errs = append(errs, field.Invalid(path.Child("seed"), w.Seed, "should be greater than or equal to 0"))
	}
	if len(errs) > 0 {
		return errs
	}
	return checkFiles(w, path)
}

// copiedDirectory checks which directory is copied, and how large it may be.
func copiedDirectory(directory string, most resource.Quantity, example string, path *field.Path) field.ErrorList {
	errs := fields.Size(most, 1, "1", "10Gi", path.Child("size"))
	switch at := path.Child("path"); {
	case len(directory) > maxPathLength:
		errs = append(errs, field.TooLong(at, directory, maxPathLength))
	case directory != "" && directory != "/" && !copiedPath.MatchString(directory):
		errs = append(errs, field.Invalid(at, directory,
			"path must be an absolute path of letters, digits, '.', '_', '+', '@' and '-', without '..' and without '/' at "+
				"the end, for example "+example))
	}
	return errs
}

// checkFiles checks how many files there are, and that there are as many as are to be the same.
func checkFiles(w *v1alpha1.CorpusWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if n := Files(*w); n > tree.MaxInodes {
		errs = append(errs, field.Invalid(path, n,
			fmt.Sprintf("it has too many files: at most %d; a larger fileSize makes fewer", tree.MaxInodes)))
	}
	for i, p := range PartsOf(*w) {
		if files := p.Files(w.FileBytes()); files < p.Copies {
			errs = append(errs, field.Invalid(path.Child("parts").Index(i).Child("copies"), p.Copies,
				fmt.Sprintf("the part has only %d files of %d bytes, so that none can occur so often; size counts all copies",
					files, w.FileBytes())))
		}
	}
	return errs
}
