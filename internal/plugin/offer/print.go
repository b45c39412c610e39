// SPDX-License-Identifier: Apache-2.0

package offer

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"
	"text/template"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/internal/plugin/disks"
	"zfsbench.io/operator/internal/plugin/table"
	"zfsbench.io/operator/internal/spec/validate"
)

//go:embed policy.yaml.tmpl
var text string

var policy = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": quote, "comment": comment, "size": disks.Size, "join": strings.Join,
}).Parse(text))

// YAML is the policy with a comment for each disk, as the API would accept it.
func (o Offer) YAML() ([]byte, error) {
	var out bytes.Buffer
	err := policy.Execute(&out, struct {
		Offer
		Time string
	}{o, o.Seen.UTC().Format(time.RFC3339)})
	if err != nil {
		return nil, err
	}
	// A disk chooses its own model and serial number: they must not say more than the policy does.
	read, err := validate.ReadPolicy(out.Bytes())
	if err != nil {
		return nil, err
	}
	if read.Name != o.Policy.Name || !equality.Semantic.DeepEqual(read.Spec, o.Policy.Spec) {
		return nil, errors.New("a value of the policy cannot be written as YAML")
	}
	return out.Bytes(), nil
}

// Table has a row for each disk that the policy makes destroyable.
func (o Offer) Table() metav1.Table {
	t := table.New("Disk", "Model", "Size", "Serial", "State", "Offered by")
	for _, d := range o.Disks {
		table.Add(&t, disks.Name(d), d.Model, disks.Size(d), d.Serial, string(d.Verdict), strings.Join(d.OfferedBy, ","))
	}
	return t
}

// quote returns a value as a string of JSON, which is one of YAML as well.
func quote(value string) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// comment returns text of a disk so that it cannot end the line that it is on.
func comment(value string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, value)
}
