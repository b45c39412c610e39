// SPDX-License-Identifier: Apache-2.0

package localpv

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Definition is the content of one of the driver's CustomResourceDefinitions.
type Definition struct {
	// Name is the name of the definition.
	Name string
	// Versions are the served versions, with the schemas of the fields below spec.
	Versions []DefinedVersion
}

// DefinedVersion is a version of a definition.
type DefinedVersion struct {
	Name   string
	Fields map[string]Field
}

// Field is the schema of a string field.
type Field struct {
	Pattern string
	Enum    []string
}

// ParseDefinition reads a CustomResourceDefinition in JSON, as the API server returns it.
func ParseDefinition(data []byte) (Definition, error) {
	var crd struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			Versions []struct {
				Name   string `json:"name"`
				Served bool   `json:"served"`
				Schema struct {
					OpenAPIV3Schema struct {
						Properties struct {
							Spec struct {
								Properties map[string]struct {
									Pattern string `json:"pattern"`
									Enum    []any  `json:"enum"`
								} `json:"properties"`
							} `json:"spec"`
						} `json:"properties"`
					} `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(data, &crd); err != nil {
		return Definition{}, fmt.Errorf("read the driver's definition: %w", err)
	}
	d := Definition{Name: crd.Metadata.Name}
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		fields := map[string]Field{}
		for name, f := range v.Schema.OpenAPIV3Schema.Properties.Spec.Properties {
			field := Field{Pattern: f.Pattern}
			for _, value := range f.Enum {
				field.Enum = append(field.Enum, fmt.Sprint(value))
			}
			fields[name] = field
		}
		d.Versions = append(d.Versions, DefinedVersion{Name: v.Name, Fields: fields})
	}
	return d, nil
}

// fieldOf maps a parameter of a StorageClass to the field of a ZFSVolume's spec, where the names differ.
var fieldOf = map[string]string{"poolname": "poolName", "thinprovision": "thinProvision", "fstype": "fsType"}

// Lacks says in a sentence what the definition lacks for these StorageClass parameters; empty if nothing. Without
// parameters it checks only the version.
func (d Definition) Lacks(parameters map[string]string) string {
	i := slices.IndexFunc(d.Versions, func(v DefinedVersion) bool { return v.Name == Version })
	if i < 0 {
		var names []string
		for _, v := range d.Versions {
			names = append(names, v.Name)
		}
		return fmt.Sprintf("CustomResourceDefinition %s serves %s, but this operator reads %s: install a release of "+
			"zfs-localpv from 2.0 on.", d.Name, cmp.Or(strings.Join(names, ", "), "nothing"), Version)
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		field, known := d.Versions[i].Fields[cmp.Or(fieldOf[name], name)]
		if !known {
			return fmt.Sprintf("The zfs-localpv of this cluster has no parameter %s: install a newer release, from 2.0 on.",
				name)
		}
		if !field.accepts(parameters[name]) {
			return fmt.Sprintf("The zfs-localpv of this cluster does not take %s=%s: install a newer release, or leave the "+
				"property out.", name, parameters[name])
		}
	}
	return ""
}

// accepts says whether the API server would accept the value. A pattern that this build cannot parse is left to the API
// server.
func (f Field) accepts(value string) bool {
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, value) {
		return false
	}
	pattern, err := regexp.Compile(f.Pattern)
	return err != nil || pattern.MatchString(value)
}
