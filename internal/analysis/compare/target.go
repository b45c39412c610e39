// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs/layout"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/registry"
)

// Properties are the dataset properties that most often explain a number.
var Properties = []string{
	"recordsize", "volblocksize", "compression", "checksum", "dedup", "sync", "logbias", "primarycache",
	"secondarycache", "direct", "atime", "xattr",
	"copies", "special_small_blocks",
}

// targetOf is what a variant runs on. Properties are the actual ones from a trial, because a release of OpenZFS may
// have other defaults; if a trial has none, they are the spec's.
func targetOf(v plan.Variant, trial result.Trial) map[string]string {
	if v.Baseline != nil {
		return baselineTarget(*v.Baseline, trial)
	}
	var found result.PoolFacts
	if len(trial.Samples) > 0 {
		found = trial.Samples[0].Pool
	}
	target := map[string]string{"layout": Layout(v.Pool)}
	target["dataset"] = Dataset(v.Dataset)
	if f := v.Dataset.OtherFilesystem(); f != nil {
		target["filesystem"] = Filesystem(*f)
	}
	if v.Pool.Ashift != nil {
		target["ashift"] = fmt.Sprint(*v.Pool.Ashift)
	}
	if len(found.Ashift) > 0 {
		target["ashift"] = strings.Trim(fmt.Sprint(found.Ashift), "[]")
	}
	if disks := discarded(trial); disks != "" {
		target["discarded disks"] = disks
	}
	for name, value := range v.Pool.Properties {
		target["pool property "+name] = string(value)
	}
	for name, value := range v.Dataset.Properties {
		target[name] = string(value)
	}
	for _, name := range Properties {
		if value, ok := found.DatasetProperties[name]; ok {
			target[name] = value
		}
	}
	for _, c := range v.Dataset.Children {
		for name, value := range c.Properties {
			target[c.Name+" "+name] = string(value)
		}
		for _, name := range Properties {
			if value, ok := found.PropertiesOf(c.Name)[name]; ok {
				target[c.Name+" "+name] = value
			}
		}
	}
	for name, value := range target {
		target[name] = clip(value, maxText)
	}
	return target
}

// discarded are the disks that were discarded before the trial's pool was made.
func discarded(t result.Trial) string {
	var names []string
	for _, d := range t.PreparedDisks {
		if d.Discarded {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, " ")
}

// maxText is the longest text in a document, in bytes.
const maxText = 256

func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit-len("…")], "") + "…"
}

// Layout is a pool's groups of vdevs in the form of `zpool create` arguments, with the spec's device names.
func Layout(p v1alpha1.PoolSpec) string {
	words := vdevs("", p.Vdevs)
	for _, class := range []struct {
		name string
		list []v1alpha1.Vdev
	}{{"log", p.Log}, {"cache", p.Cache}, {"special", p.Special}, {"dedup", p.Dedup}} {
		words = append(words, vdevs(class.name, class.list)...)
	}
	if len(p.Spares) > 0 {
		words = append(append(words, "spare"), p.Spares...)
	}
	return strings.Join(words, " ")
}

func vdevs(class string, list []v1alpha1.Vdev) []string {
	var words []string
	for _, v := range list {
		if class != "" {
			words = append(words, class)
		}
		switch {
		case v.Draid != nil:
			words = append(words, layout.DraidWord(v))
		case v.Type != v1alpha1.VdevStripe:
			words = append(words, string(v.Type))
		}
		if v.Ashift != nil {
			words = append(words, fmt.Sprintf("(ashift=%d)", *v.Ashift))
		}
		words = append(words, v.Devices...)
	}
	return words
}

// workloadOf keeps all options of a workload, defaults included.
func workloadOf(w v1alpha1.Workload) Workload {
	options := map[string]string{}
	if tool := registry.Of(w); tool != nil {
		options = tool.Options()
	}
	if w.Pool != nil {
		options = tools.FieldsOf(w.Pool)
	}
	if w.During != nil {
		for name, value := range tools.FieldsOf(w.During) {
			options["during."+name] = value
		}
	}
	if image := w.Image(); image != "" {
		options["image"] = string(image)
	}
	if claim := w.CorpusClaim(); claim != "" {
		options["persistentVolumeClaim"] = claim
	}
	options["cache"] = string(v1alpha1.CacheCold)
	if w.Cache == v1alpha1.CacheWarm {
		options["cache"] = string(w.Cache)
	}
	return Workload{Name: w.Name, Digest: digest(options), Options: options}
}

// digest hashes the options as JSON, which sorts them by name.
func digest(options map[string]string) string {
	data, err := json.Marshal(options)
	if err != nil {
		panic(fmt.Sprintf("encode options: %v", err))
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
