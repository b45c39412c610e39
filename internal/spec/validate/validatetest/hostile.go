// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// Hostile is a valid manifest of which one text was replaced by one that tries to get out of its place.
type Hostile struct {
	// Field is the text's place in the type, for example spec.workloads[].name; {} is a map's key or value.
	Field string
	// Attack names the replacement, and Text is it.
	Attack, Text string
	Manifest     []byte
}

// FullBenchmarks are valid benchmarks that together set every text there is; alternatives of one another are the reason
// for several.
func FullBenchmarks() []string {
	return []string{`
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: full, namespace: default}
spec:
  nodes: {names: [storage-0]}
  devices:
  - {name: d0, path: /dev/disk/by-id/wwn-0}
  - {name: d1, path: /dev/disk/by-id/wwn-1}
  - {name: ssd, path: /dev/disk/by-id/wwn-2, partitions: [{name: log0, size: 4Gi}, {name: cache0}]}
  - {name: s0, path: /dev/disk/by-id/wwn-4}
  - {name: s1, path: /dev/disk/by-id/wwn-5}
  - {name: t0, path: /dev/disk/by-id/wwn-6}
  - {name: t1, path: /dev/disk/by-id/wwn-7}
  - {name: spare0, path: /dev/disk/by-id/wwn-8}
  - {name: slow, class: hdd, count: 2}
  pool:
    vdevs: [{type: mirror, devices: [d0, d1]}]
    log: [{type: stripe, devices: [log0], ashift: 13}]
    cache: [{type: stripe, devices: [cache0]}]
    special: [{type: mirror, devices: [s0, s1]}]
    dedup: [{type: mirror, devices: [t0, t1]}]
    spares: [spare0]
    properties: {autotrim: "on", feature@draid: enabled}
  dataset: {type: Filesystem, quota: {size: 1Ti}, properties: {compression: zstd-3, recordsize: 128K}}
  moduleParameters: {zfs_txg_timeout: "7"}
  workloads:
  - name: seq-write
    cache: Warm
    fio: {rw: write, bs: 128k, size: 1Gi, ioEngine: libaio, sync: Dsync, runtime: 60s, timeBased: true, rampTime: 10s,
      rate: 1Mi}
  - {name: known, fio: {preset: oltp, size: 1Gi}}
  - name: mixed
    fio: {rw: write, relativeSize: 50%Pool, bsSplit: [{bs: 4k, percent: 60}, {bs: 64k, percent: 40}], timeBased: true,
      runtime: 60s, steadyState: {then: Ends}}
  - name: clients
    fio:
      jobs:
      - {name: a, startDelay: 1s, rw: write, bs: 128k, size: 1Gi, ioEngine: libaio, sync: Dsync, runtime: 60s,
         timeBased: true, rampTime: 10s, rate: 1Mi}
      - {name: b, rw: read, bsSplit: [{bs: 4k, percent: 60}, {bs: 64k, percent: 40}], size: 1Gi}
  timeout: 2h
  cleanupPolicy: Always
  devicePreparation: None
  baselines:
  - {name: ext4, filesystem: {type: ext4, device: d0, mkfsOptions: [blockSize=4096], mountOptions: [data=ordered]}}
  - {name: raw, raw: {device: d1}}
  - {name: raw-slow, raw: {md: {level: raid1, devices: [slow0, slow1]}}}
  - name: xfs-md
    filesystem: {type: xfs, md: {level: raid5, devices: [d0, d1, s0], chunkSize: 64Ki, bitmap: Internal}}
  - {name: class, persistentVolume: {storageClassName: fast.local, size: 4Gi, volumeMode: Filesystem}}
  - {name: raw-md, raw: {md: {level: raid10, devices: [d0, d1, s0, s1], chunkSize: 64Ki, bitmap: None}}}
`, `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: full, namespace: default}
spec:
  nodes:
    selector:
      matchLabels: {disk/kind: ssd}
      matchExpressions: [{key: rack, operator: In, values: [r1]}]
  devices: [` + many(9, "{name: f%d, file: {size: 2Gi}}") + `]
  pool: {vdevs: [{type: stripe, devices: [f0]}]}
  dataset:
    type: Volume
    volume: {size: 8Gi, filesystem: {type: xfs, mkfsOptions: [blockSize=4096], mountOptions: [noatime]}}
  workloads:
  - {name: seq-write, fio: {rw: write, size: 1Mi}}
` + toolTexts + `  - {name: sources, corpus: {image: {image: "data:1", path: /usr/share, size: 1Gi}}}
  - name: database
    script: {image: "data:1", command: [sh, -c, run], size: 1Gi, timeout: 60s,
      metrics: [{name: load, unit: Seconds}, {name: rows, unit: PerSecond}]}
  matrix:
    axes:
    - name: layout
      values:
      - {name: plain}
      - {name: full, ` + fullOverlay + `}
    - {name: syncing, property: sync, propertyValues: [always, standard]}
    exclude: [{layout: plain, syncing: always}]
    include: [{name: copy, ` + fullOverlay + `}]
  repetitions: {min: 6, max: 7, targetRelativeError: 2.5%, order: Interleaved, freshPool: PerRepetition}
  comparison: {reference: copy, margin: 3%, with: [{benchmark: other.one}, {configMap: kept}]}
  thresholds:
  - {workload: seq-write, metric: writeBandwidth, variant: "layout=plain,syncing=standard", atLeast: 500Mi}
  - {workload: seq-write, metric: writeLatencyP99, atMost: 105%, relativeTo: kept}
  recommend:
    goals: [{workload: seq-write, metric: writeBandwidth}]
    requirements:
    - {workload: seq-write, metric: writeBandwidth, atLeast: 1Mi}
    - {workload: seq-write, metric: writeLatencyP99, atMost: 2s}
`, `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: full, namespace: default}
spec:
  nodes: {names: [storage-0]}
  devices: [` + many(4, "{name: f%d, file: {size: 2Gi}}") + `]
  pool: {vdevs: [{type: mirror, devices: [f0, f1]}]}
  workloads:
  - {name: degrade, pool: {offline: {device: f1}}}
  - {name: restore, pool: {online: {device: f1}}}
  - {name: rebuild, pool: {replace: {device: f1, with: f2}}}
  - {name: fill, pool: {fill: {percent: 50, method: RandomOverwrites}}}
  - {name: backup, pool: {send: {}}}
  - {name: backup-again, pool: {send: {since: backup}}}
  - {name: degrade-again, pool: {offline: {device: f2}}}
  - {name: read-while-restoring, fio: {rw: read, size: 1Gi}, during: {online: {device: f2}}}
  - {name: read-while-rebuilding, fio: {rw: read, size: 1Gi}, during: {replace: {device: f2, with: f3}}}
`, `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: full, namespace: default}
spec:
  nodes: {names: [storage-0]}
  devices: [{name: f0, file: {size: 2Gi}}]
  pool: {vdevs: [{type: stripe, devices: [f0]}]}
  dataset: {type: PersistentVolume, persistentVolume: {size: 1Gi, fsType: zfs, volumeMode: Filesystem}}
  workloads:
  - {name: seq-write, fio: {rw: write, size: 1Mi}}
  matrix:
    axes:
    - name: path
      values:
      - {name: dataset, dataset: {type: Filesystem, quota: {size: 1Gi}}}
      - {name: claim, dataset: {persistentVolume: {size: 1Gi, fsType: ext4, volumeMode: Filesystem}}}
    include:
    - {name: again, dataset: {type: Filesystem, quota: {size: 1Gi}}}
    - {name: claimed, dataset: {persistentVolume: {size: 1Gi, fsType: ext4, volumeMode: Filesystem}}}
`, `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: full, namespace: default}
spec:
  nodes: {names: [storage-0]}
  devices: [{name: f0, file: {size: 2Gi}}]
  pool: {vdevs: [{type: stripe, devices: [f0]}]}
  dataset: {children: [{name: db, properties: {recordsize: 16K}}]}
  workloads:
  - {name: alone, inspect: [Fragmentation], fio: {rw: write, size: 1Mi, dataset: db}}
  - {name: together, fio: {rw: write, size: 1Mi, jobs: [{name: one}, {name: two, dataset: db}]}}
  - {name: volume, corpus: {persistentVolumeClaim: {claimName: given, path: /sources, size: 1Mi}}}
  matrix:
    axes:
    - name: records
      values:
      - {name: small}
      - {name: large, dataset: {children: [{name: db, properties: {recordsize: 64K}}]}}
    include:
    - {name: larger, dataset: {children: [{name: db, properties: {recordsize: 128K}}]}}
`, `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: full, namespace: default}
spec:
  nodes: {names: [storage-0]}
  devices: [{name: f0, file: {size: 2Gi}}, {name: f1, file: {size: 2Gi}}, {name: f2, file: {size: 2Gi}}]
  pool: {layout: Draid1, devices: [f0, f1, f2], draid: {data: 1, spares: 1}}
  workloads:
  - {name: seq-write, fio: {rw: write, size: 1Mi}}
  matrix:
    axes:
    - name: layout
      values:
      - {name: draid1}
      - {name: mirror, pool: {layout: Mirror, devices: [f0, f1]}}
    include:
    - {name: stripe, pool: {layout: Stripe, width: 1, devices: [f2]}}
`}
}

