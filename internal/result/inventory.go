// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
)

// inventory is what a discovery on a node reports to the manager.
type inventory struct {
	Version int `json:"version"`
	v1alpha1.NodeInventory
}

// inventoryVersion changes when a reader of before would misunderstand the document.
const inventoryVersion = 1

// EncodeInventory writes what a discovery found as JSON. Overlong texts are cut, control characters replaced, and what
// is beyond a list's bound is left out, as are the last disks if the document is too large; omittedDisks counts them.
// Errors: *InvalidError, *SizeError.
func EncodeInventory(found v1alpha1.NodeInventory) ([]byte, error) {
	const document = "inventory"
	all := len(found.Disks)
	found.Disks, found.Pools = first(found.Disks, v1alpha1.MaxNodeDisks), first(found.Pools, v1alpha1.MaxNodePools)
	var fit inventory
	if err := repaired(document, inventory{Version: inventoryVersion, NodeInventory: found}, &fit); err != nil {
		return nil, err
	}
	fit.System.Tools = first(fit.System.Tools, maxNodeTools)
	fit.System.Filesystems = first(fit.System.Filesystems, maxNodeTools)
	for i := range fit.Disks {
		fit.Disks[i].Aliases = first(fit.Disks[i].Aliases, v1alpha1.MaxDiskAliases)
		fit.Disks[i].OfferedBy = nil
	}
	for {
		fit.OmittedDisks = int32(all - len(fit.Disks))
		data, err := encode(document, fit)
		var size *SizeError
		if !errors.As(err, &size) || len(fit.Disks) == 0 {
			return data, err
		}
		fit.Disks = fit.Disks[:len(fit.Disks)*3/4]
	}
}

// maxNodeTools bounds the lists of tools and of filesystems.
const maxNodeTools = 32

func first[T any](list []T, most int) []T { return list[:min(len(list), most)] }

// DecodeInventory reads what EncodeInventory writes, from a source that is not trusted. Errors: *SizeError,
// *FormatError, *InvalidError.
func DecodeInventory(data []byte) (v1alpha1.NodeInventory, error) {
	const document = "inventory"
	var found inventory
	if err := decode(document, data, MaxDocumentBytes, &found); err != nil {
		return v1alpha1.NodeInventory{}, err
	}
	if found.Version != inventoryVersion {
		return v1alpha1.NodeInventory{}, &InvalidError{Document: document, Field: "version",
			Problem: fmt.Sprintf("is %d, this manager reads %d", found.Version, inventoryVersion)}
	}
	if err := (walker{}).walk("", reflect.ValueOf(&found), bound{}); err != nil {
		return v1alpha1.NodeInventory{}, &InvalidError{Document: document, Problem: err.Error()}
	}
	if err := checkInventory(found.NodeInventory); err != nil {
		return v1alpha1.NodeInventory{}, &InvalidError{Document: document, Problem: err.Error()}
	}
	for i := range found.Disks {
		found.Disks[i].OfferedBy = nil // the manager says that
	}
	return found.NodeInventory, nil
}

// checkInventory wants no more than the API stores.
func checkInventory(found v1alpha1.NodeInventory) error {
	longest := map[string][2]int{
		"pools":              {len(found.Pools), v1alpha1.MaxNodePools},
		"disks":              {len(found.Disks), v1alpha1.MaxNodeDisks},
		"system.tools":       {len(found.System.Tools), maxNodeTools},
		"system.filesystems": {len(found.System.Filesystems), maxNodeTools},
	}
	verdicts := []v1alpha1.DiskVerdict{v1alpha1.DiskBlank, v1alpha1.DiskInUse, v1alpha1.DiskRefused}
	for i, disk := range found.Disks {
		at := fmt.Sprintf("disks[%d]", i)
		longest[at+".aliases"] = [2]int{len(disk.Aliases), v1alpha1.MaxDiskAliases}
		longest[at+".check"] = [2]int{len(disk.Check), 64}
		if !slices.Contains(verdicts, disk.Verdict) {
			return fmt.Errorf("%s.verdict: %q is none of %v", at, disk.Verdict, verdicts)
		}
	}
	for field, n := range longest {
		if n[0] > n[1] {
			return fmt.Errorf("%s: more than %d", field, n[1])
		}
	}
	return nil
}
