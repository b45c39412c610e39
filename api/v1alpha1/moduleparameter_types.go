// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ModuleParameterValue is the value of a parameter of OpenZFS's kernel modules, as the module shows it: a decimal
// number without leading zeros, or a word. Numbers need quotes in YAML.
//
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:Pattern=`^(0|-?[1-9][0-9]{0,19}|[a-z][a-z0-9_-]*)$`
type ModuleParameterValue string

// ModuleParameters are parameters of OpenZFS's kernel modules (zfs and spl) by name. They apply to all pools of a node;
// a policy has to list each name.
//
// +kubebuilder:validation:MaxProperties=16
// +kubebuilder:validation:XValidation:rule=`self.all(k, k.matches('^[a-z][a-z0-9_]{0,63}$'))`,message="moduleParameters must have names of parameters of the modules zfs and spl as keys, for example zfs_txg_timeout"
// +kubebuilder:validation:XValidation:rule=`self.all(k, !(k in unrestorable))`,messageExpression=`'module parameter ' + self.filter(k, k in unrestorable)[0] + ' cannot be restored after a trial: remove it'`,message="a module parameter cannot be restored after a trial: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.all(k, !(k in ignoringZero) || self[k] != '0')`,messageExpression=`self.filter(k, k in ignoringZero && self[k] == '0')[0] + ' must not be 0, which changes nothing in a running module: leave it out'`,message="zfs_arc_max, zfs_arc_min and zfs_arc_sys_free must not be 0, which changes nothing in a running module: leave them out"
type ModuleParameters map[string]ModuleParameterValue