// fullOverlay changes all that an overlay can.
const fullOverlay = `
        pool: {
          ashift: 12,
          vdevs: [{type: mirror, devices: [f0, f1]}], log: [{type: stripe, devices: [f2]}],
          cache: [{type: stripe, devices: [f3]}],
          special: [{type: mirror, devices: [f4, f5]}], dedup: [{type: mirror, devices: [f6, f7]}], spares: [f8],
          properties: {autotrim: "on"}
        },
        dataset: {
          type: Volume,
          volume: {size: 4Gi, filesystem: {type: ext4, mkfsOptions: [blockSize=4096], mountOptions: [data=ordered]}},
          properties: {compression: zstd-3}
        },
        moduleParameters: {zfs_fletcher_4_impl: scalar}`

// FullPolicies are valid policies that together set every text there is.
func FullPolicies() []string {
	return []string{`
apiVersion: zfsbench.io/v1alpha1
kind: BenchmarkDevicePolicy
metadata: {name: full}
spec:
  node: {name: storage-0, uid: 0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11}
  namespaces: [team-a]
  namespaceUIDs: [{name: team-a, uid: 1f0c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11}]
  devices: [{path: /dev/disk/by-id/wwn-0, serial: S1, size: 8Gi, unsignedData: Refuse, content: Full, class: nvme}]
  moduleParameters: [zfs_txg_timeout]
  mdArrays: Allowed
  fileDevices: Allowed
  filesystems: [f2fs]
  storageClasses: [{name: fast.local, totalSize: 4Gi}]
  images: ["registry.example:5000/tools/sqlite:3.46"]
  persistentVolumeClaims: [given]
  scratch: {directory: /var/lib/bench, totalSize: 1Gi}
  maxTimeout: 24h
`}
}

