// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// assertNothingLeft proves that neither the node nor the cluster holds anything of a benchmark that is gone.
func assertNothingLeft(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	assertNodeClean(t)
	assertNoObjects(t, obj)
}

// assertNodeClean proves that the node has no pool, partition, mount, loop device, process or scratch file of ours, and
// that every disk is blank.
func assertNodeClean(t *testing.T) {
	t.Helper()
	// One script, since each command on an emulated node takes seconds to begin. A command that finds nothing may exit
	// non-zero; only its output counts.
	script := `disks="$*"
look() { what=$1; shift; "$@" 2>/dev/null | sed "s/^ */$what: /"; }
look pool zpool list -H -o name
look partition lsblk -nro NAME,TYPE $disks | grep -v ' disk$'
look mount findmnt -rn -N 1 -t zfs
look mount sh -c 'findmnt -rn -N 1 -o TARGET | grep ^/var/lib/zfsbench/'
look 'scratch file' find /var/lib/zfsbench ` + faultScratch + ` -mindepth 1 -not -name lock -not -name lost+found -not -path '*/residues*' -not -path '*/series*'
look process pgrep -a -x 'fio|runner|exe'
look 'md array' grep ^md /proc/mdstat
look 'loop device' losetup --list --noheadings
for disk in $disks; do
  wipefs --no-act "$disk" 2>&1 | sed "s#^#signature of $disk: #"
done
true`
	found := onNode(t, append([]string{"sh", "-c", script, "sh"}, diskPaths()...)...)
	for line := range strings.Lines(found) {
		if !strings.Contains(line, "somebody") {
			t.Errorf("left on the node: %s", strings.TrimSpace(line))
		}
	}
}

// assertNoObjects proves that the runner namespace holds nothing of the benchmark.
func assertNoObjects(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	ofBenchmark := client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(obj.UID)}
	lists := map[string]client.ObjectList{
		"Jobs": &batchv1.JobList{}, "Pods": &corev1.PodList{}, "ConfigMaps": &corev1.ConfigMapList{},
		"ServiceAccounts": &corev1.ServiceAccountList{},
		"Roles":           &rbacv1.RoleList{}, "RoleBindings": &rbacv1.RoleBindingList{},
		"Leases": &coordinationv1.LeaseList{},
	}
	for kind, list := range lists {
		await(t, kind+" of "+obj.Name+" gone", func() (bool, error) {
			err := suite.client.List(context.Background(), list, client.InNamespace(runnerNamespace), ofBenchmark)
			return meta.LenList(list) == 0, err
		}, func() string { return kind + " are left in " + runnerNamespace })
	}
	// The cluster's garbage collector takes them: it may have lost the API server for a while.
	results := &corev1.ConfigMapList{}
	await(t, "results of "+obj.Name+" gone", func() (bool, error) {
		err := suite.client.List(context.Background(), results, client.InNamespace(obj.Namespace), ofBenchmark)
		return len(results.Items) == 0, err
	}, func() string { return "results ConfigMaps are left in " + obj.Namespace })
}

// diskPaths are the paths of all disks of the suite.
func diskPaths() []string {
	paths := make([]string, 0, len(suite.disks))
	for _, d := range suite.disks {
		paths = append(paths, d.path)
	}
	return paths
}
