// Generate writes the files that follow from the code: the methods of arrays and the index of operators from their
// registry, the index of environment variables from the constants that name them, the names of the array API standard
// from the table in this package, what GPUs have no kernel for, and the guides for those who come from other libraries
// from the tests in package examples/guides. It is run at the root of the module; with -check it writes nothing, lists
// the files that are not current, and exits with status 1 if there are any.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"github.com/weft-nd/weft/ops"
)

func main() {
	check := flag.Bool("check", false, "list files that are not current instead of writing them")
	flag.Parse()
	stale, err := generate(*check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(2)
	}
	for _, path := range stale {
		fmt.Fprintln(os.Stderr, "generate:", path, "is not current: run make generate")
	}
	if len(stale) > 0 {
		os.Exit(1)
	}
}

// generate writes all files, or, if check is set, returns the paths of those that would change.
func generate(check bool) (stale []string, err error) {
	names, err := goNames("ops", ops.All())
	if err != nil {
		return nil, err
	}
	methods, err := methodsFile(ops.All(), names)
	if err != nil {
		return nil, err
	}
	variables, err := environment(".")
	if err != nil {
		return nil, err
	}
	standard, err := arrayAPIFile(".")
	if err != nil {
		return nil, err
	}
	type output struct {
		path     string
		contents []byte
	}
	files := []output{
		{"ndarray/operators_gen.go", methods},
		{"docs/operators.md", indexFile(ops.All())},
		{"docs/environment.md", environmentFile(variables)},
		{"docs/array-api.md", standard},
		{"docs/gpu-fallbacks.md", gpuFile()},
	}
	for _, g := range guides {
		page, err := guideFile(".", g)
		if err != nil {
			return nil, err
		}
		files = append(files, output{"docs/coming-from-" + g.name + ".md", page})
	}
	for _, file := range files {
		current, err := os.ReadFile(file.path)
		switch {
		case err == nil && bytes.Equal(current, file.contents):
		case check:
			stale = append(stale, file.path)
		default:
			if err := os.WriteFile(file.path, file.contents, 0o644); err != nil {
				return nil, err
			}
		}
	}
	return stale, nil
}
