package weft_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryFamilyHasAnExample takes the functions and methods that a file exports for a family: a file has one concept. One of them has an
// Example of its name.
func TestEveryFamilyHasAnExample(t *testing.T) {
	suffix := regexp.MustCompile(`_[a-z]\w*$`)
	for _, folder := range []string{"ndarray", "autograd", "random", "linalg", "fft", "nn", "optim", "data", "einsum", "train", "kvstore"} {
		families, examples := map[string][]string{}, map[string]bool{}
		paths, err := filepath.Glob(folder + "/*.go")
		require.NoError(t, err)
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, declaration := range file.Decls {
				function, isFunction := declaration.(*ast.FuncDecl)
				if !isFunction {
					continue
				}
				name := exportedName(function)
				example, isExample := strings.CutPrefix(name, "Example")
				switch {
				case !strings.HasSuffix(path, "_test.go") && name != "":
					families[path] = append(families[path], name)
				case isExample:
					example = suffix.ReplaceAllString(example, "")
					examples[example] = true
				}
			}
		}
		for path, names := range families {
			shown := false
			for _, name := range names {
				kind, _, isMethod := strings.Cut(name, "_")
				shown = shown || examples[name] || isMethod && kind != "Array" && examples[kind]
			}
			assert.True(t, shown, "%s has no Example of %v", path, names)
		}
	}
}

// exportedName returns the name of a function, or the type and name of a method, as Examples have it; nothing if it is not exported.
func exportedName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		if f.Name.IsExported() {
			return f.Name.Name
		}
		return ""
	}
	kind := f.Recv.List[0].Type
	if pointer, isPointer := kind.(*ast.StarExpr); isPointer {
		kind = pointer.X
	}
	named, isNamed := kind.(*ast.Ident)
	if !isNamed || !named.IsExported() || !f.Name.IsExported() {
		return ""
	}
	return named.Name + "_" + f.Name.Name
}
