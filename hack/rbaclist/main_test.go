// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const manifests = `
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: manager
  labels: {rbac.authorization.k8s.io/aggregate-to-view: "true", rbac.authorization.k8s.io/aggregate-to-edit: "false"}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [list, get]}
- {apiGroups: [zfsbench.io], resources: [zfsbenchmarks/status], verbs: [patch]}
- {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: manager, namespace: system}
rules:
- {apiGroups: ["", events.k8s.io], resources: [events], verbs: [create]}
- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [lock], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: manager, namespace: system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: manager}
subjects: [{kind: ServiceAccount, name: manager, namespace: system}, {kind: Group, name: storage}]
`

const list = `ClusterRole manager: get /metrics
ClusterRole manager: get nodes
ClusterRole manager: is part of view
ClusterRole manager: list nodes
ClusterRole manager: patch zfsbenchmarks.zfsbench.io/status
Role system/manager: create events
Role system/manager: create events.events.k8s.io
Role system/manager: get leases.coordination.k8s.io lock
RoleBinding system/manager: Group storage is Role system/manager
RoleBinding system/manager: ServiceAccount system/manager is Role system/manager
`

func TestRun(t *testing.T) {
	tests := map[string]struct {
		manifests string
		golden    string
		wantOut   string
		wantErr   string
	}{
		"the same": {manifests: manifests, golden: list},
		"one right more": {
			manifests: strings.Replace(manifests, "[list, get]", "[list, get, patch]", 1), golden: list,
			wantOut: "+ ClusterRole manager: patch nodes\n", wantErr: "other rights",
		},
		"one right less": {
			manifests: strings.Replace(manifests, "[list, get]", "[get]", 1), golden: list,
			wantOut: "- ClusterRole manager: list nodes\n", wantErr: "other rights",
		},
		"for all names": {
			manifests: strings.Replace(manifests, "resourceNames: [lock], ", "", 1), golden: list,
			wantOut: "+ Role system/manager: get leases.coordination.k8s.io\n", wantErr: "other rights",
		},
		"for others": {
			manifests: strings.Replace(manifests, "{kind: Group, name: storage}", "{kind: Group, name: all}", 1), golden: list,
			wantOut: "+ RoleBinding system/manager: Group all is Role system/manager\n", wantErr: "other rights",
		},
		"a misspelt field": {manifests: strings.Replace(manifests, "verbs: [patch]", "verb: [patch]", 1),
			wantErr: "unknown field"},
		"no YAML": {manifests: "a: [", wantErr: "read a manifest"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(&out, write(t, "golden", tt.golden), false, []string{write(t, "manifests", tt.manifests)})
			check(t, out.String(), err, tt.wantOut, tt.wantErr)
		})
	}
}

func TestRefuse(t *testing.T) {
	tests := map[string]struct{ rule, want string }{
		"every verb":        {`{apiGroups: [""], resources: [nodes], verbs: ["*"]}`, "ClusterRole more has a wildcard: *"},
		"every group":       {`{apiGroups: ["*"], resources: [nodes], verbs: [get]}`, "has a wildcard: *"},
		"every resource":    {`{apiGroups: [""], resources: ["*"], verbs: [get]}`, "has a wildcard: *"},
		"every subresource": {`{apiGroups: [""], resources: ["pods/*"], verbs: [get]}`, "has a wildcard: pods/*"},
		"every address":     {`{nonResourceURLs: ["/api/*"], verbs: [get]}`, "has a wildcard: /api/*"},
		"Secrets":           {`{apiGroups: [""], resources: [nodes, secrets], verbs: [list]}`, "has rights on secrets"},
		"one Secret": {`{apiGroups: [""], resources: [secrets], resourceNames: [one], verbs: [get]}`,
			"has rights on secrets"},
		"tokens": {`{apiGroups: [""], resources: [serviceaccounts/token], verbs: [create]}`,
			"has rights on serviceaccounts/token"},
		"exec": {`{apiGroups: [""], resources: [pods/exec], verbs: [create]}`, "has rights on pods/exec"},
		"ephemeral container": {`{apiGroups: [""], resources: [pods/ephemeralcontainers], verbs: [patch]}`,
			"has rights on pods/ephemeralcontainers"},
		"escalate":    {`{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate]}`, "may escalate"},
		"bind":        {`{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [create, bind]}`, "may bind"},
		"impersonate": {`{apiGroups: [""], resources: [users], verbs: [impersonate]}`, "may impersonate"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			more := manifests + "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: more}\n" +
				"rules: [" + tt.rule + "]\n"
			refused(t, more, tt.want)
		})
	}
	t.Run("cluster-admin", func(t *testing.T) {
		refused(t, strings.Replace(manifests, "kind: Role, name: manager", "kind: ClusterRole, name: cluster-admin", 1),
			"RoleBinding system/manager gives ClusterRole cluster-admin, which is not among the manifests")
	})
	t.Run("aggregated", func(t *testing.T) {
		refused(t, manifests+"---\nkind: ClusterRole\nmetadata: {name: more}\naggregationRule: {}\n",
			"ClusterRole more collects rights of other roles")
	})
}

// refused checks that manifests are refused whether or not there is a golden list, and that none is written.
func refused(t *testing.T, manifests, want string) {
	t.Helper()
	file, golden := write(t, "manifests", manifests), write(t, "golden", "")
	for _, update := range []bool{false, true} {
		var out bytes.Buffer
		err := run(&out, golden, update, []string{file})
		check(t, out.String(), err, want, "must not have")
	}
	if content, err := os.ReadFile(golden); err != nil || len(content) > 0 {
		t.Errorf("golden list: %s, %v", content, err)
	}
}

func TestUpdate(t *testing.T) {
	golden := write(t, "golden", "")
	if err := run(&bytes.Buffer{}, golden, true, []string{write(t, "manifests", manifests)}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(golden); err != nil || string(got) != list {
		t.Errorf("golden list: %s, %v", got, err)
	}
}

func TestMissingFiles(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for name, files := range map[string][]string{"manifests": {none}, "golden list": {write(t, "manifests", manifests)}} {
		t.Run(name, func(t *testing.T) {
			if err := run(&bytes.Buffer{}, none, false, files); err == nil {
				t.Error("no error")
			}
		})
	}
}

func check(t *testing.T, out string, err error, wantOut, wantErr string) {
	t.Helper()
	if (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
		t.Errorf("error = %v, want %q", err, wantErr)
	}
	if !strings.Contains(out, wantOut) || wantErr == "" && out != "" {
		t.Errorf("output = %s, want %q", out, wantOut)
	}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