// HostileBenchmarks attack every text of a benchmark's spec. A text that is in the API and in none of FullBenchmarks is
// an error, so that a new field is not forgotten.
func HostileBenchmarks() ([]Hostile, error) {
	return hostile(FullBenchmarks(), reflect.TypeFor[v1alpha1.ZfsBenchmarkSpec]())
}

// HostilePolicies attack every text of a policy's spec.
func HostilePolicies() ([]Hostile, error) {
	return hostile(FullPolicies(), reflect.TypeFor[v1alpha1.BenchmarkDevicePolicySpec]())
}

// Attacks are texts that get out of a path, a line, a section, an expansion, a C string, an argument or a buffer, alone
// and around a valid text.
func Attacks(valid string) map[string]string {
	return map[string]string{
		"another directory":    "../../" + valid,
		"further up":           valid + "/../../x",
		"a line":               valid + "\nexec_prerun=reboot",
		"a line's end":         valid + "\n",
		"a carriage return":    valid + "\rinclude /etc/passwd",
		"a section":            "[" + valid,
		"a section in between": valid + "[global]",
		"a keyword":            "$" + valid,
		"a command":            valid + "$ncpus",
		"the environment":      valid + "${HOME}",
		"backquotes":           valid + "`reboot`",
		"the end of a text":    valid + "\x00",
		"behind the end":       "\x00" + valid,
		"a huge text":          valid + strings.Repeat("a", 64<<10),
		"an option":            "--trigger=" + valid,
		"a short option":       "-f" + valid,
		"a library":            "external:/" + valid,
		"two files":            valid + ":/dev/sda",
		"a second value":       valid + "," + valid,
		"white space":          valid + " x",
	}
}

// everywhereOf is of how many attacks on a field one is put into all places of its text.
const everywhereOf = 5

