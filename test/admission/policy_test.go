// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"os"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"sigs.k8s.io/yaml"
)

// policies are the files that have one.
var policies = []string{"policy", "results", "consent"}

// TestOldestKubernetes compiles each policy as the API server of Kubernetes 1.30 does, the oldest that the chart allows: with
// what 1.29 knew.
func TestOldestKubernetes(t *testing.T) {
	for _, name := range policies {
		t.Run(name, func(t *testing.T) { compilePolicy(t, readPolicy(t, name)) })
	}
}

func compilePolicy(t *testing.T, policy *admissionregistrationv1.ValidatingAdmissionPolicy) {
	t.Helper()
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
	for _, name := range policies {
		for _, warning := range checker.Check(readPolicy(t, name)) {
			t.Errorf("%s: %s: %s", name, warning.FieldRef, warning.Warning)
		}
	}
}

// readPolicy reads the first document of a file.
func readPolicy(t *testing.T, name string) *admissionregistrationv1.ValidatingAdmissionPolicy {
	t.Helper()
	data, err := os.ReadFile("../../config/admission/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n---\n")
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	if err := yaml.UnmarshalStrict([]byte(first), policy); err != nil {
		t.Fatal(err)
	}
	return policy
}
