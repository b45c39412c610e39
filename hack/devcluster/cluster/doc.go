// Package cluster runs a real Kubernetes cluster with real OpenZFS on a machine that has neither: etcd and the
// control plane are processes of this machine, each storage node is a virtual machine running Debian with
// OpenZFS, containerd, the kubelet and throttled virtio disks. Everything lives in a network namespace of its own and
// in the cache directory.
//
// Up brings a cluster up, Open finds the running one, Down removes it. There is one cluster per run directory.
package cluster
