// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const kustomized = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: zfs-benchmark-operator-config-5hb7c2mk9t
  namespace: zfsbench-system
data:
  config.yaml: |
    # A comment.
    scratch: {directory: /var/lib/zfsbench, totalSize: 20Gi}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: manager
  namespace: zfsbench-system
spec:
  template:
    spec:
      volumes:
      - {name: config, configMap: {name: zfs-benchmark-operator-config-5hb7c2mk9t}}
`

const charted = `
---
# Source: deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: manager
  namespace: zfsbench-system
  labels: {helm.sh/chart: x-0.1.0}
spec:
  template:
    metadata:
      annotations: {checksum/config: abc}
    spec:
      tolerations: []
      volumes:
      - name: config
        configMap:
          name: zfs-benchmark-operator-config
---
# Source: empty.yaml
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: zfs-benchmark-operator-config
  namespace: zfsbench-system
data:
  config.yaml: |
    scratch:
      totalSize: 20Gi
      directory: /var/lib/zfsbench
`

func TestRun(t *testing.T) {
	tests := map[string]struct {
		chart     string
		kustomize string
		wantOut   string
		wantErr   string
	}{
		"only marks, comments and order differ": {chart: charted, kustomize: kustomized},
		"another value in a file of a ConfigMap": {
			chart:     strings.Replace(charted, "20Gi", "21Gi", 1),
			kustomize: kustomized,
			wantOut:   `"21Gi"`,
			wantErr:   "differ",
		},
		"an object that only one has": {
			chart:     charted + "---\nkind: Role\nmetadata: {name: extra, namespace: a}\n",
			kustomize: kustomized,
			wantOut:   "Role/a/extra",
			wantErr:   "differ",
		},
		"an object twice": {
			chart:     charted,
			kustomize: kustomized + "---" + kustomized,
			wantErr:   "appears twice",
		},
		"no YAML": {chart: "a: [", kustomize: kustomized, wantErr: "read a manifest"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			chart, kustomize := write(t, dir, "chart", tt.chart), write(t, dir, "kustomize", tt.kustomize)
			var out bytes.Buffer
			err := run(&out, chart, kustomize)
			if (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("error = %v, want %q", err, tt.wantErr)
			}
			if !strings.Contains(out.String(), tt.wantOut) || tt.wantOut == "" && out.Len() > 0 {
				t.Errorf("output = %s, want %q", out.String(), tt.wantOut)
			}
		})
	}
}

func TestRunReportsAMissingFile(t *testing.T) {
	if err := run(&bytes.Buffer{}, filepath.Join(t.TempDir(), "none"), "none"); err == nil {
		t.Error("no error")
	}
}

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
