// SPDX-License-Identifier: Apache-2.0

package validatetest

import "fmt"

// Escapes are cases about fio's options and engines that execute, or reach other than the target: none is a field or a
// value of one.
func Escapes() map[string]Case {
	all := map[string]Case{}
	for _, option := range fioOptions() {
		all["the option "+option] = Case{
			Patch: fioPatch(fmt.Sprintf(`rw: read, size: 1Gi, %q: "x"`, option)), Message: "unknown field",
		}
	}
	for _, engine := range fioEngines() {
		all["the engine "+engine] = refusedFio(fmt.Sprintf(`rw: read, size: 1Gi, ioEngine: %q`, engine),
			"spec.workloads[0].fio.ioEngine", "Unsupported value")
	}
	return all
}

// fioOptions execute a program, read or write other files, take a device, change the node, or talk to a network.
// Spelled as fio does, and as a field of ours would be.
func fioOptions() []string {
	return []string{
		"exec_prerun", "exec_postrun", "execPrerun", "execPostrun", "program", "arguments", "grace_time",
		"trigger", "trigger-file", "trigger-timeout", "trigger-remote", "include",
		"filename", "directory", "filename_format", "opendir", "unique_filename", "file_service_type", "name",
		"write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log", "read_iolog", "write_iolog",
		"merge_blktrace_file", "replay_redirect",
		"replay_no_stall", "buffer_pattern", "verify", "verify_pattern", "verify_state_save", "verify_state_load", "mem",
		"iomem",
		"output", "aux-path", "aux_path", "ioscheduler", "cgroup", "cgroup_weight", "cgroup_nodelete", "uid", "gid", "prio",
		"prioclass", "nice",
		"cpus_allowed", "cpumask", "numa_cpu_nodes", "numa_mem_policy", "lockmem", "hugepage-size", "fill_device", "fill_fs",
		"allow_mounted_write",
		"server", "client", "daemonize", "hostname", "port", "cmd_type", "zonemode", "profile", "thread", "unlink",
		"pre_read",
	}
}

func fioEngines() []string {
	return []string{
		"exec", "external:/tmp/x.so", "external:x", "../x", "/tmp/x.so", "sg", "io_uring_cmd", "net", "netsplice", "rdma",
		"http", "nbd", "nfs", "rbd", "rados", "gfapi",
		"libhdfs", "mtd", "dev-dax", "libpmem", "pmemblk", "e4defrag", "splice", "cpuio", "falloc", "ftruncate", "filecreate",
		"filedelete", "null",
		"psync\n", "psync\nexec_prerun=reboot", " psync", "psync:", "PSYNC", "libblkio", "windowsaio",
	}
}
