package main

import (
	"slices"
	"strings"
	"testing"
)

const module = "example.org/weft"

// graphOf builds a graph of packages named by folder; imports that are folders of the graph become import paths.
func graphOf(packages ...Package) Graph {
	graph := Graph{}
	for _, p := range packages {
		p.ImportPath = inModule(p.ImportPath)
		p.Imports = inModules(p.Imports)
		p.TestImports = inModules(p.TestImports)
		p.XTestImports = inModules(p.XTestImports)
		graph.Add(p)
	}
	return graph
}

func inModules(folders []string) []string {
	var paths []string
	for _, folder := range folders {
		paths = append(paths, inModule(folder))
	}
	return paths
}

// inModule turns "./dtype" into the module's dtype, and leaves other paths alone.
func inModule(path string) string {
	if path == "." {
		return module
	}
	if rest, found := strings.CutPrefix(path, "./"); found {
		return module + "/" + rest
	}
	return path
}

// edges shortens violations to "importer imported".
func edges(violations []Violation) []string {
	short := []string{}
	for _, v := range violations {
		edge := strings.TrimSpace(v.Importer + " " + v.Imported)
		short = append(short, strings.ReplaceAll(edge, module, "."))
	}
	return short
}

func TestImportsThatKeepTheRules(t *testing.T) {
	cases := map[string]Package{
		"an earlier layer":                 {ImportPath: "./engine", Imports: []string{"./dtype", "./kernels/cpu", "fmt"}},
		"a sub-package of one's own":       {ImportPath: "./kernels/cpu", Imports: []string{"./kernels/cpu/philox"}},
		"a sub-package its parent":         {ImportPath: "./kernels/cpu/philox", Imports: []string{"./kernels/cpu"}},
		"the driver below cuda":            {ImportPath: "./kernels/cuda", Imports: []string{"./kernels/cuda/driver"}},
		"purego by cuda":                   {ImportPath: "./kernels/cuda", Imports: []string{purego}},
		"gonum and golang.org/x":           {ImportPath: "./ops", Imports: []string{"gonum.org/v1/gonum/mat", "golang.org/x/sys/cpu"}},
		"peers in order":                   {ImportPath: "./optim", Imports: []string{"./random", "./data", "./nn"}},
		"testify in a test":                {ImportPath: "./dtype", XTestImports: []string{testify + "/require", "./dtype"}},
		"testify in a test package":        {ImportPath: "./engine/enginetest", Imports: []string{testify + "/require", "./engine"}},
		"a test package in a test":         {ImportPath: "./engine", XTestImports: []string{"./engine/enginetest"}},
		"a test package in another":        {ImportPath: "./storage/storagetest", Imports: []string{"./engine/enginetest"}},
		"anything in a program":            {ImportPath: "./examples/mnist", Imports: []string{"./nn", "./kernels/cuda", "gonum.org/v1/plot"}},
		"avo in a generator":               {ImportPath: "./kernels/cpu/internal/gen/gemm", Imports: []string{"github.com/mmcloughlin/avo/build"}},
		"any module in a package main":     {ImportPath: "./kernels/cpu/asm", Name: "main", Imports: []string{"github.com/mmcloughlin/avo/build"}},
		"anything in tests of the root":    {ImportPath: ".", XTestImports: []string{"./examples/mnist", "./optim", "gonum.org/v1/plot"}},
		"the library in the root":          {ImportPath: ".", Imports: []string{"./optim"}},
		"packages of other modules freely": {ImportPath: "gonum.org/v1/gonum/mat", Imports: []string{"example.com/anything"}},
	}
	for name, importer := range cases {
		t.Run(name, func(t *testing.T) {
			if violations := Check(module, graphOf(importer)); len(violations) > 0 {
				t.Errorf("violations: %v", violations)
			}
		})
	}
}

