// Command layers checks that every package of the module in the working folder keeps the layer order, in every supported
// configuration, and uses no module that its kind of code may not use:
//
//   - a package imports only packages of its own and of earlier layers, in its tests too, except those of the root package,
//   - library code imports the standard library, this module, gonum and golang.org/x; its tests add testify,
//   - library code imports neither test packages nor generators,
//   - purego, which makes a binary dynamically linked, is reached only through kernels/cuda, which no library package imports,
//   - nothing, no test and no program either, reaches gorgonia.org/cu, which a binary is linked with, or the module that uses it.
//
// Violations go to the standard output, one per line, as importer, imported and rule. The exit status is 0 without any,
// 1 with some, and 2 when the packages cannot be listed.
package main

import (
	"fmt"
	"os"
)

func main() {
	module, graph, err := Load()
	if err != nil {
		fmt.Fprintln(os.Stderr, "layers:", err)
		os.Exit(2)
	}
	violations := Check(module, graph)
	for _, violation := range violations {
		fmt.Println(violation)
	}
	if len(violations) > 0 {
		os.Exit(1)
	}
}
