// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// OpenZFS is a version of OpenZFS.
type OpenZFS struct{ Major, Minor, Patch int }

var openZFSPattern = regexp.MustCompile(`^v?([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?(?:[^0-9.].*)?$`)

// ParseOpenZFS reads a version as `zfs version` and the module print it, for example 2.3.9-0+deb13u1.
func ParseOpenZFS(text string) (OpenZFS, error) {
	parts := openZFSPattern.FindStringSubmatch(text)
	if parts == nil {
		return OpenZFS{}, fmt.Errorf("%.100q is not a version of OpenZFS", text)
	}
	numbers := make([]int, 3)
	for i, digits := range parts[1:] {
		numbers[i], _ = strconv.Atoi(cmp.Or(digits, "0")) // at most four digits
	}
	return OpenZFS{numbers[0], numbers[1], numbers[2]}, nil
}

func (v OpenZFS) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// SameRelease says whether two versions belong together: userland and module of one release differ at most in the last
// number.
func (v OpenZFS) SameRelease(w OpenZFS) bool { return v.Major == w.Major && v.Minor == w.Minor }

// before says whether a version is older.
func (v OpenZFS) before(w OpenZFS) bool {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor), cmp.Compare(v.Patch, w.Patch)) < 0
}

// The releases that brought what 2.1 does not have (module/zcommon of their sources). A name with = is one value of a
// property.
var (
	release22 = OpenZFS{Major: 2, Minor: 2}
	release23 = OpenZFS{Major: 2, Minor: 3}
	release24 = OpenZFS{Major: 2, Minor: 4}

	since = map[string]OpenZFS{
		"checksum=blake3": release22, "dedup=blake3": release22, "dedup=blake3,verify": release22,
		"prefetch": {Major: 2, Minor: 2, Patch: 4},
		"direct":   release23, "volthreading": release23, "dedup_table_quota": release23,
		"feature@blake3": release22, "feature@block_cloning": release22, "feature@head_errlog": release22,
		"feature@vdev_zaps_v2": release22,
		"feature@zilsaxattr":   release22,
		"feature@fast_dedup":   release23, "feature@large_microzap": release23, "feature@longname": release23,
		"feature@raidz_expansion":      release23,
		"feature@redaction_list_spill": release23,
		"feature@block_cloning_endian": release24, "feature@dynamic_gang_header": release24,
		"feature@physical_rewrite": release24,
	}
)

// Unsupported says in sentences which properties of a variant a version of OpenZFS does not have. maxRecordBytes is the
// module's zfs_max_recordsize as it is without the variant's module parameters, 0 if it is not known.
func Unsupported(v Variant, have OpenZFS, maxRecordBytes int64) []string {
	problems := missing("pool", v.Pool.Properties, have)
	problems = append(problems, missing("dataset", v.Dataset.Properties, have)...)
	for _, c := range v.Dataset.Children {
		problems = append(problems, missing("dataset", c.Properties, have)...)
	}
	if set, err := strconv.ParseInt(string(v.ModuleParameters["zfs_max_recordsize"]), 10, 64); err == nil {
		maxRecordBytes = set
	}
	for _, d := range v.Dataset.WithChildren() {
		size := string(d.Properties["recordsize"])
		if bytes, err := v1alpha1.ParseBlockSize(size); err == nil && maxRecordBytes > 0 && bytes > maxRecordBytes {
			problems = append(problems, fmt.Sprintf("The dataset property recordsize=%s is more than the module allows: its "+
				"parameter zfs_max_recordsize is %d.",
				size, maxRecordBytes))
		}
	}
	return problems
}

// missing names the properties, or values of properties, that came later.
func missing[M ~map[string]v1alpha1.PropertyValue](kind string, properties M, have OpenZFS) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		setting := name + "=" + string(properties[name])
		needs, known := since[name]
		if !known {
			needs, known = since[setting]
		}
		if known && have.before(needs) {
			problems = append(problems, fmt.Sprintf("The %s property %s needs OpenZFS %s; the node has %s.", kind, setting,
				strings.TrimSuffix(needs.String(), ".0"), have))
		}
	}
	return problems
}

// Ignored says in sentences what a version of OpenZFS accepts in workloads, but does not do.
func Ignored(workloads []v1alpha1.Workload, d v1alpha1.DatasetSpec, have OpenZFS) []string {
	var remarks []string
	for _, w := range workloads {
		if w.Fio != nil && slices.ContainsFunc(w.Fio.AllJobs(), func(j v1alpha1.SingleFioJob) bool {
			return j.Direct
		}) && d.ZFSType() != v1alpha1.DatasetVolume && have.before(release23) {
			remarks = append(remarks, fmt.Sprintf("Workload %s asks for direct I/O, which OpenZFS before 2.3 ignores.", w.Name))
		}
	}
	return remarks
}
