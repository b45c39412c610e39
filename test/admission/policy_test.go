// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	sigsyaml "sigs.k8s.io/yaml"
)

// TestOldestKubernetes compiles the policies as the API server of Kubernetes 1.30 does, the oldest that the chart
// allows: with what 1.29 knew. `make envtest-oldest` asks such an API server.
func TestOldestKubernetes(t *testing.T) {
	for _, policy := range readPolicies(t) {
		t.Run(policy.Name, func(t *testing.T) { compileWithOldest(t, policy) })
	}
}

func compileWithOldest(t *testing.T, policy *admissionregistrationv1.ValidatingAdmissionPolicy) {
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
	with := cel.OptionalVariableDeclarations{HasAuthorizer: true}
	for _, v := range policy.Spec.Variables {
		compile(v.Name, compiler.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, with,
			environment.NewExpressions))
	}
	for _, v := range policy.Spec.Validations {
		compile(v.Expression, compiler.CompileCELExpression(&validating.ValidationCondition{Expression: v.Expression}, with,
			environment.NewExpressions))
		if v.MessageExpression != "" {
			message := &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
			// A message may not ask the authorizer.
			compile(v.MessageExpression, compiler.CompileCELExpression(message, cel.OptionalVariableDeclarations{},
				environment.NewExpressions))
		}
	}
}

// TestTypes does what a cluster's controller does with the policies: what it finds would stand in their status as a
// warning.
func TestTypes(t *testing.T) {
	s := apiserver(t)
	checker := &validating.TypeChecker{
		SchemaResolver: &resolver.ClientDiscoveryResolver{Discovery: s.clientset(t, administrator).Discovery()},
		RestMapper:     s.admin.RESTMapper(),
	}
	for _, policy := range readPolicies(t) {
		for _, warning := range checker.Check(policy) {
			t.Errorf("%s: %s: %s", policy.Name, warning.FieldRef, warning.Warning)
		}
	}
}

// readPolicies are all policies of config/admission.
func readPolicies(t *testing.T) []*admissionregistrationv1.ValidatingAdmissionPolicy {
	t.Helper()
	files, err := filepath.Glob("../../config/admission/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var policies []*admissionregistrationv1.ValidatingAdmissionPolicy
	for _, file := range files {
		policies = append(policies, policiesOf(t, file)...)
	}
	if len(policies) < 2 {
		t.Fatalf("%d policies in %v", len(policies), files)
	}
	return policies
}

func policiesOf(t *testing.T, file string) []*admissionregistrationv1.ValidatingAdmissionPolicy {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var policies []*admissionregistrationv1.ValidatingAdmissionPolicy
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return policies
		}
		if err != nil {
			t.Fatal(err)
		}
		var kind metav1.TypeMeta
		if err := sigsyaml.Unmarshal(document, &kind); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if kind.Kind != "ValidatingAdmissionPolicy" {
			continue
		}
		policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
		if err := sigsyaml.UnmarshalStrict(document, policy); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		policies = append(policies, policy)
	}
}
