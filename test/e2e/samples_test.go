// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
)

// TestSamples runs every experiment, every study and every case among the samples at reduced size: each variant once,
// with little data and for a short time. Whatever a sample asks of a pool, a dataset or a module is as it is, except
// the sizes of volumes and quotas.
func TestSamples(t *testing.T) {
	studies(t)
	runSamples(t, sampleFiles(t, "[ces]*"))
}

// TestSampleOfSamples runs one of them that takes no more than two minutes, drawn with a seed that it logs.
func TestSampleOfSamples(t *testing.T) {
	runSamples(t, draw(t, shortSamples(t, "[es]*")))
}

// TestCaseOfSamples runs one of the cases that take no more than that, drawn with the same seed.
func TestCaseOfSamples(t *testing.T) {
	runSamples(t, draw(t, shortSamples(t, "cases")))
}

// shortSamples are those that take no more than two minutes on this node.
func shortSamples(t *testing.T, directories string) []string {
	t.Helper()
	var short []string
	for _, file := range sampleFiles(t, directories) {
		spec := parseSample(t, file).Spec
		variants, err := matrix.Expand(spec)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(variants)*len(spec.Workloads) <= shortSample && len(variants) <= 2 && len(spec.Devices) <= len(suite.disks) &&
			!needsIozone(spec) && !slices.ContainsFunc(variants, isClaim) {
			short = append(short, file)
		}
	}
	return short
}

// draw chooses one of the files with the seed, which it logs.
func draw(t *testing.T, files []string) []string {
	t.Helper()
	if len(files) == 0 {
		t.Fatal("there is no sample to draw")
	}
	seed := seedOfCases(t)
	rand.New(rand.NewPCG(uint64(seed), 0)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	t.Logf("seed %d drew %s of %d", seed, files[0], len(files))
	return files[:1]
}

// shortSample is how many workloads a sample, all its variants together, has at most that takes no more than two
// minutes.
const shortSample = 7

// sampleFiles are the samples in the directories that match a pattern: cases, experiments, studies.
func sampleFiles(t *testing.T, directories string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", directories, "*.yaml"))
	files = slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) == "kustomization.yaml" })
	if err != nil || len(files) == 0 {
		t.Fatalf("samples in %s: %v, %v", directories, files, err)
	}
	return files
}

func runSamples(t *testing.T, files []string) {
	t.Helper()
	suite.grant(t, "e2e-samples", v1alpha1.BenchmarkDevicePolicySpec{
		ModuleParameters: []string{txgTimeout, "zfs_arc_max", "l2arc_rebuild_enabled"}, MDArrays: v1alpha1.MDArraysAllowed,
		Images:                 []v1alpha1.ImageReference{v1alpha1.ImageReference(suite.runnerImage)},
		PersistentVolumeClaims: []string{samplesClaim},
		// the suite's own policy leaves it out
		Devices: []v1alpha1.PolicyDevice{suite.disks[len(suite.disks)-1].consent()},
	})
	makeGivenFiles(t, samplesClaim)
	makeClaim(t, samplesClaim, suite.node.Labels[corev1.LabelHostname])
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { runSample(t, file) })
	}
}

func runSample(t *testing.T, file string) {
	t.Helper()
	obj := readSample(t, file)
	reduce(&obj.Spec)
	variants, err := matrix.Expand(obj.Spec)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(variants, isClaim) {
		csiDriver(t)
	}
	benchmark{obj}.apply(t)
	if needsIozone(obj.Spec) && os.Getenv("IOZONE") == "" {
		assertIozoneIsRefused(t, obj)
		return
	}
	awaitTrials(t, obj)
	docs := readDocuments(t, awaitComplete(t, obj))
	measured := map[string]int{}
	for _, trial := range docs.trials {
		measured[trial.Variant] = len(trial.Samples)
	}
	samples := 0
	for _, w := range obj.Spec.Workloads {
		samples += w.Passes()
	}
	for _, v := range variants {
		if measured[v.Name] != samples {
			t.Errorf("%d samples in place of %d were measured on variant %s", measured[v.Name], samples, v.Name)
		}
	}
	t.Logf("summary.md:\n%s", docs.summary)
}

// samplesClaim is what the samples find in place of the claim that they name.
const samplesClaim = "zfsbench-e2e-samples"

// reduceGiven replaces the samples' image by the one on the node under test, which is a Debian as well, and their claim
// by the one that the test has made.
func reduceGiven(w v1alpha1.Workload) {
	if w.CorpusClaim() != "" {
		w.Corpus.PersistentVolumeClaim.ClaimName, w.Corpus.PersistentVolumeClaim.Path = samplesClaim, "/"
	}
	if w.Script != nil {
		w.Script.Image = v1alpha1.ImageReference(suite.runnerImage)
	}
	if w.Corpus != nil && w.Corpus.Image != nil {
		w.Corpus.Image.Image, w.Corpus.Image.Path = v1alpha1.ImageReference(suite.runnerImage), "/usr/sbin"
	}
}

// isClaim says whether a variant needs a CSI driver.
func isClaim(v matrix.Variant) bool {
	return v.ClaimsFromDriver() || v.Baseline != nil && v.Baseline.PersistentVolume != nil
}

// parseSample reads a benchmark.
func parseSample(t *testing.T, file string) *v1alpha1.ZfsBenchmark {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	obj := &v1alpha1.ZfsBenchmark{}
	if err := yaml.UnmarshalStrict(text, obj); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return obj
}

