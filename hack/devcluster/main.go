// devcluster runs a development cluster: Kubernetes with real OpenZFS, on a machine that has neither.
package main

import (
	"os"

	"zfsbench.io/operator/hack/devcluster/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
