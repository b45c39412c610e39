// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// forTeamAFiles is a policy that consents to files, and to nothing else.
const forTeamAFiles = forTeamA + "fileDevices: Allowed\n"

// TestConfiguredLimits sets the limits of the configuration, which hold without any policy.
func TestConfiguredLimits(t *testing.T) {
	tests := map[string]struct {
		spec     string
		policies map[string]string
		timeout  time.Duration
		files    FileDevices
		// want is the timeout that is granted; reason and message are fields of the refusal.
		want    time.Duration
		reason  string
		message []string
	}{
		"a timeout up to the limit": {spec: onFiles + "timeout: 24h\n", timeout: 24 * time.Hour, want: 24 * time.Hour},
		"a timeout beyond it, without a policy": {
			spec: onFiles + "timeout: 720h\n", timeout: 24 * time.Hour, reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"spec.timeout is 720h0m0s", "allows at most 24h0m0s (maxTimeout)", "raise maxTimeout"},
		},
		"a timeout beyond it, and a policy that allows more": {
			spec: onFiles + "timeout: 720h\n", policies: map[string]string{"p": forTeamA + "maxTimeout: 720h\n"},
			timeout: 24 * time.Hour,
			reason:  v1alpha1.ReasonPolicyMismatch, message: []string{"allows at most 24h0m0s (maxTimeout)"},
		},
		"a policy that allows less": {
			spec: onFiles, policies: map[string]string{"p": forTeamA + "maxTimeout: 1h\n"}, timeout: 24 * time.Hour,
			want: time.Hour,
		},
		"a policy that allows more": {
			spec: onFiles, policies: map[string]string{"p": forTeamA + "maxTimeout: 48h\n"}, timeout: 24 * time.Hour,
			want: 24 * time.Hour,
		},
		"files, allowed": {spec: onFiles, files: FileDevicesAllowed},
		"files, forbidden": {
			spec: onFiles, policies: map[string]string{"p": forTeamAFiles}, files: FileDevicesForbidden,
			reason:  v1alpha1.ReasonPolicyMismatch,
			message: []string{"spec.devices has the file devices f0, f1", "(fileDevices: Forbidden)"},
		},
		"files, without a policy": {
			spec: onFiles, files: FileDevicesByPolicy, reason: v1alpha1.ReasonNoPolicy,
			message: []string{"No BenchmarkDevicePolicy lets namespace team-a use the file devices f0, f1 on node storage-0",
				"fileDevices: Allowed}}"},
		},
		"files, with a policy that does not say so": {
			spec: onFiles, policies: map[string]string{"p": forTeamA}, files: FileDevicesByPolicy,
			reason:  v1alpha1.ReasonPolicyMismatch,
			message: []string{"could set spec.fileDevices of BenchmarkDevicePolicy p to Allowed"},
		},
		"files, with a policy that says so": {spec: onFiles, policies: map[string]string{"p": forTeamAFiles},
			files: FileDevicesByPolicy},
		"disks only": {spec: onDisks, policies: map[string]string{"p": bothDisks},
			files: FileDevicesForbidden},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := Input{Benchmark: benchmark(t, tt.spec), Node: testNode(), Defaults: testDefaults()}
			in.Defaults.MaxTimeout, in.Defaults.FileDevices = tt.timeout, tt.files
			for name, spec := range tt.policies {
				in.Policies = append(in.Policies, policy(t, name, spec))
			}
			got, err := Consent(in)
			if got.MaxTimeout != tt.want {
				t.Errorf("the longest timeout is %s, want %s", got.MaxTimeout, tt.want)
			}
			checkConsentError(t, err, tt.reason, tt.message)
		})
	}
}

// TestNamespaceUID asks for disks from a namespace whose UID a policy names.
func TestNamespaceUID(t *testing.T) {
	const mine, before = "1f0c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11", "2f0c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11"
	tests := map[string]struct {
		uids, uid string
		reason    string
		message   []string
	}{
		"none named":            {uid: mine},
		"its own":               {uids: "namespaceUIDs: [{name: team-a, uid: " + mine + "}]\n", uid: mine},
		"of another namespace":  {uids: "namespaceUIDs: [{name: team-b, uid: " + before + "}]\n", uid: mine},
		"outside of Kubernetes": {uids: "namespaceUIDs: [{name: team-a, uid: " + before + "}]\n"},
		"made again": {
			uids: "namespaceUIDs: [{name: team-a, uid: " + before + "}]\n", uid: mine, reason: v1alpha1.ReasonPolicyMismatch,
			message: []string{"but for a namespace team-a with UID " + before + ", and this one has UID " + mine,
				"spec.namespaceUIDs"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := policy(t, "p", bothDisks+tt.uids)
			p.Spec.Namespaces = append(p.Spec.Namespaces, "team-b")
			_, err := Consent(Input{
				Benchmark: benchmark(t, onDisks), NamespaceUID: tt.uid, Node: testNode(),
				Policies: []v1alpha1.BenchmarkDevicePolicy{p}, Defaults: testDefaults(),
			})
			checkConsentError(t, err, tt.reason, tt.message)
		})
	}
}
