// SPDX-License-Identifier: Apache-2.0

package validatetest

// ExternalTools are cases about workloads of iozone, fs_mark and dbench.
func ExternalTools() map[string]Case {
	accepted := func(tool, options string) Case { return Case{Patch: toolPatch(tool, options)} }
	refused := func(tool, options, field, message string) Case {
		return Case{Patch: toolPatch(tool, options), Field: "spec.workloads[0]." + tool + field, Message: message}
	}
	injected := func(tool, options, message string) Case {
		return Case{Patch: toolPatch(tool, options), Message: message}
	}
	return map[string]Case{
		"iozone, the least": accepted("iozone", `size: 1Gi`),
		"iozone, everything": accepted("iozone",
			`size: 1Gi, recordSize: 64Ki, tests: [write, stride, backward, random, read], threads: 128, includeFlush: true, includeClose: true, sync: true, direct: true, randomData: true`),
		"iozone, recordRewrite": accepted("iozone", `size: 1Gi, tests: [write, recordRewrite]`),
		"iozone without a size": refused("iozone", `threads: 1`, ".size", "value"),
		"iozone, a size too small": refused("iozone", `size: 32Ki`, ".size", "size must be a whole number "+
			"of bytes from 64Ki to 64Ti"),
		"iozone, a size with an injection": injected("iozone", `size: "1Gi -X /x"`, "size must be"),
		"iozone, a size of half a record": refused("iozone", `size: 96Ki, recordSize: 64Ki`, ".size", "size must "+
			"be a multiple of recordSize"),
		"iozone, a recordSize too large": refused("iozone", `size: 1Gi, recordSize: 32Mi`, ".recordSize",
			"recordSize must be a multiple of 1Ki from 1Ki to 16Mi"),
		"iozone, a recordSize of no records": refused("iozone", `size: 1Gi, recordSize: "0"`, ".recordSize",
			"recordSize must be a multiple of 1Ki"),
		"iozone, an odd recordSize": refused("iozone", `size: 1Gi, recordSize: "1500"`, ".recordSize",
			"recordSize must be a multiple of 1Ki"),
		"iozone, no tests": refused("iozone", `size: 1Gi, tests: []`, ".tests",
			"should have at least 1 items"),
		"iozone, an unknown test": refused("iozone", `size: 1Gi, tests: [write, mmap]`, ".tests[1]", "mmap"),
		"iozone, a test twice": refused("iozone", `size: 1Gi, tests: [write, read, read]`, ".tests[2]",
			"Duplicate value"),
		"iozone, read of what was not written": refused("iozone", `size: 1Gi, tests: [read]`, ".tests",
			"tests must have write"),
		"iozone, threads that rewrite records": refused("iozone", `size: 1Gi, tests: [write, recordRewrite], threads: 2`,
			".tests", "iozone has recordRewrite only for one thread"),
		"iozone, too many threads": refused("iozone", `size: 1Gi, threads: 129`, ".threads", "should be "+
			"less than or equal to 128"),
		"iozone, an option that we do not have": injected("iozone", `size: 1Gi, telemetry: /etc/passwd`, "unknown field"),
		"fs_mark, the least":                    accepted("fsmark", ``),
		"fs_mark, everything": accepted("fsmark",
			`files: 1000000, fileSize: 1Gi, writeSize: 1048576, threads: 64, directories: 32, subdirectories: 256, sync: SyncPost`),
		"fs_mark, empty files": accepted("fsmark", `fileSize: "0", sync: None`),
		"fs_mark, too many files": refused("fsmark", `files: 1000001`, ".files", "should be less than or "+
			"equal to 1000000"),
		"fs_mark, files too large": refused("fsmark", `fileSize: 2Gi`, ".fileSize", "fileSize must be a "+
			"whole number of bytes up to 1Gi"),
		"fs_mark, files with an injection": injected("fsmark", `fileSize: "1;reboot"`, "fileSize must be"),
		"fs_mark, writes too large": refused("fsmark", `writeSize: 1048577`, ".writeSize", "should be less "+
			"than or equal to 1048576"),
		"fs_mark, too many threads": refused("fsmark", `threads: 65`, ".threads", "should be less than or "+
			"equal to 64"),
		"fs_mark, threads for two of three": refused("fsmark", `threads: 2, directories: 3`, ".threads", "threads must be "+
			"a multiple of directories"),
		"fs_mark, one subdirectory": refused("fsmark", `subdirectories: 1`, ".subdirectories", "should be "+
			"greater than or equal to 2"),
		"fs_mark, too many subdirectories": refused("fsmark", `subdirectories: 257`, ".subdirectories", "should be "+
			"less than or equal to 256"),
		"fs_mark, an unknown sync":               refused("fsmark", `sync: Often`, ".sync", "Often"),
		"fs_mark, an option that we do not have": injected("fsmark", `logFile: /etc/passwd`, "unknown field"),
		"dbench, the least":                      accepted("dbench", ``),
		"dbench, everything": accepted("dbench",
			`clients: 1000, runtime: 60s, syncOpen: true, syncDirectories: true, fsync: true`),
		"dbench, too many clients": refused("dbench", `clients: 1001`, ".clients", "should be less than or "+
			"equal to 1000"),
		"dbench for too short": refused("dbench", `runtime: 1s`, ".runtime", "runtime must be whole "+
			"seconds from 2s to 24h"),
		"dbench for too long": refused("dbench", `runtime: 25h`, ".runtime", "runtime must be whole "+
			"seconds from 2s to 24h"),
		"dbench, an option that we do not have": injected("dbench", `loadfile: /etc/passwd`, "unknown field"),
	}
}
