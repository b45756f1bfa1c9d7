// Package layout knows how the packages of the weft module are arranged: which layer a package belongs to, and whether
// it is library code, code for tests, or a program. It looks at paths alone and reads no files.
package layout

import (
	"slices"
	"strings"
)

// Layers is the order of the library's layers, lowest first. A package imports only packages of earlier layers and of
// its own.
var Layers = []string{
	"dtype", "fault", "device", "parallel", "profile",
	"kernels/cpu", "kernels/sim", "kernels/cuda/driver", "kernels/cuda",
	"engine", "storage", "resource", "ops", "einsum", "ndarray", "autograd",
	"random", "linalg", "fft", "data", "nn", "optim", "kvstore", "train",
}

// Programs are the top-level folders of programs, which stand above every layer.
var Programs = []string{"examples", "bench", "cmd"}

// Root is the layer of the module's root package, above the library and below the programs.
const Root = "."

// Kind says what the code of a package is for.
type Kind int

const (
	// Library code is what users import.
	Library Kind = iota
	// Test packages, named with the suffix "test", are imported by tests.
	Test
	// Program code is run by people: examples, benchmarks, commands, and generators below a folder internal/gen.
	Program
)

// Place is where a package stands.
type Place struct {
	// Layer is an entry of Layers or Programs, or Root.
	Layer string
	// Height orders layers: a package may import what is not higher than itself.
	Height int
	// Kind is what the code is for.
	Kind Kind
}

// Of returns the place of the package in the given folder, a slash-separated path relative to the module's root, "." for
// the root itself. It returns false for a folder that belongs to no layer.
func Of(folder string) (Place, bool) {
	if folder == Root {
		return Place{Layer: Root, Height: len(Layers)}, true
	}
	for _, program := range Programs {
		if Within(folder, program) {
			return Place{Layer: program, Height: len(Layers) + 1, Kind: Program}, true
		}
	}
	place, known := Place{}, false
	for height, layer := range Layers {
		// The longest match wins: kernels/cuda/driver is a layer of its own inside the folder of another.
		if Within(folder, layer) && len(layer) > len(place.Layer) {
			place, known = Place{Layer: layer, Height: height, Kind: kindOf(folder)}, true
		}
	}
	return place, known
}

// Within reports whether the slash-separated path is root or lies below it.
func Within(path, root string) bool {
	rest, found := strings.CutPrefix(path, root)
	return found && (rest == "" || rest[0] == '/')
}

func kindOf(folder string) Kind {
	elements := strings.Split(folder, "/")
	if generator := slices.Index(elements, "gen"); generator > 0 && elements[generator-1] == "internal" {
		return Program
	}
	if strings.HasSuffix(elements[len(elements)-1], "test") {
		return Test
	}
	return Library
}
