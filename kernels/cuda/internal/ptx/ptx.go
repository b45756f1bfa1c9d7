package ptx

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed *.ptx.gz
var compiled embed.FS

// Sources are the kernels in C++; weft.h tells how they are written.
//
//go:embed *.cu *.cuh *.h
var Sources embed.FS

// Form is how a kernel is launched.
type Form string

// The forms. The axes of pack and each kernels are all outer ones.
const (
	// Packed has a thread for each pack of elements that follow one another in memory, and for each element that is in none.
	Packed Form = "pack"

	Each Form = "each" // a thread for each element of the operands, which have one shape
	Fold Form = "fold" // blocks for elements of the results; the last axes of the operands, integers[0] of them, are inner ones
	Row  Form = "row"  // a block for each row; the last axis is the inner one
	// Spread has a block for each element of the outer axes; the last axes, as many as the last of the integers says, are inner ones.
	Spread Form = "spread"

	// Hold has a block for each row, which its threads may hold: the inner axes are those of Spread, or the last axis
	// where there are no integers.
	Hold Form = "hold"

	Tile Form = "tile" // a block for each tile of the result; what is where integers say

	Chain Form = "chain" // many operators, each of a thread for each element: its only argument is struct Chain of chain.cuh

	Inner Form = "inner" // a thread for each element of the result; the inner axis is that along which matrices meet

	Group Form = "group" // blocks for parts of many arrays: its only argument is struct Clip of clip.cuh

	Many Form = "many" // blocks for parts of many arrays: its only argument is struct Updates of update.cuh
)

// Kernel is where a kernel is found.
type Kernel struct {
	Form   Form
	Module string // for Text
	Entry  string // the name there
}

// Find returns the kernel for an operator and element types, written add_float32; found is false where there is none.
func Find(name string) (k Kernel, found bool) {
	k, found = kernels()[name]
	return k, found
}

// Modules returns the names of all modules.
func Modules() []string {
	files, _ := fs.Glob(compiled, "*.ptx.gz")
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, ".ptx.gz")
	}
	return files
}

// Text returns the PTX of a module.
func Text(module string) string {
	packed, err := compiled.ReadFile(module + ".ptx.gz")
	if err != nil {
		panic("ptx: there is no module " + module)
	}
	text, err := Decompress(packed)
	if err != nil {
		panic("ptx: " + module + ": " + err.Error())
	}
	return text
}

// kernels are those of all modules by the name that Find takes.
var kernels = sync.OnceValue(func() map[string]Kernel {
	all := map[string]Kernel{}
	for _, module := range Modules() {
		for line := range strings.Lines(Text(module)) {
			rest, isEntry := strings.CutPrefix(line, ".visible .entry ")
			if !isEntry {
				continue
			}
			entry := strings.TrimRight(rest, "(\n")
			form, name, _ := strings.Cut(entry, "_")
			all[name] = Kernel{Form(form), module, entry}
		}
	}
	return all
})

// Decompress returns the text of a file as it is checked in.
func Decompress(packed []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// includes are the headers that not all sources share.
var includes = regexp.MustCompile(`(?m)^#include "(\w+\.cuh)"`)

// Hash returns the line with which the PTX of a source begins: a hash of it, of all headers *.h, and of the headers
// *.cuh that these include.
func Hash(folder fs.FS, source string) (string, error) {
	names, err := fs.Glob(folder, "*.h")
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	sum := sha256.New()
	for names = append(names, path.Base(source)); len(names) > 0; names = names[1:] {
		text, err := fs.ReadFile(folder, names[0])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", names[0], len(text), text)
		for _, included := range includes.FindAllSubmatch(text, -1) {
			names = append(names, string(included[1]))
		}
	}
	return fmt.Sprintf("// sources %x\n", sum.Sum(nil)), nil
}
