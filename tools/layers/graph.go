package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Package is what the rules need to know of a package, in the words of `go help list`.
type Package struct {
	ImportPath   string
	Name         string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

// Graph holds packages by import path: those of the module and all that they depend on.
type Graph map[string]*Package

// Add merges what one configuration says of a package into the graph.
func (g Graph) Add(found Package) {
	known := g[found.ImportPath]
	if known == nil {
		known = &Package{ImportPath: found.ImportPath, Name: found.Name}
		g[found.ImportPath] = known
	}
	known.Imports = union(known.Imports, found.Imports)
	known.TestImports = union(known.TestImports, found.TestImports)
	known.XTestImports = union(known.XTestImports, found.XTestImports)
	known.Deps = union(known.Deps, found.Deps)
}

// configuration is one way to build the module. A package's imports differ between them, and each has to keep the rules.
type configuration struct{ system, architecture, tags string }

var configurations = []configuration{
	{"linux", "amd64", ""},
	{"linux", "amd64", "noasm"},
	{"linux", "arm64", ""},
	{"darwin", "arm64", ""},
	{"windows", "amd64", ""},
}

// Load returns the path of the module in the working folder and the graph of its packages, united over all
// configurations.
func Load() (module string, graph Graph, err error) {
	output, err := goCommand(nil, "list", "-m")
	if err != nil {
		return "", nil, err
	}
	graph = Graph{}
	for _, c := range configurations {
		environment := []string{"GOOS=" + c.system, "GOARCH=" + c.architecture, "CGO_ENABLED=0"}
		packages, err := goCommand(environment, "list", "-deps", "-tags="+c.tags,
			"-json=ImportPath,Name,Imports,TestImports,XTestImports,Deps", "./...")
		if err != nil {
			return "", nil, err
		}
		decoder := json.NewDecoder(strings.NewReader(packages))
		for {
			var found Package
			if err := decoder.Decode(&found); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return "", nil, err
			}
			graph.Add(found)
		}
	}
	return strings.TrimSpace(output), graph, nil
}

func goCommand(environment []string, arguments ...string) (string, error) {
	command := exec.Command("go", arguments...)
	command.Env = append(os.Environ(), environment...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(append(environment, command.Args...), " "), err)
	}
	return string(output), nil
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
