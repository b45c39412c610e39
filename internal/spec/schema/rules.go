// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	exprpb "google.golang.org/genproto/googleapis/api/expr/v1alpha1"
	"google.golang.org/protobuf/proto"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	crdcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// rules are the validation rules of one node of the schema.
type rules struct {
	all []apiextensionsv1.ValidationRule
	// checked is the rules as Compile checked them, in base64.
	checked string

	once    sync.Once
	program cel.Program
	err     error

	onceExact sync.Once
	exact     *crdcel.Validator
}

// newRules are the rules without the ones about changes (oldSelf); nil if there are none.
func newRules(all []apiextensionsv1.ValidationRule) *rules {
	all = slices.DeleteFunc(slices.Clone(all), func(r apiextensionsv1.ValidationRule) bool {
		return strings.Contains(r.Rule, crdcel.OldScopedVarName)
	})
	if len(all) == 0 {
		return nil
	}
	return &rules{all: all}
}

// ready returns the rules, joined by &&, ready to run.
func (r *rules) ready() (cel.Program, error) {
	r.once.Do(func() { r.program, r.err = programOf(r.checked) })
	return r.program, r.err
}

// programOf makes a checked expression ready to run. The types are no longer needed.
func programOf(checked string) (cel.Program, error) {
	text, err := base64.StdEncoding.DecodeString(checked)
	if err != nil {
		return nil, err
	}
	var expression exprpb.CheckedExpr
	if err := proto.Unmarshal(text, &expression); err != nil {
		return nil, err
	}
	env := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv()
	return env.Program(cel.CheckedExprToAst(&expression))
}

// exact evaluates the node's rules one by one, as the API server does. To make it takes ten times as long as ready.
func (n *node) exact() *crdcel.Validator {
	n.rules.onceExact.Do(func() {
		s := *n.bare
		s.XValidations = n.rules.all
		n.rules.exact = crdcel.NewValidator(&s, n.isRoot, celconfig.PerCallLimit)
	})
	return n.rules.exact
}

// evaluation applies rules to an object, or to a part of one, within the API server's budget.
type evaluation struct {
	budget int64
	errs   field.ErrorList
}

// apply applies the rules of a node and of all nodes below it.
func (e *evaluation) apply(n *node, value any, path *field.Path) {
	if n == nil || !n.hasRules || value == nil || e.budget < 0 {
		return
	}
	if n.rules != nil && !e.holds(n, value) {
		// Evaluated again, one by one, for the fields and the messages that the API server would give.
		var errs field.ErrorList
		errs, e.budget = n.exact().Validate(context.Background(), path, nil, value, nil, e.budget)
		e.errs = append(e.errs, errs...)
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			e.apply(n.items, item, path.Index(i))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if child, known := n.fields[name]; known {
				e.apply(child, value[name], path.Child(name))
			} else {
				e.apply(n.values, value[name], path.Key(name))
			}
		}
	}
}

// holds says whether all rules of the node hold. If it cannot find out, the answer is no.
func (e *evaluation) holds(n *node, value any) bool {
	program, err := n.rules.ready()
	if err != nil {
		e.errs = append(e.errs, field.InternalError(nil, fmt.Errorf("make the rules ready to run: %w", err)))
		e.budget = -1
		return true
	}
	result, details, err := program.Eval(map[string]any{crdcel.ScopedVarName: crdcel.UnstructuredToVal(value, n.typed())})
	if details == nil || details.ActualCost() == nil || *details.ActualCost() > uint64(e.budget) {
		return false
	}
	if err != nil || result != types.True {
		return false
	}
	e.budget -= int64(*details.ActualCost())
	return true
}

// typed is the schema that values are read with. For a whole object it includes the metadata.
func (n *node) typed() *structural.Structural {
	if n.isRoot {
		return model.WithTypeAndObjectMeta(n.bare)
	}
	return n.bare
}
