// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Workload is one measurement on the mounted dataset, or something done with its pool; exactly one tool is set.
//
// +kubebuilder:validation:XValidation:rule=`[has(self.fio), has(self.bonnie), has(self.tree), has(self.iozone), has(self.fsmark), has(self.dbench), has(self.pgbench), has(self.streams), has(self.copy), has(self.corpus), has(self.script), has(self.pool)].exists_one(x, x)`,message="exactly one tool must be set: fio, bonnie, tree, iozone, fsmark, dbench, pgbench, streams, copy, corpus, script or pool"
// +kubebuilder:validation:XValidation:rule=`!has(self.during) || has(self.fio)`,message="during needs fio: no other tool can be ended before its time and say what it has measured"
// +kubebuilder:validation:XValidation:rule=`!has(self.during) || !has(self.fio) || !has(self.fio.steadyState) && (!has(self.fio.passes) || self.fio.passes == 1)`,fieldPath=`.during`,message="during cannot be combined with passes or steadyState: the operation runs only once"
type Workload struct {
	// name appears in every result, and in file names.
	// +required
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule=`isDNSLabel(self)`,message="name becomes part of file names: it must be lower-case letters, digits and '-', with a letter or digit at both ends, for example seq-write"
	Name string `json:"name"`

	// cache says whether the ARC is emptied of the benchmark's data before the workload, by exporting and importing the
	// pool.
	// +optional
	// +kubebuilder:default=Cold
	Cache CacheState `json:"cache,omitempty"`

	// fio runs the flexible I/O tester.
	// +optional
	Fio *FioWorkload `json:"fio,omitempty"`

	// bonnie runs bonnie++. It needs a filesystem.
	// +optional
	Bonnie *BonnieWorkload `json:"bonnie,omitempty"`

	// tree makes a tree of directories and files, and measures what is done with it. It needs a filesystem.
	// +optional
	Tree *TreeWorkload `json:"tree,omitempty"`

	// iozone runs iozone, which is not free software: the runner's image may lack it. It needs a filesystem.
	// +optional
	Iozone *IozoneWorkload `json:"iozone,omitempty"`

	// fsmark runs fs_mark. It needs a filesystem.
	// +optional
	Fsmark *FsmarkWorkload `json:"fsmark,omitempty"`

	// dbench runs dbench. It needs a filesystem.
	// +optional
	Dbench *DbenchWorkload `json:"dbench,omitempty"`

	// pgbench runs PostgreSQL's pgbench against a private server. It needs a filesystem.
	// +optional
	Pgbench *PgbenchWorkload `json:"pgbench,omitempty"`

	// streams writes and reads files from beginning to end, 1, 2, 4 and more at once. It needs a filesystem.
	// +optional
	Streams *StreamsWorkload `json:"streams,omitempty"`

	// copy copies a tree of directories and files by rsync or cp. It needs a filesystem.
	// +optional
	Copy *CopyWorkload `json:"copy,omitempty"`

	// corpus stores known data in the dataset, and reports how much it is compressed and deduplicated. It needs a
	// filesystem.
	// +optional
	Corpus *CorpusWorkload `json:"corpus,omitempty"`

	// script runs a program of a container image that a BenchmarkDevicePolicy lists, to measure what no other tool
	// measures. It needs a filesystem.
	// +optional
	Script *ScriptWorkload `json:"script,omitempty"`

	// pool runs an operation on the pool itself, such as a scrub, and measures how long it takes. Later workloads run on
	// the pool as the operation left it. Some operations also work on baselines.
	// +optional
	Pool *PoolOperation `json:"pool,omitempty"`

	// during runs an operation on the pool while fio runs; both are measured.
	// +optional
	During *DuringOperation `json:"during,omitempty"`

	// inspect looks at the pool with zdb, after the workload has ended and was measured: Fragmentation of the files, or
	// SimulatedDedup, which needs memory for each different block. If zdb cannot find something out, the result says why.
	// Baselines have no pool, so nothing is inspected there.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Inspect []Inspection `json:"inspect,omitempty"`
}

// tool is one of the fields of a workload that name a tool. Exactly one is set.
type tool struct {
	field string
	set   bool
	does  interface{ Operations() []Operation }
}

// tools are all of these fields, in the order of Workload.
func (w Workload) tools() []tool {
	return []tool{
		{"fio", w.Fio != nil, w.Fio},
		{"bonnie", w.Bonnie != nil, w.Bonnie},
		{"tree", w.Tree != nil, w.Tree},
		{"iozone", w.Iozone != nil, w.Iozone},
		{"fsmark", w.Fsmark != nil, w.Fsmark},
		{"dbench", w.Dbench != nil, w.Dbench},
		{"pgbench", w.Pgbench != nil, w.Pgbench},
		{"streams", w.Streams != nil, w.Streams},
		{"copy", w.Copy != nil, w.Copy},
		{"corpus", w.Corpus != nil, w.Corpus},
		{"script", w.Script != nil, w.Script},
		{"pool", w.Pool != nil, w.Pool},
	}
}

// ToolFields are the names of the fields that name a tool. Exactly one is set.
func ToolFields() []string {
	var all []string
	for _, t := range (Workload{}).tools() {
		all = append(all, t.field)
	}
	return all
}

// Tools are those that are set: one in a valid workload.
func (w Workload) Tools() []string {
	var set []string
	for _, t := range w.tools() {
		if t.set {
			set = append(set, t.field)
		}
	}
	return set
}

// Operations are what the workload can measure, in the order of the results.
func (w Workload) Operations() []Operation {
	for _, t := range w.tools() {
		if !t.set {
			continue
		}
		if w.During != nil && w.Fio != nil {
			return append(t.does.Operations(), w.During.Operation().Operations()...)
		}
		return t.does.Operations()
	}
	return []Operation{OperationRead, OperationWrite}
}

// Image is the container image that the workload needs, for its program or its data; empty for none.
func (w Workload) Image() ImageReference {
	switch {
	case w.Script != nil:
		return w.Script.Image
	case w.Corpus != nil && w.Corpus.Image != nil:
		return w.Corpus.Image.Image
	}
	return ""
}

// CorpusClaim is the PersistentVolumeClaim that the workload needs for its data; empty for none.
func (w Workload) CorpusClaim() string {
	if w.Corpus != nil && w.Corpus.PersistentVolumeClaim != nil {
		return w.Corpus.PersistentVolumeClaim.ClaimName
	}
	return ""
}

// NeedsFilesystem says whether the workload makes files, for which a block device has no place.
func (w Workload) NeedsFilesystem() bool { return w.Fio == nil && w.Pool == nil }

// CacheState is the state of the ARC when a workload starts.
//
// +kubebuilder:validation:Enum=Cold;Warm
type CacheState string

const (
	// CacheCold exports and imports the pool before the workload, which empties the ARC of its data.
	CacheCold CacheState = "Cold"
	// CacheWarm leaves in the ARC what laying out files and earlier workloads put there.
	CacheWarm CacheState = "Warm"
)
