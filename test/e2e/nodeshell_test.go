// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// shellNamespace holds the privileged pod through which the tests look at the node.
const shellNamespace = "zfsbench-e2e-shell"

// shellScratch is a directory of the pod on the node's own filesystem, as a runner's journal needs it.
const shellScratch = "/scratch"

// nodeShell runs commands on the node, from a privileged pod, so that the tests need no other access to it.
type nodeShell struct {
	env       *environment
	clientset *kubernetes.Clientset
	pod       string
}

// startNodeShell creates the pod and waits until it runs.
func startNodeShell(ctx context.Context, e *environment) (*nodeShell, error) {
	clientset, err := kubernetes.NewForConfig(e.config)
	if err != nil {
		return nil, fmt.Errorf("node shell: %w", err)
	}
	if err := e.ensureNamespace(ctx, shellNamespace); err != nil {
		return nil, fmt.Errorf("node shell: %w", err)
	}
	pod := shellPod(e.node.Name, e.runnerImage)
	if err := client.IgnoreAlreadyExists(e.client.Create(ctx, pod)); err != nil {
		return nil, fmt.Errorf("node shell: %w", err)
	}
	err = wait.PollUntilContextTimeout(ctx, time.Second, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		err := e.client.Get(ctx, client.ObjectKeyFromObject(pod), pod)
		return pod.Status.Phase == corev1.PodRunning, err
	})
	if err != nil {
		return nil, fmt.Errorf("node shell: pod is %s: %w", pod.Status.Phase, err)
	}
	return &nodeShell{env: e, clientset: clientset, pod: pod.Name}, nil
}

// shellPod sleeps in the runner's image with the node's processes and devices in sight.
func shellPod(node, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: shellNamespace, Name: "shell-" + node},
		Spec: corev1.PodSpec{
			NodeName:                      node,
			HostPID:                       true,
			TerminationGracePeriodSeconds: ptr.To[int64](0),
			Containers: []corev1.Container{{
				Name:            "shell",
				Image:           image,
				ImagePullPolicy: corev1.PullIfNotPresent,
				Command:         []string{"sleep", "infinity"},
				SecurityContext: &corev1.SecurityContext{Privileged: ptr.To(true)},
				VolumeMounts: []corev1.VolumeMount{
					{Name: "dev", MountPath: "/dev"}, {Name: "udev", MountPath: "/run/udev", ReadOnly: true},
					{Name: "scratch", MountPath: shellScratch},
				},
				// The default is below /dev, which is the host's.
				TerminationMessagePath: "/run/termination-log",
			}},
			Volumes: []corev1.Volume{
				hostVolume("dev", "/dev"), hostVolume("udev", "/run/udev"),
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
		},
	}
}

func hostVolume(name, path string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path}}}
}

// await returns when the pod runs again after its node was away.
func (s *nodeShell) await(t *testing.T) {
	t.Helper()
	var last error
	await(t, "the node's shell", func() (bool, error) {
		_, last = s.run(context.Background(), "true")
		return last == nil, nil
	}, func() string { return fmt.Sprint(last) })
}

// run executes a command in the node's own namespaces and returns its standard output.
func (s *nodeShell) run(ctx context.Context, argv ...string) (string, error) {
	return s.runInPod(ctx, append([]string{"nsenter", "-t", "1", "-m", "-u", "-i", "-n", "-p", "--"}, argv...)...)
}

// runInPod executes a command in the pod, where the runner image's tools are.
func (s *nodeShell) runInPod(ctx context.Context, argv ...string) (string, error) {
	request := s.clientset.CoreV1().RESTClient().Post().Resource("pods").Namespace(shellNamespace).Name(s.pod).
		SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Container: "shell", Command: argv, Stdout: true, Stderr: true},
			scheme.ParameterCodec)
	executor, err := remotecommand.NewWebSocketExecutor(s.env.config, "GET", request.URL().String())
	if err != nil {
		return "", fmt.Errorf("exec: %w", err)
	}
	var stdout, stderr bytes.Buffer
	if err := executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: &stdout, Stderr: &stderr}); err != nil {
		return stdout.String(), fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
