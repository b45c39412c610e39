// SPDX-License-Identifier: Apache-2.0

package schema

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

var (
	//go:embed benchmark.json
	benchmarkSchema []byte
	//go:embed benchmark.rules
	benchmarkRules string
	//go:embed policy.json
	policySchema []byte
	//go:embed policy.rules
	policyRules string

	benchmarks = &kind{schema: &benchmarkSchema, rules: &benchmarkRules}
	policies   = &kind{schema: &policySchema, rules: &policyRules}
)

// kind is a CRD, parsed when it is first needed.
type kind struct {
	schema *[]byte
	rules  *string
	mutex  sync.Mutex
	parsed *tree
}

// tree is a parsed CRD.
type tree struct {
	*node
	props      *apiextensions.JSONSchemaProps
	validators sync.Map
}

// tree parses the CRD. It panics if the embedded files do not come from Compile.
func (k *kind) tree() *tree {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.parsed == nil {
		root, props, err := parse(*k.schema)
		if err != nil {
			panic(fmt.Sprintf("parse an embedded schema: %v", err))
		}
		root.attach("", splitRules(*k.rules))
		k.parsed = &tree{node: root, props: props}
	}
	return k.parsed
}

// Release frees the parsed CRDs, some MiB. A runner checks one plan, and then needs the memory for other things.
func Release() {
	for _, k := range []*kind{benchmarks, policies} {
		k.mutex.Lock()
		k.parsed = nil
		k.mutex.Unlock()
	}
}

// Benchmark sets the API server's defaults in a ZfsBenchmark, which is an object as decoded from JSON with whole
// numbers as int64, and returns what the API server would say when it is created.
func Benchmark(object map[string]any) field.ErrorList { return benchmarks.check(object) }

// Policy does the same for a BenchmarkDevicePolicy.
func Policy(object map[string]any) field.ErrorList { return policies.check(object) }

func (k *kind) check(object map[string]any) field.ErrorList {
	t := k.tree()
	if errs := unknownFields(object, t.bare); len(errs) > 0 {
		return errs
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, t.bare)
	defaulting.Default(object, t.bare)
	return append(nameErrors(object), t.check(nil, object, nil)...)
}

// nameErrors says what is wrong with the object's name, as for every kind.
func nameErrors(object map[string]any) field.ErrorList {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	path := field.NewPath("metadata", "name")
	if name == "" {
		return field.ErrorList{field.Required(path, "the object needs a name")}
	}
	var errs field.ErrorList
	for _, problem := range apivalidation.NameIsDNSSubdomain(name, false) {
		errs = append(errs, field.Invalid(path, name, problem))
	}
	return errs
}

// unknownFields says which fields the schema does not have, and removes them.
func unknownFields(object map[string]any, s *structural.Structural) field.ErrorList {
	var errs field.ErrorList
	options := structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, unknown := range pruning.PruneWithOptions(object, s, true, options) {
		errs = append(errs, field.Invalid(field.NewPath(unknown), field.OmitValueType{}, "unknown field: there is none of "+
			"this name"))
	}
	return errs
}

// Part is a part of a CRD that can be checked alone.
type Part struct {
	of   *kind
	path string
}

// The parts of a benchmark that variants consist of, and a workload of fio.
var (
	Devices          = Part{benchmarks, "spec.devices"}
	Pool             = Part{benchmarks, "spec.pool"}
	Dataset          = Part{benchmarks, "spec.dataset"}
	ModuleParameters = Part{benchmarks, "spec.moduleParameters"}
	Baseline         = Part{benchmarks, "spec.baselines.[]"}
	Workloads        = Part{benchmarks, "spec.workloads"}
	Fio              = Part{benchmarks, "spec.workloads.[].fio"}
)

// The parts of a policy that the manager's configuration also has.
var (
	MaxTimeout       = Part{policies, "spec.maxTimeout"}
	ScratchDirectory = Part{policies, "spec.scratch.directory"}
)

// Name is the part's place in the CRD.
func (p Part) Name() string { return p.path }

// Check returns the errors that the API server would report for a part. value is typed; path is its place in the
// object.
func (p Part) Check(value any, path *field.Path) field.ErrorList {
	text, err := Encode(value)
	if err != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	return p.CheckJSON(text, path)
}

// CheckJSON does the same as Check for a value in JSON.
func (p Part) CheckJSON(text []byte, path *field.Path) field.ErrorList {
	var decoded any
	if err := utiljson.Unmarshal(text, &decoded); err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	t, part := p.of.tree(), strings.Split(p.path, ".")
	if n := t.find(part); decoded != nil {
		defaulting.PruneNonNullableNullsWithoutDefaults(decoded, n.bare)
		defaulting.Default(decoded, n.bare)
	}
	return t.check(part, decoded, path)
}

// check validates the value of a part in the same order as registry/customresource of the API server: schema, sets and
// maps, and then the rules, unless earlier errors make them pointless.
func (t *tree) check(part []string, value any, path *field.Path) field.ErrorList {
	n, validator, err := t.at(part)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	errs := validation.ValidateCustomResource(path, value, validator)
	errs = append(errs, n.listTypes(value, path)...)
	for _, e := range errs {
		switch e.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany,
			field.ErrorTypeTypeInvalid:
			return errs
		}
	}
	e := evaluation{budget: celconfig.RuntimeCELCostBudget, errs: errs}
	e.apply(n, value, path)
	return e.errs
}

// find returns the node of a part.
func (t *tree) find(part []string) *node {
	n := t.node
	for _, name := range part {
		if name == "[]" {
			n = n.items
		} else {
			n = n.fields[name]
		}
	}
	return n
}

// at returns the node of a part, with what validates its schema.
func (t *tree) at(part []string) (*node, validation.SchemaValidator, error) {
	n := t.find(part)
	if v, known := t.validators.Load(n); known {
		return n, v.(validation.SchemaValidator), nil
	}
	props := t.props
	for _, name := range part {
		if name == "[]" {
			props = props.Items.Schema
			continue
		}
		field := props.Properties[name]
		props = &field
	}
	v, _, err := validation.NewSchemaValidator(props)
	if err == nil {
		t.validators.Store(n, v)
	}
	return n, v, err
}

// listTypes reports duplicates in sets, and in lists whose items have a key.
func (n *node) listTypes(value any, path *field.Path) field.ErrorList {
	if object, ok := value.(map[string]any); ok {
		return listtype.ValidateListSetsAndMaps(path, n.bare, object)
	}
	// The function takes objects only: the list is the one field of an object, whose name the errors begin with.
	const name = "list"
	parent := &structural.Structural{Properties: map[string]structural.Structural{name: *n.bare}}
	errs := listtype.ValidateListSetsAndMaps(nil, parent, map[string]any{name: value})
	for _, e := range errs {
		e.Field = path.String() + strings.TrimPrefix(e.Field, name)
	}
	return errs
}
