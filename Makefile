# `make` lists the targets. Nothing is downloaded but Go modules and Debian packages, from wherever this machine gets
# its own; the tools are pinned in hack/tools and built into bin/tools.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.NOTPARALLEL:
.DELETE_ON_ERROR:

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
TOOLS ?= bin/tools
SCHEMAS ?= bin/schemas
CHART := charts/zfs-benchmark-operator

# The Kubernetes that the development cluster runs, that charts are rendered for, and whose API manifests are checked
# against.
KUBERNETES_MODULE := hack/devcluster/kubernetes
KUBERNETES ?= $(shell go -C $(KUBERNETES_MODULE) list -m -f '{{.Version}}' k8s.io/kubernetes)
OPENAPI ?= $(shell go -C $(KUBERNETES_MODULE) mod download k8s.io/kubernetes && \
	go -C $(KUBERNETES_MODULE) list -m -f '{{.Dir}}' k8s.io/kubernetes)/api/openapi-spec/swagger.json

# Which end-to-end tests `make test-e2e` runs, a regular expression, and for how long at most.
E2E_RUN ?= .
E2E_TIMEOUT ?= 60m

# Where `make test-faults` keeps a row for each case, and how long one shard takes at most.
FAULT_LOG ?= faults.jsonl
FAULT_TIME ?= 150m

# How long `make fuzz` looks at each of its targets, and at which: a regular expression.
FUZZTIME ?= 30s
FUZZ ?= .

# One set of flags for everything, or the build cache holds every library twice.
export CGO_ENABLED := 0
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath

# The development cluster and the tests that run on it are Go modules of their own: what they need is not the product's.
DEVCLUSTER := bin/devcluster
MODULES := . hack/devcluster test/e2e

# Packages whose tests need a real API server: those that reach envtest. `make unit` runs the others.
needs_envtest = go list -test -f '{{if .ForTest}}{{range .Deps}}{{if eq . "sigs.k8s.io/controller-runtime/pkg/envtest"}}{{$$.ForTest}}{{"\n"}}{{end}}{{end}}{{end}}' ./... | sort -u

##@ Build

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/manager and bin/runner (static, for the images)
	go build -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/manager ./cmd/runner

.PHONY: plugin
plugin: ## Build bin/kubectl-zfsbench, the kubectl plugin
	go build -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/kubectl-zfsbench

.PHONY: devcluster
devcluster: $(DEVCLUSTER) ## Build bin/devcluster, the command for the development cluster

.PHONY: $(DEVCLUSTER)
$(DEVCLUSTER):
	@go -C hack/devcluster build -o $(abspath $@) .

.PHONY: images
images: build $(DEVCLUSTER) ## Build the two container images and print their archives
	$(DEVCLUSTER) images

.PHONY: clean
clean: ## Remove everything built in the repository (the development cluster's cache is elsewhere)
	rm -rf bin

##@ Generate

.PHONY: generate
generate: $(TOOLS)/controller-gen ## Generate the deep-copy functions of the API and the sandbox's system calls
	$(TOOLS)/controller-gen object:headerFile=hack/boilerplate.go.txt paths=./api/...
	go -C hack/seccomp run . -out $(abspath internal/node/sandbox/seccomp/profile.go)

