// SPDX-License-Identifier: Apache-2.0

package validatetest

// Pgbench are cases about workloads of pgbench.
func Pgbench() map[string]Case {
	accepted := func(options string) Case { return Case{Patch: toolPatch("pgbench", options)} }
	refused := func(options, field, message string) Case {
		return Case{Patch: toolPatch("pgbench", options), Field: "spec.workloads[0].pgbench" + field, Message: message}
	}
	injected := func(options, message string) Case {
		return Case{Patch: toolPatch("pgbench", options), Message: message}
	}
	const runtime, buffers = "runtime must be whole seconds from 1s to 24h", "sharedBuffers must be a multiple of 1Mi " +
		"from 1Mi to 64Gi"
	return map[string]Case{
		"the least":                     accepted(``),
		"the most":                      accepted(`script: SimpleUpdate, scale: 10000, clients: 256, runtime: 24h, sharedBuffers: 64Gi, fullPageWrites: false`),
		"only reading":                  accepted(`script: SelectOnly, scale: 1, clients: 1, runtime: 1s, sharedBuffers: 1Mi, fullPageWrites: true`),
		"another script":                refused(`script: "/etc/passwd"`, ".script", "/etc/passwd"),
		"too large":                     refused(`scale: 10001`, ".scale", "should be less than or equal to 10000"),
		"too small":                     refused(`scale: -1`, ".scale", "should be greater than or equal to 1"),
		"too many":                      refused(`clients: 257`, ".clients", "should be less than or equal to 256"),
		"too long":                      refused(`runtime: 25h`, ".runtime", runtime),
		"too short":                     refused(`runtime: 0s`, ".runtime", runtime),
		"odd buffers":                   refused(`sharedBuffers: "1048577"`, ".sharedBuffers", buffers),
		"large buffers":                 refused(`sharedBuffers: 65Gi`, ".sharedBuffers", buffers),
		"no buffers":                    refused(`sharedBuffers: "0"`, ".sharedBuffers", buffers),
		"buffers with an injection":     injected(`sharedBuffers: "1Mi -c log_destination=x"`, "sharedBuffers must be"),
		"an option that we do not have": injected(`settings: [archive_command=reboot]`, "unknown field"),
	}
}
