// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"os"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"sigs.k8s.io/yaml"
)

// TestOldestKubernetes compiles the policy as the API server of Kubernetes 1.30 does, the oldest that the chart allows: with what 1.29 knew.
func TestOldestKubernetes(t *testing.T) {
	policy := readPolicy(t)
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, 29)))
	if err != nil {
		t.Fatal(err)
	}
	compile := func(name string, result cel.CompilationResult) {
		if result.Error != nil {
			t.Errorf("%s: %v", name, result.Error)
		}
	}
	var none cel.OptionalVariableDeclarations
	for _, v := range policy.Spec.Variables {
		compile(v.Name, compiler.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, none, environment.NewExpressions))
	}
	for _, v := range policy.Spec.Validations {
		compile(v.Expression, compiler.CompileCELExpression(&validating.ValidationCondition{Expression: v.Expression}, none, environment.NewExpressions))
		if v.MessageExpression != "" {
			message := &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
			compile(v.MessageExpression, compiler.CompileCELExpression(message, none, environment.NewExpressions))
		}
	}
}

// TestTypes does what a cluster's controller does with the policy: what it finds would stand in its status as a warning.
func TestTypes(t *testing.T) {
	s := apiserver(t)
	checker := &validating.TypeChecker{
		SchemaResolver: &resolver.ClientDiscoveryResolver{Discovery: s.clientset(t, administrator).Discovery()},
		RestMapper:     s.admin.RESTMapper(),
	}
	for _, warning := range checker.Check(readPolicy(t)) {
		t.Errorf("%s: %s", warning.FieldRef, warning.Warning)
	}
}

func readPolicy(t *testing.T) *admissionregistrationv1.ValidatingAdmissionPolicy {
	t.Helper()
	data, err := os.ReadFile("../../config/admission/policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	if err := yaml.UnmarshalStrict(data, policy); err != nil {
		t.Fatal(err)
	}
	return policy
}