.PHONY: manifests
manifests: $(TOOLS)/controller-gen ## Generate the CRDs, the manager's role, and the copies of the CRDs for the chart and for Go
	rm -f config/crd/bases/*.yaml config/rbac/role.yaml
	$(TOOLS)/controller-gen crd paths=./api/... output:crd:dir=config/crd/bases
	go run ./hack/crdrules -definitions api/v1alpha1/rules.cel -crds config/crd/bases
	go run ./hack/chartcrds -from config/crd/bases -to $(CHART)/templates/crds
	go run ./hack/specschema -from config/crd/bases -to internal/spec/schema
	$(TOOLS)/controller-gen rbac:roleName=zfs-benchmark-operator paths=./controllers/... output:rbac:dir=config/rbac

.PHONY: docs
docs: $(TOOLS)/crd-ref-docs ## Generate docs/api.md and docs/cases.md
	mkdir -p docs
	$(TOOLS)/crd-ref-docs --source-path=api/v1alpha1 --config=hack/apidocs/config.yaml --renderer=markdown \
		--output-path=docs/api.md --max-depth=20 --log-level=ERROR
	go run ./hack/casedocs -to docs/cases.md

.PHONY: schemas
schemas:
	@go run ./hack/schemas -openapi $(OPENAPI) -out $(SCHEMAS)

.PHONY: fmt
fmt: $(TOOLS)/golangci-lint ## Format the Go code and order its imports
	for module in $(MODULES); do (cd $$module; $(abspath $(TOOLS)/golangci-lint) fmt); done

##@ Check

.PHONY: test
test: ## Everything that needs no cluster: unit, chart-test, envtest, lint, verify
	@hack/steps 'make unit' 'make chart-test' 'make envtest' 'make lint' 'make verify'

.PHONY: unit
unit: $(DEVCLUSTER) ## Unit tests
	@$(DEVCLUSTER) test-tools
	@go test -timeout 20m $$(comm -23 <(go list ./... | sort) <($(needs_envtest)))
	@go -C hack/devcluster test ./...
	@go -C test/e2e test ./...

.PHONY: envtest
envtest: $(TOOLS)/helm $(DEVCLUSTER) ## Tests against a real kube-apiserver and etcd, built from their modules
	@packages=$$($(needs_envtest)); export KUBEBUILDER_ASSETS=$${KUBEBUILDER_ASSETS:-$$($(DEVCLUSTER) assets)}; \
	go test -timeout 20m $$packages

# The oldest Kubernetes that the chart allows is a module beside the current one.
.PHONY: envtest-oldest
envtest-oldest: ## The same tests against Kubernetes 1.30, the oldest supported (takes as long again, so not part of test)
	@unset KUBEBUILDER_ASSETS; export ZFSBENCH_KUBERNETES_MODULE=kubernetes-1.30; $(MAKE) envtest

.PHONY: race
race: ## Unit tests under the race detector (needs a C compiler, so not part of test)
	CGO_ENABLED=1 go test -race $$(comm -23 <(go list ./... | sort) <($(needs_envtest)))

.PHONY: fuzz
fuzz: ## Fuzz every parser, FUZZTIME (30s) each; FUZZ selects targets (takes half an hour, so not part of test)
	@hack/fuzz '$(FUZZTIME)' '$(FUZZ)'

.PHONY: chart-test
chart-test: $(TOOLS)/helm $(TOOLS)/helm-unittest $(TOOLS)/kustomize $(TOOLS)/kubeconform schemas ## Lint and test the chart; check all manifests against strict schemas; list all rights
	@TOOLS=$(TOOLS) SCHEMAS=$(SCHEMAS) KUBERNETES=$(KUBERNETES) hack/charttest

.PHONY: vet
vet: ## go vet, the end-to-end tests included
	for module in $(MODULES); do go -C $$module vet -tags e2e ./...; done

.PHONY: lint
lint: $(TOOLS)/golangci-lint ## Lint (.golangci.yaml: also who may import whom)
	for module in $(MODULES); do (cd $$module; $(abspath $(TOOLS)/golangci-lint) run); done

.PHONY: verify
verify: $(TOOLS)/controller-gen $(TOOLS)/crd-ref-docs ## Regenerate everything; fail if that changes a file
	@hack/verify

.PHONY: vuln
vuln: $(TOOLS)/govulncheck ## Known vulnerabilities (needs the vulnerability database, so not part of test)
	$(TOOLS)/govulncheck ./...

##@ Development cluster

.PHONY: cluster-up
cluster-up: $(DEVCLUSTER) ## Start the development cluster: real Kubernetes, a virtual storage node with real OpenZFS
	$(DEVCLUSTER) up

.PHONY: cluster-down
cluster-down: $(DEVCLUSTER) ## Stop it and remove what it left on this machine
	$(DEVCLUSTER) down

.PHONY: cluster-load
cluster-load: build cluster-up ## Start it and load both images, built from this checkout
	@archives=$$($(DEVCLUSTER) images); $(DEVCLUSTER) load $$archives

.PHONY: demo
demo: $(TOOLS)/helm build cluster-up ## From nothing to a table of numbers: cluster, chart, samples
	@go -C test/e2e build -o $(abspath bin/demo) ./demo
	HELM=$(abspath $(TOOLS)/helm) bin/demo

# Another cluster is used only if ZFSBENCH_E2E_KUBECONFIG names it, never for what KUBECONFIG happens to say.
.PHONY: test-e2e
test-e2e: $(TOOLS)/helm $(if $(ZFSBENCH_E2E_KUBECONFIG),,cluster-load) ## End-to-end tests on the development cluster
	@export ZFSBENCH_E2E_KUBECONFIG=$${ZFSBENCH_E2E_KUBECONFIG:-$$($(DEVCLUSTER) kubeconfig)}; \
	export ZFSBENCH_E2E_HELM=$(abspath $(TOOLS)/helm); \
	go -C test/e2e test -tags e2e -count 1 -v -timeout $(E2E_TIMEOUT) -run '$(E2E_RUN)' .

# A shard begins no case in its last ten minutes. One that waits for a node that hangs may take longer.
.PHONY: test-faults
test-faults: ## The next shard of the fault table, on the development cluster: FAULT_TIME (150m) at most
	@status=0; $(MAKE) test-e2e E2E_RUN='TestFaults|TestDeviceCrashes' E2E_TIMEOUT=170m \
		ZFSBENCH_E2E_FAULTS=$${ZFSBENCH_E2E_FAULTS:-all} ZFSBENCH_E2E_FAULT_LOG=$(abspath $(FAULT_LOG)) \
		ZFSBENCH_E2E_FAULT_TIME=$(FAULT_TIME) || status=$$?; \
	go run ./hack/faulttable -rows $(FAULT_LOG) || true; exit $$status

.PHONY: fault-table
fault-table: ## What all shards of the fault table say about this code; fails while cases are missing
	@go run ./hack/faulttable -rows $(FAULT_LOG)

# What a test of this suite begins with is what makes it one.
studies = grep -hB1 '^	studies(t)' test/e2e/*_test.go | sed -n 's/^func \(Test[A-Za-z0-9]*\)(.*/\1/p' | paste -sd '|'

