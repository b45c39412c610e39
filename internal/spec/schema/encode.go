// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"errors"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
)

var (
	errExponent = errors.New("sizes must be written without an exponent, for example 8Gi")

	quantity = reflect.TypeFor[resource.Quantity]()
)

// Encode returns a typed value as JSON. It refuses quantities with an exponent, as the CRDs do: to encode one such as
// 1e99999999 keeps a processor busy for minutes.
func Encode(value any) ([]byte, error) {
	if hasExponent(reflect.ValueOf(value)) {
		return nil, errExponent
	}
	return json.Marshal(value)
}

// hasExponent says whether any quantity in v, at any depth, is written with an exponent. Keys of maps are text.
func hasExponent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && hasExponent(v.Elem())
	case reflect.Struct:
		if v.Type() == quantity {
			return v.FieldByName("Format").String() == string(resource.DecimalExponent)
		}
		for i := range v.NumField() {
			if hasExponent(v.Field(i)) {
				return true
			}
		}
	case reflect.Slice, reflect.Array, reflect.Map:
		for _, item := range v.Seq2() {
			if hasExponent(item) {
				return true
			}
		}
	}
	return false
}
