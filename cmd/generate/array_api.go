package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"strings"
)

// counterpart is a name of the array API standard and what it is in Go, or why it is absent.
type counterpart struct{ name, identifier, file, test, absent string }

// module is what the Go files below a folder declare.
type module struct {
	root  string
	tests map[string]string            // the packages of tests
	files map[string]map[string]string // of packages: the files of what they declare
}

func newModule(root string) (*module, error) {
	tests, err := tests(root)
	return &module{root, tests, map[string]map[string]string{}}, err
}

// file returns the file of a package that declares an identifier, empty if there is none.
func (m *module) file(pkg, identifier string) (string, error) {
	if m.files[pkg] == nil {
		folder := filepath.Join(m.root, pkg)
		if pkg == "math" {
			standard, err := build.Import(pkg, "", build.FindOnly)
			if err != nil {
				return "", err
			}
			folder = standard.Dir
		}
		declared, err := declarations(folder, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
		if err != nil {
			return "", err
		}
		m.files[pkg] = declared
	}
	return m.files[pkg][identifier], nil
}

// counterparts reads the names of a section; it fails where m has no such identifier or test.
func (m *module) counterparts(s section) (all []counterpart, err error) {
	for _, text := range s.names {
		if name, reason, absent := strings.Cut(text, " - "); absent {
			all = append(all, counterpart{name: name, absent: reason})
			continue
		}
		words := append(strings.Fields(text), s.test)
		c := counterpart{name: words[0], identifier: words[1], test: words[2]}
		if pkg, _, qualified := strings.Cut(c.identifier, "."); !qualified || ast.IsExported(pkg) {
			c.identifier = s.pkg + "." + c.identifier
		}
		pkg, identifier, _ := strings.Cut(c.identifier, ".")
		file, err := m.file(pkg, identifier)
		switch {
		case err != nil:
			return nil, err
		case file == "":
			return nil, fmt.Errorf("%s: package %s has no %s", c.name, pkg, identifier)
		case m.tests[c.test] == "":
			return nil, fmt.Errorf("%s: there is no test %s", c.name, c.test)
		}
		c.file = path.Join(pkg, file)
		all = append(all, c)
	}
	return all, nil
}

// declarations returns the files in folder that declare functions, methods as Type.Method, types, constants and variables.
func declarations(folder string, read func(name string) bool) (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, at := range paths {
		base := filepath.Base(at)
		if !read(base) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), at, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range file.Decls {
			for _, name := range declaredNames(declaration) {
				found[name] = base
			}
		}
	}
	return found, nil
}

func declaredNames(declaration ast.Decl) (names []string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			receiver := d.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			if plain, ok := receiver.(*ast.Ident); ok {
				name = plain.Name + "." + name
			}
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// tests returns the packages of all tests below root.
func tests(root string) (map[string]string, error) {
	found := map[string]string{}
	return found, filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return err
		case at != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		}
		declared, err := declarations(at, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		pkg, relative := filepath.Rel(root, at)
		for name := range declared {
			declared[name] = filepath.ToSlash(pkg)
		}
		maps.Copy(found, declared)
		if err == nil {
			err = relative
		}
		return err
	})
}

// arrayAPIFile returns the page that tells what the functions of the standard are called here.
func arrayAPIFile(root string) ([]byte, error) {
	m, err := newModule(root)
	if err != nil {
		return nil, err
	}
	var tables bytes.Buffer
	present, absent := 0, 0
	for _, s := range arrayAPI {
		found, err := m.counterparts(s)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&tables, "\n## %s\n\n| standard | Go | file | test |\n|---|---|---|---|\n", s.title)
		for _, c := range found {
			if c.absent != "" {
				absent++
				fmt.Fprintf(&tables, "| `%s` | absent | | %s |\n", c.name, c.absent)
				continue
			}
			present++
			fmt.Fprintf(&tables, "| `%s` | `%s` | `%s` | `%s`, `%s` |\n", c.name, c.identifier, c.file, m.tests[c.test], c.test)
		}
	}
	page := bytes.NewBufferString("<!-- Code generated by \"make generate\"; DO NOT EDIT. -->\n\n# Array API standard\n\n" +
		"What the names of the [Python array API standard](https://data-apis.org/array-api/2024.12/), version 2024.12, without its\n" +
		"extensions, are in Go, where, and which test shows it. An optional argument of the standard is a method beside, such as\n" +
		"`SumKeepDims`, `SortDescending`, `SearchSortedRight`, `CumSumInitial`, `LinspaceExclusive`, `MeshgridIJ` or `ConcatFlat`.\n" +
		"The special cases of its docstrings are rows of `kernels/cpu/testdata/array-api-special-cases.txt`.\n")
	fmt.Fprintf(page, "\n%d of %d are present.\n", present, present+absent)
	page.Write(tables.Bytes())
	return page.Bytes(), nil
}
