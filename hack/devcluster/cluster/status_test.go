package cluster

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatusWrite(t *testing.T) {
	tests := map[string]struct {
		status Status
		want   string
	}{
		"nothing": {Status{}, "no cluster\n"},
		"one node": {
			Status{
				Up: true, KubernetesVersion: "v1.36.3", Kubeconfig: "/run/kubeconfig",
				Components: []ComponentStatus{{Name: "etcd", PID: 12, Running: true}, {Name: "kube-apiserver", PID: 13}},
				Nodes: []NodeStatus{{
					Name: "storage-0", Machine: ComponentStatus{PID: 14, Running: true}, Accel: "tcg", Ready: "True",
					Disks: []Disk{
						{Name: "d0", SizeBytes: gibibyte, Throttle: Throttle{BytesPerSecond: 200 * mebibyte, IOPS: 4000}},
						{Name: "big", SizeBytes: 1536 * mebibyte},
					},
				}},
			},
			`COMPONENT       PID  STATE
etcd            12   running
kube-apiserver  -    stopped

NODE       PID  STATE    READY  PROCESSORS
storage-0  14   running  True   tcg

NODE       DISK  SIZE     BANDWIDTH  IOPS       DEVICE
storage-0  d0    1GiB     200MiB/s   4000       /dev/disk/by-id/virtio-zfsbench-d0
storage-0  big   1536MiB  unlimited  unlimited  /dev/disk/by-id/virtio-zfsbench-big

Kubernetes v1.36.3
kubeconfig /run/kubeconfig
`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := test.status.Write(&out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}