func TestImportsThatBreakARule(t *testing.T) {
	cases := map[string]struct {
		importer Package
		imported string
		rule     string
	}{
		"a later layer": {
			Package{ImportPath: "./engine", Imports: []string{"./ops"}}, "./ops", "layer engine comes before layer ops"},
		"a later layer, in a test": {
			Package{ImportPath: "./engine", XTestImports: []string{"./ops"}}, "./ops", "in a test: layer engine"},
		"a later layer, in a generator": {
			Package{ImportPath: "./kernels/cpu/internal/gen", Imports: []string{"./ops"}}, "./ops", "layer kernels/cpu"},
		"a sub-package of a later layer": {
			Package{ImportPath: "./dtype", Imports: []string{"./kernels/cpu/philox"}}, "./kernels/cpu/philox", "layer dtype"},
		"cuda by its driver": {
			Package{ImportPath: "./kernels/cuda/driver", Imports: []string{"./kernels/cuda"}}, "./kernels/cuda", "comes before"},
		"a peer against the order": {
			Package{ImportPath: "./data", Imports: []string{"./nn"}}, "./nn", "layer data comes before layer nn"},
		"a program": {
			Package{ImportPath: "./kvstore", Imports: []string{"./bench"}}, "./bench", "comes before layer bench"},
		"the root": {
			Package{ImportPath: "./kvstore", Imports: []string{"."}}, ".", "comes before"},
		"a package of no layer": {
			Package{ImportPath: "./ops", Imports: []string{"./tools/layers"}}, "./tools/layers", "belongs to no layer"},
		"a foreign module": {
			Package{ImportPath: "./ops", Imports: []string{"example.com/x"}}, "example.com/x", "library packages import"},
		"a foreign module, in a test": {
			Package{ImportPath: "./ops", TestImports: []string{"example.com/x"}}, "example.com/x", "in a test: library"},
		"a foreign module, in the root": {
			Package{ImportPath: ".", Imports: []string{"example.com/x"}}, "example.com/x", "library packages import"},
		"a module whose path extends an allowed one": {
			Package{ImportPath: "./ops", Imports: []string{"gonum.org/v1/gonumplus"}}, "gonum.org/v1/gonumplus", "library"},
		"what is linked with CUDA, in a program": {
			Package{ImportPath: "./bench", Imports: []string{gorgonia + "/blas"}}, gorgonia + "/blas", "only the module kernels/cuda/gorgonia"},
		"the module that is, in a test of the root": {
			Package{ImportPath: ".", XTestImports: []string{"./kernels/cuda/gorgonia"}}, "./kernels/cuda/gorgonia", "only the module"},
		"testify outside tests": {
			Package{ImportPath: "./ops", Imports: []string{testify + "/require"}}, testify + "/require", "testify in tests"},
		"purego outside cuda": {
			Package{ImportPath: "./kernels/cuda/driver", Imports: []string{purego}}, purego, "purego in kernels/cuda"},
		"a test package outside tests": {
			Package{ImportPath: "./engine", Imports: []string{"./engine/enginetest"}}, "./engine/enginetest", "for tests"},
		"a generator in a library": {
			Package{ImportPath: "./kernels/cpu", Imports: []string{"./kernels/cpu/internal/gen"}},
			"./kernels/cpu/internal/gen", "a generator"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			violations := Check(module, graphOf(c.importer))
			if len(violations) != 1 || violations[0].Importer != inModule(c.importer.ImportPath) ||
				violations[0].Imported != inModule(c.imported) || !strings.Contains(violations[0].Rule, c.rule) {
				t.Errorf("violations: %v; want one, of importing %s: %s", violations, c.imported, c.rule)
			}
		})
	}
}

func TestPackagesOfNoLayerAreViolations(t *testing.T) {
	violations := Check(module, graphOf(Package{ImportPath: "./kernels/tpu"}, Package{ImportPath: "./utilities"}))
	if got, want := edges(violations), []string{"./kernels/tpu", "./utilities"}; !slices.Equal(got, want) {
		t.Errorf("violations: %v; want %v", got, want)
	}
}

func TestPuregoIsReportedWhereItEntersTheLibrary(t *testing.T) {
	withPurego := []string{purego + "/internal", purego}
	violations := Check(module, graphOf(
		Package{ImportPath: "./kernels/cuda", Imports: []string{purego}, Deps: withPurego},
		Package{ImportPath: "golang.org/x/sneaky", Deps: withPurego},
		Package{ImportPath: "./engine", Imports: []string{"./kernels/cuda"}, Deps: withPurego},
		Package{ImportPath: "./ops", Imports: []string{"golang.org/x/sneaky"}, Deps: withPurego},
		Package{ImportPath: "./storage", XTestImports: []string{"./kernels/cuda"}},
		Package{ImportPath: "./examples/mnist", Imports: []string{"./kernels/cuda"}, Deps: withPurego},
	))
	want := []string{"./engine ./kernels/cuda", "./ops golang.org/x/sneaky"}
	if got := edges(violations); !slices.Equal(got, want) {
		t.Errorf("violations: %v; want %v", got, want)
	}
}

func TestConfigurationsAreUnited(t *testing.T) {
	graph := graphOf(
		Package{ImportPath: "./dtype", Imports: []string{"fmt"}},
		Package{ImportPath: "./dtype", Imports: []string{"./device", "fmt"}},
		Package{ImportPath: "./dtype", TestImports: []string{"./device", "./fault"}},
	)
	want := []string{"./dtype ./device", "./dtype ./device", "./dtype ./fault"}
	if got := edges(Check(module, graph)); !slices.Equal(got, want) {
		t.Errorf("violations: %v; want %v", got, want)
	}
}