.PHONY: test-studies
test-studies: ## Experiments and scenarios that take hours together, on the development cluster
	@$(MAKE) test-e2e E2E_RUN="^($$($(studies)))\$$" E2E_TIMEOUT=6h ZFSBENCH_E2E_STUDIES=1

# The driver is not part of this repository: IMAGES is a directory with its image archives (*.tar) and manifests (*.yaml).
.PHONY: test-e2e-csi
test-e2e-csi: $(if $(IMAGES),$(if $(ZFSBENCH_E2E_KUBECONFIG),,csi-images)) ## Tests with the real CSI driver for OpenZFS: IMAGES=DIR
	@$(if $(IMAGES),$(MAKE) test-e2e E2E_RUN=CSI ZFSBENCH_E2E_CSI=$(abspath $(IMAGES)),echo 'test-e2e-csi is skipped: IMAGES names no directory with the image archives and manifests of zfs-localpv (docs/development.md)')

.PHONY: csi-images
csi-images: cluster-up
	$(DEVCLUSTER) load $(abspath $(IMAGES))/*.tar

.PHONY: test-nodes
test-nodes: cluster-down ## Tests that need a second storage node, on a development cluster with two
	$(DEVCLUSTER) up --nodes 2
	@status=0; $(MAKE) test-e2e E2E_RUN='TestTwoNodes|TestFleet|TestNodeIsLost|TestContention' || status=$$?; $(DEVCLUSTER) down; exit $$status

# The tools, each built when it is first needed.

$(TOOLS)/golangci-lint: hack/tools/golangci-lint/go.mod hack/tools/golangci-lint/go.sum
	go -C hack/tools/golangci-lint build -ldflags '-s -w' -o $(abspath $@) tool

# The package of a tool is the one whose path ends in its name, a major version aside.
$(TOOLS)/%: hack/tools/go.mod hack/tools/go.sum
	go -C hack/tools build -ldflags '-s -w' -o $(abspath $@) $$(go -C hack/tools list tool | grep -E '/$*(/v[0-9]+)?$$')
