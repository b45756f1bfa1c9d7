package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// File is a Go source file, named by its slash-separated path relative to the module's root.
type File struct {
	Path      string
	Lines     int
	Test      bool
	Generated bool
}

// Folder is the folder of the file's package.
func (f File) Folder() string { return path.Dir(f.Path) }

// Count returns the Go files of the module in root, for every platform. Like the go command it passes over nested
// modules, testdata, and folders whose names begin with a dot or an underscore.
func Count(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != root && outside(name, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := count(root, name)
		files = append(files, file)
		return err
	})
	return files, err
}

func outside(folder, base string) bool {
	if base == "testdata" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

func count(root, name string) (File, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return File{}, err
	}
	relative, err := filepath.Rel(root, name)
	if err != nil {
		return File{}, err
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), name, source, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return File{}, err
	}
	return File{
		Path:      filepath.ToSlash(relative),
		Lines:     bytes.Count(source, []byte("\n")),
		Test:      strings.HasSuffix(name, "_test.go"),
		Generated: ast.IsGenerated(syntax),
	}, nil
}
