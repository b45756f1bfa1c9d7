package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-nd/weft/tools/internal/layout"
)

const (
	purego  = "github.com/ebitengine/purego"
	testify = "github.com/stretchr/testify"
	cuda    = "kernels/cuda"

	gorgonia = "gorgonia.org/cu"
	nested   = "kernels/cuda/gorgonia" // a module of its own
)

// libraryModules are the paths outside the standard library and the module that library code may import.
var libraryModules = []string{"gonum.org/v1/gonum", "golang.org/x"}

// Violation is one import that breaks a rule. Imported is empty where the importer itself is misplaced.
type Violation struct {
	Importer string
	Imported string
	Rule     string
}

func (v Violation) String() string {
	if v.Imported == "" {
		return v.Importer + ": " + v.Rule
	}
	return fmt.Sprintf("%s imports %s: %s", v.Importer, v.Imported, v.Rule)
}

// Check returns the violations of the module's packages in the graph, ordered by importer.
func Check(module string, graph Graph) []Violation {
	var violations []Violation
	for _, path := range slices.Sorted(maps.Keys(graph)) {
		if !layout.Within(path, module) {
			continue
		}
		importer := graph[path]
		place, known := layout.Of(folder(module, path))
		if !known {
			violations = append(violations, Violation{Importer: path, Rule: "belongs to no layer"})
			continue
		}
		if place.Kind == layout.Program || importer.Name == "main" {
			// What is run and never imported may use any module, but a generator inside a layer stays in its layer.
			place.Kind = layout.Program
		}
		report := func(imported, rule string) {
			violations = append(violations, Violation{path, imported, rule})
		}
		for _, imported := range importer.Imports {
			if rule := broken(module, graph, place, imported, false); rule != "" {
				report(imported, rule)
			}
		}
		for _, imported := range union(importer.TestImports, importer.XTestImports) {
			if rule := broken(module, graph, place, imported, true); rule != "" {
				report(imported, "in a test: "+rule)
			}
		}
	}
	return violations
}

// broken returns the rule that an import breaks, or "" if it breaks none.
func broken(module string, graph Graph, from layout.Place, imported string, inTest bool) string {
	if layout.Within(imported, module+"/"+nested) || reaches(graph, imported, gorgonia) {
		return "only the module " + nested + " may reach " + gorgonia
	}
	if from.Layer == layout.Root && inTest {
		return ""
	}
	if layout.Within(imported, module) {
		to, known := layout.Of(folder(module, imported))
		switch {
		case !known:
			return "the imported package belongs to no layer"
		case to.Height > from.Height:
			return fmt.Sprintf("layer %s comes before layer %s", from.Layer, to.Layer)
		case inTest || from.Kind != layout.Library:
		case to.Kind == layout.Test:
			return "a test package is for tests"
		case to.Kind == layout.Program:
			return "a generator is not for libraries"
		}
	} else if from.Kind != layout.Program && !standard(imported) && !allowed(imported, from, inTest) {
		return "library packages import the standard library, this module, " + strings.Join(libraryModules, ", ") +
			" (testify in tests, purego in " + cuda + ")"
	}
	if !inTest && from.Kind != layout.Program && from.Layer != cuda && reaches(graph, imported, purego) {
		return "only " + cuda + " and programs may reach purego"
	}
	return ""
}

func allowed(imported string, from layout.Place, inTest bool) bool {
	within := func(root string) bool { return layout.Within(imported, root) }
	return slices.ContainsFunc(libraryModules, within) ||
		within(testify) && (inTest || from.Kind == layout.Test) ||
		within(purego) && from.Layer == cuda
}

// standard reports whether the path is of the standard library: its first element has no dot, unlike a domain's.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// reaches reports whether a package is of a module with a given path, or depends on one.
func reaches(graph Graph, path, wanted string) bool {
	isWanted := func(dependency string) bool { return layout.Within(dependency, wanted) }
	imported := graph[path]
	return isWanted(path) || imported != nil && slices.ContainsFunc(imported.Deps, isWanted)
}

// folder turns the import path of a package of the module into its folder.
func folder(module, path string) string {
	if path == module {
		return layout.Root
	}
	return strings.TrimPrefix(path, module+"/")
}
