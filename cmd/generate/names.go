package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"

	"github.com/weft-nd/weft/ops"
)

// goNames returns the name of the variable that holds each operator, by the operator's name. It reads the source in folder:
// of a declaration such as ArgMax = Register(&Operator{Name: "argmax", … the first operator named is the one declared.
func goNames(folder string, operators []*ops.Operator) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range file.Decls {
			variables, ok := declaration.(*ast.GenDecl)
			if !ok || variables.Tok != token.VAR {
				continue
			}
			for _, spec := range variables.Specs {
				collect(names, spec.(*ast.ValueSpec))
			}
		}
	}
	for _, op := range operators {
		if names[op.Name] == "" {
			return nil, fmt.Errorf("no exported variable of %s holds operator %q", folder, op.Name)
		}
	}
	return names, nil
}

// collect adds the exported variables of spec that hold operators to names.
func collect(names map[string]string, spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		call, ok := value.(*ast.CallExpr)
		if !ok || !spec.Names[i].IsExported() {
			continue
		}
		found := ""
		ast.Inspect(call, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if ok && literal.Kind == token.STRING && found == "" {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					if _, registered := ops.Lookup(text); registered {
						found = text
					}
				}
			}
			return found == ""
		})
		if found != "" {
			names[found] = spec.Names[i].Name
		}
	}
}