// hostile puts every attack into every text field, once. Where a text stands in several places, some attacks are also
// put into all of them; the others are then those of other fields.
func hostile(manifests []string, spec reflect.Type) ([]Hostile, error) {
	wanted, seen := map[string]bool{}, map[string]bool{}
	fields(spec, "spec", wanted)
	var all []Hostile
	for _, manifest := range manifests {
		doc, err := yaml.YAMLToJSONStrict([]byte(manifest))
		if err != nil {
			return nil, err
		}
		texts := map[string]place{}
		var root map[string]any
		if err := json.Unmarshal(doc, &root); err != nil {
			return nil, err
		}
		collect(root["spec"], spec, place{field: "spec", steps: []any{"spec"}}, texts)
		for turn, field := range slices.Sorted(maps.Keys(texts)) {
			delete(wanted, field)
			at := texts[field]
			attacks := Attacks(at.valid)
			for i, attack := range slices.Sorted(maps.Keys(attacks)) {
				text, everywhere := attacks[attack], (i+turn)%everywhereOf == 0
				if seen[field] && !everywhere {
					continue
				}
				here, err := json.Marshal(replacedAt(root, at.steps, text))
				if err != nil {
					return nil, err
				}
				if !seen[field] {
					all = append(all, Hostile{field, attack, text, here})
				}
				if !everywhere {
					continue
				}
				inAll, err := json.Marshal(replaced(root, at.valid, text))
				if err != nil {
					return nil, err
				}
				if !bytes.Equal(here, inAll) {
					all = append(all, Hostile{field, attack + ", everywhere", text, inAll})
				}
			}
			seen[field] = true
		}
	}
	if len(wanted) > 0 {
		return nil, fmt.Errorf("no manifest here sets %s: add it", strings.Join(slices.Sorted(maps.Keys(wanted)), ", "))
	}
	return all, nil
}

// place is a text in a document, with the way to it: keys, indices, and a mapKey for a key itself.
type place struct {
	field, valid string
	steps        []any
}

type mapKey string

// to is a place within this one.
func (p place) to(field string, step any) place {
	return place{field: p.field + field, steps: append(slices.Clone(p.steps), step)}
}

// replacedAt is a copy of a document with another text in one place.
func replacedAt(doc any, steps []any, text string) any {
	if len(steps) == 0 {
		return text
	}
	switch step := steps[0].(type) {
	case int:
		list := slices.Clone(doc.([]any))
		list[step] = replacedAt(list[step], steps[1:], text)
		return list
	case mapKey:
		object := maps.Clone(doc.(map[string]any))
		object[text] = object[string(step)]
		delete(object, string(step))
		return object
	default:
		key := step.(string)
		object := maps.Clone(doc.(map[string]any))
		object[key] = replacedAt(object[key], steps[1:], text)
		return object
	}
}

// replaced is a copy of a document in which one text, as a value or as a map's key, is another everywhere: references
// to a device's name follow it.
func replaced(doc any, old, text string) any {
	switch v := doc.(type) {
	case string:
		if v == old {
			return text
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = replaced(v[i], old, text)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for key, value := range v {
			if key == old {
				key = text
			}
			object[key] = replaced(value, old, text)
		}
		return object
	}
	return doc
}

// isText says whether a type is one text in JSON: a string, or a type that writes itself, such as a quantity or a
// duration.
func isText(t reflect.Type) bool {
	return t.Kind() == reflect.String || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
}

// fields collects the places of all texts in a type.
func fields(t reflect.Type, at string, into map[string]bool) {
	switch {
	case isText(t):
		into[at] = true
	case t.Kind() == reflect.Pointer:
		fields(t.Elem(), at, into)
	case t.Kind() == reflect.Slice:
		fields(t.Elem(), at+"[]", into)
	case t.Kind() == reflect.Map:
		into[at+"{} key"] = true
		fields(t.Elem(), at+"{}", into)
	case t.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				fields(f.Type, at+"."+name, into)
			}
		}
	}
}

// collect takes one text for each place in a type that a document has.
func collect(doc any, t reflect.Type, at place, into map[string]place) {
	switch v := doc.(type) {
	case nil:
	case string:
		at.valid = v
		into[at.field] = at
	case []any:
		for i, element := range v {
			collect(element, t.Elem(), at.to("[]", i), into)
		}
	case map[string]any:
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Map {
			for key, value := range v {
				name := at.to("{} key", mapKey(key))
				name.valid = key
				into[name.field] = name
				collect(value, t.Elem(), at.to("{}", key), into)
			}
			return
		}
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				collect(v[name], f.Type, at.to("."+name, name), into)
			}
		}
	}
}
