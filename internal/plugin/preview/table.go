// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/plugin/table"
	"zfsbench.io/operator/internal/storage/zfs/layout"
	"zfsbench.io/operator/internal/text/human"
	"zfsbench.io/operator/internal/tools/registry"
)

// Tables are a preview for people: its nodes, its variants, and its workloads.
func (p Preview) Tables() []metav1.Table {
	nodes := table.New("Node", "Consent", "Trials", "At least", "On slow disks", "Timeout")
	for _, n := range p.Nodes {
		table.Add(&nodes, n.Name, string(n.Consent), fmt.Sprint(n.Trials), duration(n.LeastSeconds), duration(n.SlowSeconds),
			duration(n.TimeoutSeconds))
	}
	variants := table.New("Variant", "On", "Stores", "Has room for", "Fits")
	for _, v := range p.Variants {
		usable := "?"
		if v.Fits != "" {
			usable = human.Bytes(float64(v.UsableBytes))
		}
		fits := v.Fits
		if fits == "" {
			fits = "?"
		}
		table.Add(&variants, v.Name, on(v.Variant), human.Bytes(float64(v.NeededBytes)), usable, fits)
	}
	workloads := table.New("Workload", "Cache", "Runs")
	for _, w := range p.Benchmark.Spec.Workloads {
		table.Add(&workloads, w.Name, string(w.Cache), runs(w))
	}
	return []metav1.Table{nodes, variants, workloads}
}

// duration is whole seconds for people.
func duration(seconds int64) string {
	return human.Duration(time.Duration(seconds) * time.Second)
}

// on is what a variant is on: the vdevs of its pool, or its baseline.
func on(v plan.Variant) string {
	if v.Baseline != nil {
		return onBaseline(*v.Baseline)
	}
	names := map[string]string{}
	for _, device := range plan.PoolDevices(v.Pool) {
		names[device] = device
	}
	pool := *v.Pool.DeepCopy()
	for _, vdevs := range [][]v1alpha1.Vdev{pool.Vdevs, pool.Log, pool.Cache, pool.Special, pool.Dedup} {
		for i := range vdevs {
			vdevs[i].Ashift = nil // zpool adds vdevs with an ashift of their own in other commands.
		}
	}
	words, err := layout.Vdevs(pool, names)
	if err != nil { // A plan names no device that it does not have.
		return err.Error()
	}
	return strings.Join(words, " ")
}

func onBaseline(b v1alpha1.Baseline) string {
	switch {
	case b.Filesystem != nil:
		return string(b.Filesystem.Type) + " " + place(b.Filesystem.Device, b.Filesystem.MD)
	case b.Raw != nil:
		return "raw " + place(b.Raw.Device, b.Raw.MD)
	}
	return "volume of StorageClass " + b.PersistentVolume.StorageClassName
}

func place(device string, array *v1alpha1.MDArray) string {
	if array == nil {
		return device
	}
	return fmt.Sprintf("%s %s", array.Level, strings.Join(array.Devices, " "))
}

// runs says in a few words what a workload does.
func runs(w v1alpha1.Workload) string {
	switch {
	case w.Fio != nil:
		return fioRuns(*w.Fio)
	case w.Pool != nil:
		return "operation " + compact(w.Pool)
	}
	if tool := registry.Of(w); tool != nil {
		return tool.Describe()
	}
	return ""
}

func fioRuns(f v1alpha1.FioWorkload) string {
	if len(f.Jobs) > 0 {
		return "fio, " + human.Plural(len(f.Jobs), "job") + " at once"
	}
	size := string(f.RelativeSize)
	if size == "" {
		size = f.Size.String()
	}
	text := fmt.Sprintf("fio %s, blocks of %s, size %s", f.RW, f.BS, size)
	if len(f.BSSplit) > 0 {
		text = fmt.Sprintf("fio %s, blocks of several sizes, size %s", f.RW, size)
	}
	if f.NumJobs > 1 {
		text += fmt.Sprintf(", %d processes", f.NumJobs)
	}
	if f.Runtime != nil {
		text += ", for " + human.Duration(f.Runtime.Duration)
	}
	return text
}

// compact is a part of the spec in one line.
func compact(part any) string {
	text, err := json.Marshal(part)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
