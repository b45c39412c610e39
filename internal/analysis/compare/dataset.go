// SPDX-License-Identifier: Apache-2.0

package compare

import "zfsbench.io/operator/api/v1alpha1"

// Dataset describes a dataset in words, without its properties and without another filesystem on it, for example
// "sparse volume of 8Gi" or "persistent volume (zfs) of 8Gi".
func Dataset(d v1alpha1.DatasetSpec) string {
	text := "filesystem"
	switch p := d.PersistentVolume; {
	case p != nil && p.FSType != "":
		text = "persistent volume (" + string(p.FSType) + ") of " + p.Size.String()
	case p != nil:
		text = "persistent volume (block) of " + p.Size.String()
	case d.Volume != nil:
		text = "volume of " + d.Volume.Size.String()
	case d.Quota != nil:
		text = "filesystem of " + d.Quota.Size.String()
	}
	if size, sparse := d.Room(); size > 0 && sparse {
		text = "sparse " + text
	}
	return text
}
