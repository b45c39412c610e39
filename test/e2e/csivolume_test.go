// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// userNamespace is where a pod that uses a volume lives: nothing with privileges may.
const userNamespace = "zfsbench-e2e-user"

// volumeUser is somebody's claim, and their pod, which writes into it and ends.
type volumeUser struct {
	claim *corev1.PersistentVolumeClaim
	pod   *corev1.Pod
}

// newVolumeUser creates both. When the test ends they are deleted and nothing of the volume may be left.
func newVolumeUser(t *testing.T, class string) volumeUser {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: userNamespace,
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	u := volumeUser{claim: userClaim(class), pod: userPod()}
	t.Cleanup(func() {
		if err := suite.deleteNamespace(context.Background(), userNamespace); err != nil {
			t.Errorf("delete the user: %v\n%s", err, u.describe())
		}
		awaitNoVolumes(t)
		awaitNoPersistentVolumes(t, class)
	})
	for _, obj := range []client.Object{namespace, u.claim, u.pod} {
		if err := suite.client.Create(t.Context(), obj); err != nil {
			t.Fatalf("create %T %s: %v", obj, obj.GetName(), err)
		}
	}
	return u
}

func userClaim(class string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: userNamespace, Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class,
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse("128Mi"),
			}},
		},
	}
}

// userPod writes some data and prints how it is mounted.
func userPod() *corev1.Pod {
	const nobody = 65534
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: userNamespace, Name: "user"},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: ptr.To[int64](nobody), RunAsGroup: ptr.To[int64](nobody),
				FSGroup:        ptr.To[int64](nobody),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "user", Image: suite.runnerImage, ImagePullPolicy: corev1.PullIfNotPresent,
				Command: []string{"sh", "-ec",
					"head -c 4M /dev/urandom > /data/file; sync; findmnt -n -o FSTYPE,OPTIONS /data"},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
				VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
			}},
			Volumes: []corev1.Volume{{Name: "data",
				VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
				}}},
		},
	}
}

// writes waits until the pod has written and returns what it printed.
func (u volumeUser) writes(t *testing.T) string {
	t.Helper()
	await(t, "the user's pod", func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(u.pod), u.pod)
		return u.pod.Status.Phase == corev1.PodSucceeded || u.pod.Status.Phase == corev1.PodFailed, err
	}, u.describe)
	logs, err := suite.shell.clientset.CoreV1().Pods(userNamespace).GetLogs(u.pod.Name,
		&corev1.PodLogOptions{}).DoRaw(t.Context())
	if err != nil || u.pod.Status.Phase != corev1.PodSucceeded {
		t.Fatalf("the user's pod %s, log %v:\n%s\n%s", u.pod.Status.Phase, err, logs, u.describe())
	}
	return strings.TrimSpace(string(logs))
}

// dataset is the claim's, on the node.
func (u volumeUser) dataset(t *testing.T) string {
	t.Helper()
	if err := suite.client.Get(t.Context(), client.ObjectKeyFromObject(u.claim), u.claim); err != nil {
		t.Fatal(err)
	}
	volume := &corev1.PersistentVolume{}
	if err := suite.client.Get(t.Context(), client.ObjectKey{Name: u.claim.Spec.VolumeName}, volume); err != nil {
		t.Fatal(err)
	}
	source := volume.Spec.CSI
	if source == nil || source.Driver != csiDriverName || source.VolumeAttributes[csiPoolAttribute] == "" {
		t.Fatalf("PersistentVolume %s is of %+v", volume.Name, source)
	}
	return source.VolumeAttributes[csiPoolAttribute] + "/" + source.VolumeHandle
}

// describe renders what stands in the way.
func (u volumeUser) describe() string {
	var text strings.Builder
	fmt.Fprintf(&text, "claim %s, pod %s\n", u.claim.Status.Phase, u.pod.Status.Phase)
	events := &corev1.EventList{}
	if err := suite.client.List(context.Background(), events, client.InNamespace(userNamespace)); err != nil &&
		!apierrors.IsNotFound(err) {
		fmt.Fprintln(&text, "events:", err)
	}
	for _, e := range events.Items {
		fmt.Fprintf(&text, "event: %s %s %s: %s\n", e.InvolvedObject.Kind, e.Type, e.Reason, e.Message)
	}
	return text.String() + describeCSIDriver()
}

// awaitNoPersistentVolumes waits until the cluster has no volume of the class.
func awaitNoPersistentVolumes(t *testing.T, class string) {
	t.Helper()
	await(t, "no PersistentVolume of "+class, func() (bool, error) {
		volumes := &corev1.PersistentVolumeList{}
		if err := suite.client.List(context.Background(), volumes); err != nil {
			return false, err
		}
		for _, v := range volumes.Items {
			if v.Spec.StorageClassName == class {
				return false, nil
			}
		}
		return true, nil
	}, describeCSIDriver)
}
