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
	"zfsbench.io/operator/internal/tools/bonnie"
	"zfsbench.io/operator/internal/tools/corpus"
	"zfsbench.io/operator/internal/tools/dbench"
	"zfsbench.io/operator/internal/tools/fio"
	"zfsbench.io/operator/internal/tools/fsmark"
	"zfsbench.io/operator/internal/tools/iozone"
	"zfsbench.io/operator/internal/tools/streams"
	"zfsbench.io/operator/internal/tools/tree"
	"zfsbench.io/operator/internal/tools/treecopy"
)

// Properties are those of a dataset that most often explain a number.
var Properties = []string{
	"recordsize", "volblocksize", "compression", "checksum", "dedup", "sync", "logbias", "primarycache", "secondarycache", "direct", "atime", "xattr",
	"copies", "special_small_blocks",
}

// targetOf is what a variant runs on. Properties are those that a trial found, because a release of OpenZFS may come with other defaults; what was not found is as the spec asks.
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

// Layout is a pool's groups of vdevs as `zpool create` would take them, with the names of the spec.
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
		if v.Type != v1alpha1.VdevStripe {
			words = append(words, string(v.Type))
		}
		if v.Ashift != nil {
			words = append(words, fmt.Sprintf("(ashift=%d)", *v.Ashift))
		}
		words = append(words, v.Devices...)
	}
	return words
}

// workloadOf keeps all options of a workload, defaults included, with one spelling for each value; of a tool without a file of them its command line, with neither paths nor seed.
func workloadOf(w v1alpha1.Workload) Workload {
	options := map[string]string{}
	switch {
	case w.Fio != nil:
		options = fioOptions(*w.Fio)
	case w.Bonnie != nil:
		options["command"] = strings.Join(bonnie.Argv(*w.Bonnie, "", 0), " ")
	case w.Streams != nil:
		options["command"] = strings.Join(streams.Argv(*w.Streams, "", "", 0, false), " ")
	case w.Copy != nil:
		options["command"] = strings.Join(treecopy.Argv(*w.Copy, "", ""), " ")
	case w.Corpus != nil:
		options["command"] = strings.Join(corpus.Argv(*w.Corpus, "", "", ""), " ")
	case w.Script != nil:
		options = fieldsOf(w.Script)
		options["command"] = shortened(options["command"])
		options["size"], options["timeout"] = fmt.Sprint(w.Script.Size.Value()), w.Script.TimeLimit().String()
	case w.Tree != nil:
		options["command"] = strings.Join(tree.Argv(*w.Tree, "", "", 0, false), " ")
	case w.Iozone != nil:
		options["command"] = strings.Join(iozone.Argv(*w.Iozone, ""), " ")
	case w.Fsmark != nil:
		options["command"] = strings.Join(fsmark.Argv(*w.Fsmark, "", ""), " ")
	case w.Dbench != nil:
		options["command"] = strings.Join(dbench.Argv(*w.Dbench, ""), " ")
	case w.Pool != nil:
		options = fieldsOf(w.Pool)
	}
	if w.During != nil {
		for name, value := range fieldsOf(w.During) {
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

// shortened is a text that is as long as one may be, and still another one for another text.
func shortened(text string) string {
	if len(text) <= maxText {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	mark := " sha256:" + hex.EncodeToString(sum[:16])
	return clip(text, maxText-len(mark)) + mark
}

// fioOptions are the fields of the job, or those of each of several after its name.
func fioOptions(w v1alpha1.FioWorkload) map[string]string {
	options := map[string]string{}
	for _, j := range w.AllJobs() {
		prefix := ""
		if j.Name != "" {
			prefix = j.Name + "."
			options[prefix+"startDelay"] = j.StartDelay.String()
		}
		j.Preset = "" // what it stands for is there
		if !j.IsTimeBased() {
			j.TimeBased = nil // said or not, it is the same
		}
		for name, value := range fieldsOf(j.FioWorkload) {
			options[prefix+name] = value
		}
		if n, err := fio.BlockBytes(j.BS); err == nil && len(j.BSSplit) == 0 {
			options[prefix+"bs"] = fmt.Sprint(n)
		}
		if j.RelativeSize == "" {
			options[prefix+"size"] = fmt.Sprint(j.Size.Value())
		}
		if j.Rate != nil {
			options[prefix+"rate"] = fmt.Sprint(j.Rate.Value())
		}
	}
	return options
}

// fieldsOf are the fields of a tool's options by name, as JSON writes them.
func fieldsOf(tool any) map[string]string {
	// Encoding and decoding fail only for types that a workload does not contain.
	data, err := json.Marshal(tool)
	if err != nil {
		panic(fmt.Sprintf("encode workload: %v", err))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		panic(fmt.Sprintf("decode workload: %v", err))
	}
	options := map[string]string{}
	for name, value := range fields {
		options[name] = strings.Trim(string(value), `"`)
	}
	return options
}

// digest is that of the options as JSON, which sorts them by name.
func digest(options map[string]string) string {
	data, err := json.Marshal(options)
	if err != nil {
		panic(fmt.Sprintf("encode options: %v", err))
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
