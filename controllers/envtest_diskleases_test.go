// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// Two nodes reach one disk, by different names: what runs on one keeps the other waiting, until it has given the disk
// back.
func TestSharedDisk(t *testing.T) {
	p := newPlay(t)
	first, second := p.node("storage-0", nil), p.node("storage-1", nil)
	const one, other = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4", "/dev/disk/by-id/scsi-35000c500a1b2c3d4"
	p.offer(first, one)
	p.offer(second, other)
	a := p.create(MakeBenchmark(p.namespace, "a").Node(first.Name).Disk(one).Obj())
	ra := p.runner(a, "storage-0")
	b := p.create(MakeBenchmark(p.namespace, "b").Node(second.Name).Disk(other).Obj())
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionFalse, v1alpha1.ReasonQueued, "Next", second.Name, other+
		" is in use by "+p.namespace+"/a")
	if p.lease(second) != nil {
		t.Error("what waits for a disk holds its node meanwhile")
	}
	ra.complete()
	p.waitPhase(a, v1alpha1.PhaseComplete)
	p.runner(b, "storage-1").complete()
	p.waitPhase(b, v1alpha1.PhaseComplete)
	p.waitReleased(second)
}

// One benchmark whose nodes share a disk runs on one after the other.
func TestSharedDiskOfOneBenchmark(t *testing.T) {
	p := newPlay(t)
	const disk = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d5"
	first, second := p.node("storage-0", nil), p.node("storage-1", nil)
	p.offer(first, disk)
	p.offer(second, disk)
	b := p.create(MakeBenchmark(p.namespace, "a").Node(first.Name, second.Name).Disk(disk).Obj())
	p.runner(b, "storage-0").complete()
	p.runner(b, "storage-1").complete()
	p.waitPhase(b, v1alpha1.PhaseComplete)
}
