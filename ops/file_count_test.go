package ops

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// definitions returns the files of a folder that hold each string, where it is no mere use of an operator. Tests and
// generated files do not count.
func definitions(t *testing.T, folder string) map[string]map[string]bool {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	found := map[string]map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments)
		require.NoError(t, err)
		if ast.IsGenerated(file) {
			continue
		}
		mentioned := map[*ast.BasicLit]bool{} // names of operators that others are made of
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isUse(call) {
				mentioned[call.Args[0].(*ast.BasicLit)] = true
			}
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING || mentioned[literal] {
				return true
			}
			name, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			if found[name] == nil {
				found[name] = map[string]bool{}
			}
			found[name][path] = true
			return true
		})
	}
	return found
}

// isUse reports whether the first argument of call defines no operator: r.Apply("add", …) in a gradient, Lookup("cast"), registered("cast"),
// the name of a tag, or Reduction("add").
func isUse(call *ast.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	if literal, ok := call.Args[0].(*ast.BasicLit); !ok || literal.Kind != token.STRING {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name == "Apply" || f.Sel.Name == "ApplyAll" || f.Sel.Name == "Get"
	case *ast.Ident:
		return f.Name == "Lookup" || f.Name == "registered" || f.Name == "raising" || f.Name == "stepping" || f.Name == "Reduction"
	}
	return false
}

// TestAnOperatorIsDefinedInOneFileAndItsKernelInAnother is the measure of how many files change to add an operator.
func TestAnOperatorIsDefinedInOneFileAndItsKernelInAnother(t *testing.T) {
	entries, kernels := definitions(t, "."), definitions(t, filepath.Join("..", "kernels", "cpu"))
	for _, op := range All() {
		require.Len(t, entries[op.Name], 1, "files of ops that define %s", op.Name)
		if op.View != nil {
			require.Empty(t, kernels[op.Name], "%s runs nothing", op.Name)
			continue
		}
		require.Len(t, kernels[op.Name], 1, "files of kernels/cpu that register %s", op.Name)
	}
}