// readSample reads a benchmark, for the suite's namespace and disks.
func readSample(t *testing.T, file string) *v1alpha1.ZfsBenchmark {
	t.Helper()
	obj := parseSample(t, file)
	obj.Namespace, obj.Spec.Nodes.Names = benchNamespace, []string{suite.node.Name}
	if n := len(obj.Spec.Devices); n > len(suite.disks) {
		t.Skipf("it needs %d disks, the node under test has %d", n, len(suite.disks))
	}
	for i := range obj.Spec.Devices {
		obj.Spec.Devices[i].Path = suite.disks[i].path
	}
	return obj
}

// reduce leaves one repetition, 4 MiB for all jobs of a workload together, a few files, and two seconds for each that
// runs for a time.
func reduce(spec *v1alpha1.ZfsBenchmarkSpec) {
	const most, least = 4 << 20, 16 << 10
	spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: 1}
	reduceDatasets(spec)
	for _, w := range spec.Workloads {
		if w.Bonnie != nil {
			reduceBonnie(w.Bonnie)
		}
		if w.Tree != nil {
			w.Tree.Directories, w.Tree.Files, w.Tree.MaxTime = 3, ptr.To(int32(min(w.Tree.FilesPerDirectory(), 5))),
				&metav1.Duration{Duration: 2 * time.Second}
			w.Tree.FileSize = ptr.To(*resource.NewQuantity(min(w.Tree.FileBytes(), least), resource.BinarySI))
		}
		reduceOthers(w)
		if w.Pool != nil && w.Pool.Fill != nil {
			w.Pool.Fill.Percent = max(1, w.Pool.Fill.Percent/10)
		}
		if w.Copy != nil {
			w.Copy.Directories, w.Copy.Levels, w.Copy.Files = 3, ptr.To[int32](1),
				ptr.To(int32(min(w.Copy.Source().FilesPerDirectory(), 5)))
			w.Copy.FileSize = ptr.To(*resource.NewQuantity(min(w.Copy.Source().FileBytes(), least), resource.BinarySI))
		}
		if w.Streams != nil {
			w.Streams.Size = *resource.NewQuantity(least, resource.BinarySI)
		}
		if w.Pgbench != nil {
			w.Pgbench.Scale, w.Pgbench.Runtime = 1, &metav1.Duration{Duration: 2 * time.Second}
		}
		reduceGiven(w)
		if w.Corpus != nil {
			for i := range w.Corpus.Parts {
				w.Corpus.Parts[i].Size = *resource.NewQuantity(most, resource.BinarySI)
			}
		}
		if w.Fio == nil {
			continue
		}
		reduceFio(w.Fio, most, least)
	}
}

// reduceDatasets leaves volumes and quotas of at most 512 MiB, which fit into the disks of the development cluster.
func reduceDatasets(spec *v1alpha1.ZfsBenchmarkSpec) {
	reduced := func(size resource.Quantity) resource.Quantity {
		return *resource.NewQuantity(min(size.Value(), 512<<20), resource.BinarySI)
	}
	if d := spec.Dataset; d != nil && d.Volume != nil {
		d.Volume.Size = reduced(d.Volume.Size)
	}
	if d := spec.Dataset; d != nil && d.Quota != nil {
		d.Quota.Size = reduced(d.Quota.Size)
	}
	if spec.Matrix == nil {
		return
	}
	for _, axis := range spec.Matrix.Axes {
		for _, value := range axis.Values {
			if d := value.Dataset; d != nil && d.Volume != nil {
				d.Volume.Size = reduced(d.Volume.Size)
			}
			if d := value.Dataset; d != nil && d.Quota != nil {
				d.Quota.Size = reduced(d.Quota.Size)
			}
		}
	}
}

// reduceFio lets the jobs of a workload begin one second after the other. Each process has at least one block.
func reduceFio(f *v1alpha1.FioWorkload, most, least int64) {
	jobs := int64(0)
	for _, j := range f.AllJobs() {
		jobs += max(1, int64(j.NumJobs))
	}
	share := int64(1) << (bits.Len64(uint64(most/jobs)) - 1) // a power of two, which is a multiple of any size of blocks
	for _, j := range f.AllJobs() {
		if blocks, err := j.BlockRange(); err == nil {
			share = max(share, blocks.Largest)
		}
	}
	size := resource.NewQuantity(max(least, share), resource.BinarySI)
	if f.Size = *size; f.Runtime != nil {
		f.Runtime = &metav1.Duration{Duration: 2 * time.Second}
	}
	f.RampTime, f.RelativeSize, f.Passes = nil, "", min(f.Passes, 2)
	if f.SteadyState != nil {
		f.SteadyState.Rounds, f.SteadyState.Window = 3, 3
	}
	for i := range f.Jobs {
		j := &f.Jobs[i]
		j.Size, j.Runtime, j.RampTime = nil, nil, nil
		if j.StartDelay != nil {
			j.StartDelay = &metav1.Duration{Duration: time.Duration(i) * time.Second}
		}
	}
}

func reduceBonnie(b *v1alpha1.BonnieWorkload) {
	if b.Size != nil {
		b.Size = ptr.To(resource.MustParse("4Mi"))
	}
	if b.Files != nil {
		b.Files.Count, b.Files.MaxSize, b.Files.MinSize = 1, min(b.Files.MaxSize, 1024), 0
	}
}
