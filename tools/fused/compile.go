package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// target is a package as go list describes it.
type target struct {
	path, folder string
	files        []string
}

// compile returns the lines of packages that have an instruction of arm64 that fuses a product with a sum.
func compile(patterns []string) (map[place]bool, error) {
	targets, exports, err := list(patterns)
	if err != nil {
		return nil, err
	}
	// The go command would print listings too, but from its cache, which may have lost them and says nothing of it.
	scratch, err := os.MkdirTemp("", "fused")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	imports := filepath.Join(scratch, "imports")
	if err := os.WriteFile(imports, exports, 0o644); err != nil {
		return nil, err
	}
	lines := map[place]bool{}
	for _, t := range targets {
		arguments := []string{"tool", "compile", "-S", "-p", t.path, "-importcfg", imports, "-o", filepath.Join(scratch, "package")}
		for _, file := range t.files {
			arguments = append(arguments, filepath.Join(t.folder, file))
		}
		if err := listing(command(arguments...), lines); err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
	}
	return lines, nil
}

// list returns the packages that patterns name, and where the compiler finds all that they import.
func list(patterns []string) (targets []target, exports []byte, err error) {
	const format = `{{.ImportPath}}	{{.Dir}}	{{.Export}}	{{.DepOnly}}	{{join .GoFiles "	"}}`
	lister := command(append([]string{"list", "-export", "-deps", "-f", format}, patterns...)...)
	lister.Stderr = os.Stderr
	found, err := lister.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w", lister.Args, err)
	}
	var packages bytes.Buffer
	for line := range strings.Lines(string(found)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		path, folder, export, isImported, files := fields[0], fields[1], fields[2], fields[3] == "true", fields[4:]
		if export != "" {
			fmt.Fprintf(&packages, "packagefile %s=%s\n", path, export)
		}
		if !isImported && files[0] != "" { // Some have only tests.
			targets = append(targets, target{path, folder, files})
		}
	}
	return targets, packages.Bytes(), nil
}

// problem matches lines that tell what the compiler does not compile.
var problem = regexp.MustCompile(`^\S+:\d+:\d+: `)

// listing adds the lines that a compiler's listing tells of.
func listing(compiler *exec.Cmd, lines map[place]bool) error {
	var problems, others bytes.Buffer
	compiler.Stderr = &others
	output, err := compiler.StdoutPipe()
	if err != nil {
		return err
	}
	if err := compiler.Start(); err != nil {
		return err
	}
	scanner := bufio.NewScanner(output)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		listed := scanner.Text()
		if at, found := fusedAt(listed); found {
			lines[at] = true
		}
		if problem.MatchString(listed) { // The compiler tells of them among its listing.
			fmt.Fprintln(&problems, listed)
		}
	}
	_, rest := io.Copy(io.Discard, output) // The compiler waits for a reader.
	if err := compiler.Wait(); err != nil {
		return fmt.Errorf("%w: %s%s", err, &problems, &others)
	}
	return errors.Join(scanner.Err(), rest)
}

// command returns the go command for arm64.
func command(arguments ...string) *exec.Cmd {
	c := exec.Command("go", arguments...)
	c.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	return c
}
