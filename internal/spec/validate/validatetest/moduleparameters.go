// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"strings"
)

// ModuleParameters are cases about the parameters of OpenZFS's kernel modules.
func ModuleParameters() map[string]Case {
	const (
		at    = "spec.moduleParameters"
		names = "moduleParameters must have names of parameters"
		value = at + ".zfs_vdev_raidz_impl"
	)
	setting := func(value string) string { return setParameters(fmt.Sprintf("zfs_vdev_raidz_impl: %q", value)) }
	cases := map[string]Case{
		"two":               {Patch: setParameters(`zfs_txg_timeout: "7", l2arc_write_max: "134217728"`)},
		"16":                {Patch: setParameters(parameters(16))},
		"17":                {Patch: setParameters(parameters(17)), Field: at, Message: "at most 16"},
		"in an axis":        varied(`axes: [{name: txg, values: [{name: "5", moduleParameters: {zfs_txg_timeout: "5"}}, {name: "7", moduleParameters: {zfs_txg_timeout: "7"}}]}]`),
		"included":          varied(`include: [{name: a, moduleParameters: {zfs_txg_timeout: "7"}}, {name: b}]`),
		"a name of 64":      {Patch: setParameters(strings.Repeat("a", 64) + `: "1"`)},
		"a name of 65":      {Patch: setParameters(strings.Repeat("a", 65) + `: "1"`), Field: at, Message: names},
		"a name with a dot": {Patch: setParameters(`zfs.zfs_txg_timeout: "1"`), Field: at, Message: names},
		"a path":            {Patch: setParameters(`../../../etc/passwd: "1"`), Field: at, Message: names},
		"no name":           {Patch: setParameters(`"": "1"`), Field: at, Message: names},
		"a value of 65":     {Patch: setting(strings.Repeat("a", 65)), Field: value, Message: "may not be more than 64"},
		"arc_shrink_shift": {Patch: setParameters(`zfs_arc_shrink_shift: "5"`), Field: at, Message: "module parameter " +
			"zfs_arc_shrink_shift cannot be restored after a trial: remove it"},
		"an ARC of 0": {Patch: setParameters(`zfs_arc_max: "0"`), Field: at, Message: "zfs_arc_max must not be " +
			"0, which changes nothing in a running module: leave it out"},
		"0 of another": {Patch: setParameters(`zfs_prefetch_disable: "0"`)},
		"17 in an overlay": refusedVaried(`include: [{name: a, moduleParameters: {`+parameters(17)+`}}]`, "",
			"at most 16"),
		"a value of an overlay": refusedVaried(`include: [{name: a, moduleParameters: {zfs_txg_timeout: "7 "}}]`, "",
			"should match"),
	}
	for name, c := range map[string]Case{
		"a name of an overlay": refusedVaried(`include: [{name: a, moduleParameters: {A: "7"}}]`, "spec.matrix",
			"variant a: moduleParameters: "+names),
		"17 together": {
			Patch: `{spec: {moduleParameters: {` + parameters(16) +
				`}, matrix: {include: [{name: a, moduleParameters: {zfs_txg_timeout: "7"}}]}}}`,
			Field: "spec.matrix", Message: "variant a: moduleParameters: Too many: 17: must have at most 16 items",
		},
		"equal variants": refusedVaried(`axes: [{name: a, values: [{name: one, moduleParameters: {zfs_txg_timeout: "7"}}, {name: two, moduleParameters: {zfs_txg_timeout: "7"}}]}]`,
			"spec.matrix", "variants a=one and a=two have the same pool, dataset and module parameters"),
	} {
		c.GoOnly = perVariant
		cases[name] = c
	}
	for _, good := range []string{"0", "5", "-1", "18446744073709551615", "fastest", "avx512f", "sse4-1",
		"aarch64_neonx2"} {
		cases["the value "+good] = Case{Patch: setting(good)}
	}
	for _, bad := range []string{"", " ", "7\n", "07", "-0", "+7", "0x7", "1G", "1.5", "a b", "-a", "Fastest", "[fastest]",
		"a,b"} {
		cases[fmt.Sprintf("the value %q", bad)] = Case{Patch: setting(bad), Field: value, Message: "should match"}
	}
	return cases
}

// parameters are n of them.
func parameters(n int) string { return many(n, `zfs_a%d: "1"`) }

func setParameters(parameters string) string {
	return "{spec: {moduleParameters: {" + parameters + "}}}"
}
