// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"strings"
)

// files is the start of a patch that gives the benchmark n file devices, f0 to fN, of 1Gi.
func files(n int) string {
	var ds []string
	for i := range n {
		ds = append(ds, fmt.Sprintf("{name: f%d, file: {size: 1Gi}}", i))
	}
	return "spec: {devices: [" + strings.Join(ds, ", ") + "], "
}

// file is a patch that makes f0 of the size given the only device.
func file(size string) string {
	return fmt.Sprintf("{spec: {devices: [{name: f0, file: {size: %s}}], pool: {vdevs: [{type: stripe, devices: "+
		"[f0]}]}}}", size)
}

// splitDisk is a patch that gives the benchmark a disk with partitions, of which the pool uses slog.
func splitDisk(partitions string) string {
	return `{spec: {devices: [{name: ssd, path: /dev/disk/by-id/a, partitions: [` + partitions +
		`]}], pool: {vdevs: [{type: stripe, devices: [slog]}]}}}`
}

// General are cases about names, nodes, devices and the rest of the spec that is neither pool, dataset nor workload.
func General() map[string]Case {
	const fileSize = "spec.devices[0].file.size"
	return map[string]Case{
		"the base":      {},
		"every feature": {Patch: everything},
		"the largest":   {Patch: largest()},

		"a name of 63 characters": {Patch: `{metadata: {name: ` + strings.Repeat("a", 63) + `}}`},
		"a name of 64 characters": {Patch: `{metadata: {name: ` + strings.Repeat("a", 64) + `}}`, Field: "",
			Message: "metadata.name must be at most 63 characters"},
		"a name that is no name": {Patch: `{metadata: {name: A_b}}`, Field: "metadata.name", Message: "lower"},
		"an unknown field":       {Patch: `{spec: {nonsense: 1}}`, Message: "unknown field"},
		"no workloads": {Patch: `{spec: {workloads: []}}`, Field: "spec.workloads",
			Message: "should have at least 1 items"},
		"workloads left out": {Patch: `{spec: {workloads: null}}`, Field: "spec.workloads", Message: "value"},
		"timeout":            {Patch: `{spec: {timeout: 2h30m}}`},
		"timeout of zero": {Patch: `{spec: {timeout: 0s}}`, Field: "spec.timeout", Message: "timeout must be " +
			"whole seconds from 1m to 720h, for example 4h"},
		"timeout negative": {Patch: `{spec: {timeout: -1h}}`, Field: "spec.timeout", Message: "timeout must " +
			"be whole seconds from 1m to 720h"},
		"timeout over 30 days": {Patch: `{spec: {timeout: 721h}}`, Field: "spec.timeout", Message: "timeout must " +
			"be whole seconds from 1m to 720h"},
		"timeout with parts of second": {Patch: `{spec: {timeout: 90s500ms}}`, Field: "spec.timeout",
			Message: "timeout must be whole seconds"},
		"timeout that is no duration": {Patch: `{spec: {timeout: soon}}`, Field: "spec.timeout", Message: "timeout must " +
			"be whole seconds"},
		"devicePreparation unknown": {Patch: `{spec: {devicePreparation: Trim}}`, Field: "spec.devicePreparation",
			Message: `supported values: "Discard", "None"`},
		"cleanupPolicy unknown": {Patch: `{spec: {cleanupPolicy: Sometimes}}`, Field: "spec.cleanupPolicy",
			Message: `supported values: "OnSuccess", "Always", "Never"`},
		"ttl negative": {Patch: `{spec: {ttlSecondsAfterFinished: -1}}`, Field: "spec.ttlSecondsAfterFinished",
			Message: "0"},

		"nodes by selector":       {Patch: `{spec: {nodes: {names: null, selector: {matchLabels: {storage: "yes"}}, maxParallel: 2}}}`},
		"nodes by every selector": {Patch: `{spec: {nodes: {names: null, selector: {}}}}`},
		"neither names nor selector": {Patch: `{spec: {nodes: {names: null}}}`, Field: "spec.nodes",
			Message: "exactly one of names and selector must be set"},
		"names and selector": {Patch: `{spec: {nodes: {selector: {matchLabels: {storage: "yes"}}}}}`,
			Field: "spec.nodes", Message: "exactly one of names and selector must be set"},
		"no names": {Patch: `{spec: {nodes: {names: []}}}`, Field: "spec.nodes.names",
			Message: "should have at least 1 items"},
		"a node twice": {Patch: `{spec: {nodes: {names: [a, b, a]}}}`, Field: "spec.nodes.names[2]",
			Message: `Duplicate value: "a"`},
		"a node that is no name": {Patch: `{spec: {nodes: {names: [a, "b\nc"]}}}`, Field: "spec.nodes.names[1]",
			Message: "names must be names of nodes"},
		"maxParallel of zero": {Patch: `{spec: {nodes: {maxParallel: 0}}}`, Field: "spec.nodes.maxParallel",
			Message: "should be greater than or equal to 1"},
		"a selector's operator": {
			Patch: `{spec: {nodes: {names: null, selector: {matchExpressions: [{key: a, operator: Near, values: [b]}]}}}}`,
			Field: "spec.nodes.selector.matchExpressions[0].operator", Message: "not a valid selector operator",
			GoOnly: "the selector's lists have no bounds, so a rule would be too costly",
		},

		"no devices": {Patch: `{spec: {devices: []}}`, Field: "spec.devices",
			Message: "should have at least 1 items"},
		"a device's name twice": {Patch: `{spec: {devices: [{name: d0, file: {size: 1Gi}}, {name: d0, file: {size: 1Gi}}]}}`,
			Field: "spec.devices[1]", Message: "Duplicate value"},
		"a device's path twice": {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a}, {name: d1, path: /dev/disk/by-id/a}]}}`, Field: "spec.devices", Message: "devices uses the path /dev/disk/by-id/a more than once"},
		"neither path nor file": {Patch: `{spec: {devices: [{name: d0}, {name: d1, file: {size: 1Gi}}]}}`,
			Field: "spec.devices[0]", Message: "exactly one of path, file and class must be set"},
		"path and file":            {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a, file: {size: 1Gi}}, {name: d1, file: {size: 1Gi}}]}}`, Field: "spec.devices[0]", Message: "exactly one of path, file and class must be set"},
		"a name that no ZFS takes": {Patch: `{spec: {devices: [{name: "d0/@x", file: {size: 1Gi}}], pool: {vdevs: [{type: stripe, devices: ["d0/@x"]}]}}}`, Field: "spec.devices[0].name", Message: "name becomes part of ZFS names"},
		"a name with a new line":   {Patch: `{spec: {devices: [{name: "d0\n", file: {size: 1Gi}}], pool: {vdevs: [{type: stripe, devices: ["d0\n"]}]}}}`, Field: "spec.devices[0].name", Message: "name becomes part of ZFS names"},
		"a name in capitals":       {Patch: `{spec: {devices: [{name: D0, file: {size: 1Gi}}], pool: {vdevs: [{type: stripe, devices: [D0]}]}}}`, Field: "spec.devices[0].name", Message: "name becomes part of ZFS names"},
		"a name left empty":        {Patch: `{spec: {devices: [{name: "", file: {size: 1Gi}}], pool: {vdevs: [{type: stripe, devices: [""]}]}}}`, Field: "spec.devices[0].name", Message: "name becomes part of ZFS names"},
		"a name that is too long": {Patch: `{spec: {devices: [{name: ` + strings.Repeat("d", 33) + `, file: {size: 1Gi}}]}}`,
			Field: "spec.devices[0].name", Message: "may not be more than 32"},
		"a path like /dev/sda":   {Patch: `{spec: {devices: [{name: d0, path: /dev/sda}, {name: d1, path: /dev/disk/by-id/b}]}}`, Field: "spec.devices[0].path", Message: "path must be a disk's stable path"},
		"a path with ..":         {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/../../sda}, {name: d1, path: /dev/disk/by-id/b}]}}`, Field: "spec.devices[0].path", Message: "path must be a disk's stable path"},
		"a path with a new line": {Patch: `{spec: {devices: [{name: d0, path: "/dev/disk/by-id/a\n"}, {name: d1, path: /dev/disk/by-id/b}]}}`, Field: "spec.devices[0].path", Message: "path must be a disk's stable path"},
		"a split disk": {Patch: `{spec: {devices: [{name: ssd, path: /dev/disk/by-id/a, partitions: [{name: slog, size: 64Mi}, {name: l2arc}]}, {name: d0, path: /dev/disk/by-id/b}], ` +
			`pool: {ashift: 12, vdevs: [{type: stripe, devices: [d0]}], log: [{type: stripe, devices: [slog], ashift: 13}], cache: [{type: stripe, devices: [l2arc]}]}}}`},
		"a part of a disk":     {Patch: splitDisk(`{name: slog, size: 64Mi}`)},
		"no partitions":        {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a, partitions: []}], pool: {vdevs: [{type: stripe, devices: [d0]}]}}}`, Field: "spec.devices[0].partitions", Message: "should have at least 1 items"},
		"partitions of a file": {Patch: `{spec: {devices: [{name: f0, file: {size: 1Gi}, partitions: [{name: slog}]}], pool: {vdevs: [{type: stripe, devices: [slog]}]}}}`, Field: "spec.devices[0].partitions", Message: "partitions are for a disk"},
		"a partition without size": {Patch: splitDisk(`{name: a}, {name: slog, size: 1Gi}`),
			Field: "spec.devices[0].partitions", Message: "partitions need a size, all but the last one"},
		"a partition that is too small": {Patch: splitDisk(`{name: slog, size: 63Mi}`),
			Field: "spec.devices[0].partitions[0].size", Message: "size must be",
			GoOnly: "a rule for each partition of each device is too costly"},
		"a partition of half MiB": {Patch: splitDisk(`{name: slog, size: 65537Ki}`),
			Field: "spec.devices[0].partitions[0].size", Message: "size of a partition must be whole MiB",
			GoOnly: "a rule for each partition of each device is too costly"},
		"a partition's name twice": {Patch: splitDisk(`{name: slog, size: 1Gi}, {name: slog}`),
			Field: "spec.devices[0].partitions[1]", Message: "Duplicate value"},
		"a partition named like a device": {Patch: `{spec: {devices: [{name: ssd, path: /dev/disk/by-id/a, partitions: [{name: d9}]}, {name: d9, path: /dev/disk/by-id/b}], pool: {vdevs: [{type: stripe, devices: [d9]}]}}}`, Field: "spec.devices[1]", Message: "Duplicate value", GoOnly: "names of partitions are compared with the names of other devices"},
		"a partition without a place": {Patch: splitDisk(`{name: other, size: 1Gi}, {name: slog}`), Field: "spec.devices",
			Message: "device other has no place in the pool",
			GoOnly:  "names of partitions are compared with the names of other devices"},
		"a split disk used as a whole": {Patch: `{spec: {devices: [{name: ssd, path: /dev/disk/by-id/a, partitions: [{name: slog}]}], pool: {vdevs: [{type: stripe, devices: [ssd]}]}}}`, Field: "spec.pool.vdevs", Message: "names ssd, which is not in spec.devices", GoOnly: "names in pools are compared with the names of partitions"},
		"an ashift of data vdevs": {Patch: `{spec: {pool: {vdevs: [{type: mirror, devices: [d0, d1], ashift: 12}]}}}`,
			Field: "spec.pool.vdevs", Message: "vdevs have the pool's ashift"},
		"an ashift that is too large": {Patch: `{spec: {pool: {log: [{type: stripe, devices: [d1], ashift: 17}]}}}`,
			Field: "spec.pool.log[0].ashift", Message: "should be less than or equal to 16"},
		"a path of a partition": {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a-part1}, {name: d1, path: /dev/disk/by-id/b}]}}`, Field: "spec.devices[0].path", Message: "path must be a whole disk, not a partition"},

		"a file": {Patch: file("64Mi")},
		"a file with a fraction of a unit": {Patch: file("1.5Gi"), Field: fileSize, Message: "size must be a whole " +
			"number of bytes"},
		"a file below 64Mi": {Patch: file(`"67108863"`), Field: fileSize, Message: "size must be a " +
			"whole number of bytes from 64Mi"},
		"a file too small": {Patch: file("63Mi"), Field: fileSize, Message: "size must be a whole " +
			"number of bytes from 64Mi, the least OpenZFS takes, to 64Ti, for example 2Gi"},
		"a file of parts of bytes": {Patch: file(`"67108864.5"`), Field: fileSize, Message: "size must be a " +
			"whole number of bytes from 64Mi"},
		"a file too large": {Patch: file("65Ti"), Field: fileSize, Message: "size must be a whole " +
			"number of bytes from 64Mi"},
		"a file of negative size": {Patch: file("-1Gi"), Field: fileSize, Message: "size must be a whole " +
			"number of bytes from 64Mi"},
		"a file whose size is no quantity": {Patch: file("big"), Field: fileSize, Message: "size must be a whole " +
			"number of bytes from 64Mi"},
		"a file whose size is a number": {Patch: file("2147483648"), Field: fileSize, Message: "must be of type string"},
		"a file whose size has an exponent": {Patch: file(`"2e9"`), Field: fileSize, Message: "size must be a whole " +
			"number of bytes from 64Mi"},
		"a file whose size has a huge exponent": {Patch: file(`"1e99999999"`), Field: fileSize, Message: "size must be a " +
			"whole number of bytes from 64Mi"},
	}
}

// many repeats a flow mapping n times, with its number in place of %d.
func many(n int, format string) string {
	var items []string
	for i := range n {
		items = append(items, strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return strings.Join(items, ", ")
}

// everything uses every part of the API that does not exclude another.
const everything = `
spec:
  nodes: {maxParallel: 1}
  devices:
  - {name: d0, path: /dev/disk/by-id/d0}
  - {name: d1, path: /dev/disk/by-id/d1}
  - {name: log0, path: /dev/disk/by-id/log0}
  - {name: log1, path: /dev/disk/by-id/log1}
  - {name: cache0, path: /dev/disk/by-id/cache0}
  - {name: special0, path: /dev/disk/by-id/special0}
  - {name: special1, path: /dev/disk/by-id/special1}
  - {name: dedup0, path: /dev/disk/by-id/dedup0}
  - {name: dedup1, path: /dev/disk/by-id/dedup1}
  - {name: spare0, path: /dev/disk/by-id/spare0}
  pool:
    ashift: 12
    vdevs: [{type: raidz1, devices: [d0, d1]}]
    log: [{type: mirror, devices: [log0, log1]}]
    cache: [{type: stripe, devices: [cache0]}]
    special: [{type: mirror, devices: [special0, special1]}]
    dedup: [{type: mirror, devices: [dedup0, dedup1]}]
    spares: [spare0]
    properties: {autotrim: "on", dedup_table_quota: 1G, feature@block_cloning: disabled, feature@large_blocks: enabled}
  dataset:
    type: Filesystem
    properties: {recordsize: 1M, compression: zstd-fast-10, dedup: "blake3,verify", sync: always, copies: "2"}
  moduleParameters: {zfs_txg_timeout: "7", zfs_fletcher_4_impl: scalar}
  workloads:
  - name: mixed
    cache: Warm
    fio:
      rw: randrw
      bs: 16k
      size: 1Gi
      numJobs: 4
      ioEngine: io_uring
      ioDepth: 32
      direct: true
      sync: Dsync
      fsync: 100
      endFsync: false
      rwMixRead: 70
      runtime: 2m
      timeBased: true
      rampTime: 10s
      bufferCompressPercentage: 50
      dedupePercentage: 33
  matrix:
    axes:
    - name: layout
      values:
      - {name: raidz1}
      - name: mirror
        pool:
          {ashift: 13, vdevs: [{type: mirror, devices: [d0, d1]}], log: [], spares: [], properties: {autotrim: "off"}}
      - name: small
        pool: {vdevs: [{type: stripe, devices: [d0]}], special: [{type: stripe, devices: [d1]}], dedup: []}
        dataset: {properties: {copies: "1"}}
    - {name: recordsize, property: recordsize, propertyValues: [16K, 1M]}
    exclude: [{layout: small, recordsize: 1M}]
    include: [{name: deduplicated, dataset: {type: Filesystem, properties: {dedup: "sha256,verify"}}}]
  repetitions: {min: 6, max: 15, targetRelativeError: 2.5%, order: Randomized, seed: 42}
  comparison: {reference: layout=raidz1, margin: 1.5%}
  dryRun: true
  timeout: 12h
  suspend: true
  cleanupPolicy: Always
  devicePreparation: None
  ttlSecondsAfterFinished: 86400
`

// largest is as many of everything as the API takes; every rule is still within the API server's budget for one
// request.
func largest() string {
	var vdevs []string
	for i := range 32 {
		vdevs = append(vdevs, fmt.Sprintf("{type: mirror, devices: [f%d, f%d]}", 2*i, 2*i+1))
	}
	return "{" + files(64) + "nodes: {names: [" + many(64, "n%d") + "]}, pool: {vdevs: [" + strings.Join(vdevs, ", ") +
		"]}, moduleParameters: {" + parameters(16) + "}, " +
		"workloads: [" + many(16, "{name: w%d, fio: {rw: randrw, size: 1Gi}}") + "], " +
		"repetitions: {min: 2, max: 2, targetRelativeError: 99.999%}, comparison: {reference: '" + largestReference +
		"', with: [" + largestWith + "]}, thresholds: [" + largestThresholds + "], matrix: " + largestMatrix() + "}}"
}
