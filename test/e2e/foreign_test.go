// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"testing"

	"zfsbench.io/operator/hack/devcluster/cluster"
)

// foreign is a pool and a file on the node that belong to somebody else.
type foreign struct {
	node *cluster.Node
	sums string
}

// The pool is imported again at boot, as pools are.
const (
	foreignDirectory = "/var/lib/somebody"
	foreignScript    = `zpool list -H -o name somebody >/dev/null 2>&1 || zpool import -d ` + foreignDirectory + ` somebody
cd ` + foreignDirectory + `; sha256sum notes.txt pool/precious; zpool list -H -o guid,health somebody`
)

func newForeign(t *testing.T, node *cluster.Node) foreign {
	t.Helper()
	onDevNode(t, node, `set -eu
mkdir -p `+foreignDirectory+`; cd `+foreignDirectory+`
head -c 4M /dev/urandom > notes.txt
truncate -s 64M vdev
zpool create -m `+foreignDirectory+`/pool somebody `+foreignDirectory+`/vdev
head -c 8M /dev/urandom > pool/precious
zpool sync somebody; sync`)
	t.Cleanup(func() {
		onDevNode(t, node, "zpool destroy somebody; rm -rf "+foreignDirectory)
	})
	return foreign{node: node, sums: onDevNode(t, node, foreignScript)}
}

// assertUntouched compares every byte.
func (f foreign) assertUntouched(t *testing.T) {
	t.Helper()
	if now := onDevNode(t, f.node, foreignScript); now != f.sums {
		t.Errorf("somebody else's pool or file changed:\nbefore %s\nafter  %s", f.sums, now)
	}
}
