// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxWorkloads    = 16
	maxWorkloadName = 40
)

func workloads(ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	errs := fields.Count(len(ws), 1, maxWorkloads, path)
	names := map[string]bool{}
	for i, w := range ws {
		at := path.Index(i)
		errs = append(errs, workload(w, at)...)
		if names[w.Name] {
			errs = append(errs, field.Duplicate(at, w.Name))
		}
		names[w.Name] = true
	}
	errs = append(errs, images(ws, path)...)
	errs = append(errs, corpusClaims(ws, path)...)
	errs = append(errs, commands(ws, path)...)
	if n := passes(ws); n > maxAllPasses {
		errs = append(errs, field.Invalid(path, n, fmt.Sprintf("the passes of all workloads together must be at most %d", maxAllPasses)))
	}
	return errs
}

// passes are those of all workloads together, of which most have one.
func passes(ws []v1alpha1.Workload) int {
	all := 0
	for _, w := range ws {
		all += w.Passes()
	}
	return all
}

func workload(w v1alpha1.Workload, path *field.Path) field.ErrorList {
	errs := itemName(w.Name, maxWorkloadName, "name becomes part of file names: it must be", "seq-write", path.Child("name"))
	errs = append(errs, fields.OneOf(w.Cache, path.Child("cache"), v1alpha1.CacheCold, v1alpha1.CacheWarm)...)
	errs = append(errs, inspections(w.Inspect, path.Child("inspect"))...)
	tools := 0
	for _, set := range []bool{w.Fio != nil, w.Bonnie != nil, w.Tree != nil, w.Iozone != nil, w.Fsmark != nil, w.Dbench != nil, w.Streams != nil, w.Copy != nil, w.Corpus != nil, w.Script != nil, w.Pool != nil} {
		if set {
			tools++
		}
	}
	if w.During != nil {
		errs = append(errs, duringOperation(w, path)...)
	}
	switch {
	case tools != 1:
		return append(errs, field.Invalid(path, w.Name, "exactly one tool must be set: fio, bonnie, tree, iozone, fsmark, dbench, streams, copy, corpus, script or pool"))
	case w.Bonnie != nil:
		return append(errs, bonnie(w.Bonnie, path.Child("bonnie"))...)
	case w.Tree != nil:
		return append(errs, tree(w.Tree, path.Child("tree"))...)
	case w.Iozone != nil:
		return append(errs, iozone(w.Iozone, path.Child("iozone"))...)
	case w.Fsmark != nil:
		return append(errs, fsmark(w.Fsmark, path.Child("fsmark"))...)
	case w.Dbench != nil:
		return append(errs, dbench(w.Dbench, path.Child("dbench"))...)
	case w.Streams != nil:
		return append(errs, streams(w.Streams, path.Child("streams"))...)
	case w.Copy != nil:
		return append(errs, copying(w.Copy, path.Child("copy"))...)
	case w.Corpus != nil:
		return append(errs, corpus(w.Corpus, path.Child("corpus"))...)
	case w.Script != nil:
		return append(errs, script(w.Script, path.Child("script"))...)
	case w.Pool != nil:
		return append(errs, poolOperation(w.Pool, path.Child("pool"))...)
	}
	return append(errs, fio(w.Fio, path.Child("fio"))...)
}
