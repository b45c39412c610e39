// SPDX-License-Identifier: Apache-2.0

// Package architecture holds the imports of the product to its layers. The linter sees direct imports only; this test
// follows them.
package architecture

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "zfsbench.io/operator/"

// layers are the groups of packages, lowest first. A package imports only packages of its own layer and of lower ones.
var layers = []string{
	"api", "internal/testfiles", "internal/text", "internal/result", "internal/stats", "internal/node", "internal/storage",
	"internal/tools",
	"internal/spec", "internal/plan", "internal/config", "internal/analysis", "internal/report", "internal/kube",
	"internal/plugin", "internal/runner", "controllers", "cmd",
}

// impure are the packages below internal/ that may reach files, commands, system calls or the network. All others are
// pure: they take values or an io.Reader.
var impure = []string{
	"internal/kube/sink", "internal/plugin", "internal/runner", "internal/runner/*", "internal/spec/manifest",
	"internal/testfiles",
	"internal/node/durable", "internal/node/hostexec", "internal/node/hostexec/*", "internal/node/monitor",
	"internal/node/sandbox", "internal/node/sandbox/*",
	"internal/storage/blockdev", "internal/storage/csi/podvolume", "internal/storage/hostfs", "internal/storage/zfs",
	"internal/storage/zfs/module",
	"internal/tools/*/work", "internal/tools/builtin/files", "internal/tools/toolreport/toolreporttest",
}

// outside are packages of others that a pure package must not import.
var outside = []string{
	"os", "os/exec", "os/user", "net", "net/http", "golang.org/x/sys/unix", "k8s.io/client-go",
	"sigs.k8s.io/controller-runtime",
}

// imports are the product's packages, by path below the module, with what each imports directly.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`,
		"./api/...", "./internal/...", "./controllers/...", "./cmd/...")
	list.Dir = "../.."
	output, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(strings.ReplaceAll(line, module, ""))
		found[words[0]] = words[1:]
	}
	if len(found) < 40 {
		t.Fatalf("go list found %d packages only", len(found))
	}
	return found
}

func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(layer string) bool { return pkg == layer || strings.HasPrefix(pkg, layer+"/") })
}

func mayTouchTheNode(pkg string) bool {
	return slices.ContainsFunc(impure, func(pattern string) bool {
		matched, err := path.Match(pattern, pkg)
		return matched || err != nil
	})
}

func isPure(pkg string) bool { return strings.HasPrefix(pkg, "internal/") && !mayTouchTheNode(pkg) }

// reach returns the way from a package to the first one of the product for which found is true, or nothing.
func reach(all map[string][]string, from string, found func(string) bool) []string {
	ways, queue := map[string][]string{from: {from}}, []string{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at != from && found(at) {
			return ways[at]
		}
		for _, next := range all[at] {
			if _, ours := all[next]; ours && ways[next] == nil {
				ways[next] = append(slices.Clone(ways[at]), next)
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func TestLayers(t *testing.T) {
	all := imports(t)
	for pkg, imported := range all {
		if layerOf(pkg) < 0 {
			t.Errorf("%s is in no layer: add its group to the list", pkg)
		}
		for _, other := range imported {
			if _, ours := all[other]; ours && layerOf(other) > layerOf(pkg) {
				t.Errorf("%s imports %s, which is in a higher layer", pkg, other)
			}
		}
	}
}

func TestPure(t *testing.T) {
	all := imports(t)
	for pkg, imported := range all {
		if !isPure(pkg) {
			continue
		}
		for _, other := range imported {
			if slices.ContainsFunc(outside, func(o string) bool { return other == o || isBelow(other, o) }) {
				t.Errorf("%s is pure and imports %s", pkg, other)
			}
		}
		if way := reach(all, pkg, mayTouchTheNode); way != nil {
			t.Errorf("%s is pure and reaches the node: %s", pkg, strings.Join(way, " -> "))
		}
	}
}

// isBelow says whether a package is below another module's path. Below "os" and "net" there are pure packages.
func isBelow(pkg, top string) bool {
	return strings.Contains(top, ".") && strings.HasPrefix(pkg, top+"/")
}

// TestManagerTouchesNoNode: the manager has no business with disks, pools and commands, the runner none with
// controllers.
func TestManagerTouchesNoNode(t *testing.T) {
	all := imports(t)
	if way := reach(all, "controllers", mayTouchTheNode); way != nil {
		t.Errorf("the manager reaches the node: %s", strings.Join(way, " -> "))
	}
	isControllers := func(pkg string) bool { return pkg == "controllers" }
	if way := reach(all, "cmd/runner", isControllers); way != nil {
		t.Errorf("the runner reaches the controllers: %s", strings.Join(way, " -> "))
	}
}

// TestRunnerIsSmall: client-go's typed clients link the types of all API groups, 9 MiB of program. Half of that is in
// memory in every run.
func TestRunnerIsSmall(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/runner")
	list.Dir = "../.."
	output, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := strings.Fields(string(output))
	if !slices.Contains(packages, "k8s.io/client-go/rest") {
		t.Errorf("the runner has no client among its %d packages", len(packages))
	}
	for _, pkg := range packages {
		if isBelow(pkg, "k8s.io/client-go/kubernetes") {
			t.Errorf("the runner links %s", pkg)
		}
	}
}

// TestPluginTouchesNoNode: the plugin reads its files and talks to the API server. It uses no disk, pool
// or command.
func TestPluginTouchesNoNode(t *testing.T) {
	all := imports(t)
	ofANode := func(pkg string) bool {
		return mayTouchTheNode(pkg) && pkg != "internal/spec/manifest" || pkg == "controllers"
	}
	if way := reach(all, "internal/plugin", ofANode); way != nil {
		t.Errorf("the plugin reaches the node or the controllers: %s", strings.Join(way, " -> "))
	}
}

// TestRulesCanFail: each rule finds what breaks it.
func TestRulesCanFail(t *testing.T) {
	all := map[string][]string{
		"internal/plan": {"internal/text/lines"}, "internal/text/lines": {"internal/node/hostexec"},
		"internal/node/hostexec": {"os/exec"},
	}
	if way := reach(all, "internal/plan", mayTouchTheNode); strings.Join(way,
		" ") != "internal/plan internal/text/lines internal/node/hostexec" {
		t.Errorf("way %v", way)
	}
	if layerOf("internal/text/lines") >= layerOf("internal/plan") || layerOf("internal/unknown") >= 0 {
		t.Error("wrong layers")
	}
	if !mayTouchTheNode("internal/tools/tree/work") || mayTouchTheNode("internal/tools/tree") {
		t.Error("wrong pure packages")
	}
}
