// Gen writes the assembly of the CPU kernels and the Go declarations for it. It is a module of its own, so that users of the
// library do not depend on avo. It is run in its own folder; with -check it writes nothing, lists the files that are not
// current, and exits with status 1 if there are any.
//
// Every kernel is written once for vectors of 32 bytes (AVX2) and of 64 bytes (AVX-512), by an assembler that knows the
// width. Kernels that must equal their Go twins in bits fuse a product with a sum only where the twin does. The Go twins of
// functions of calculus are written, too, and the same functions for kernels of devices.
//
// What is written is listed by groups in this file. Its source has the name of the group, or begins with it:
//   - calculus_* describe functions by the steps of interface code (calculus_code.go), which calculus_lanes.go writes as
//     assembly, calculus_portable.go as Go and device.go for devices; calculus.go lists them;
//   - loop.go writes the other element-wise loops, from the steps in loop_*;
//   - reduce_* are reductions, scan cumulative extremes, row_* what is normalised, pool windows;
//   - gemm* are products of matrices (amx.go has AMX's instructions), convolution*, fourier* and sorting_* are what they say;
//   - words, uniform and normal are random numbers; transpose, interleave, shuffle, compress and streaming move elements.
//
// assembler.go has what all of them use: registers and instructions by width, constants, and files.
package main

import (
	"bytes"
	"flag"
	"fmt"
	goformat "go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// group is the kernels of one assembly file.
type group struct {
	folder string // of the Go package, relative to kernels/cpu
	name   string // of the files, without suffix
	write  func(*file)
}

var groups = []group{
	{"philox", "words", writeWords},
	{"distribution", "uniform", writeUniform},
	{"distribution", "normal", writeNormal},
	{"", "transpose", writeTranspose},
	{"", "streaming", writeStreaming},
	{"", "shuffle", writeShuffle},
	{"", "compress", writeCompress},
	{"", "scan", writeScans},
	{"gemm", "gemm", writeGemm},
	{"sorting", "sorting", writeSorting},
	{"", "reduce", writeReduce},
	{"", "reduce_narrow", writeNarrowSums},
	{"", "loop_arithmetic", writeLoops(arithmeticLoops)},
	{"", "loop_comparison", writeLoops(comparisonLoops)},
	{"", "loop_conversion", writeLoops(conversionLoops)},
	{"", "loop_halves", writeLoops(halvesLoops)},
	{"", "loop_logical", writeLoops(logicalLoops)},
	{"", "loop_division", writeLoops(append(quotients(), quotientsByOne()...))},
	{"", "complex_division", writeComplexDivision},
	{"fourier", "passes", writeFourier},
	{"", "loop_complex", writeLoops(complexLoops)},
	{"", "row_joined", func(f *file) { writeRows(f, rowJoined) }},
	{"", "row_sums", func(f *file) { writeRows(f, rowSums) }},
	{"", "row_softmax", func(f *file) { writeRows(f, rowSoftmax) }},
	{"", "row_norm", func(f *file) { writeRows(f, rowNorm) }},
	{"", "row_update", func(f *file) { writeRows(f, rowUpdate) }},
	{"", "row_recurrent", func(f *file) { writeRows(f, rowRecurrent) }},
	{"", "pool", writePool},
	{"convolution", "convolution", writeConvolution},
	{"gemm", "finish", writeFinish},
	{"gemm", "words", writeNarrow},
	{"gemm", "integers", writeIntegers},
	{"gemm", "lines", writeLines},
	{"gemm", "amx", writeAMX},
	{"calculus", "fence", (*file).storeFence},
	{"internal/features", "vendor", (*file).vendor},
}

func main() {
	check := flag.Bool("check", false, "list files that are not current instead of writing them")
	flag.Parse()
	stale := false
	write := func(files map[string][]byte) {
		for path, contents := range files {
			current, err := os.ReadFile(path)
			switch {
			case err == nil && bytes.Equal(current, contents):
			case *check:
				fmt.Fprintln(os.Stderr, "gen:", path, "is not current: run make generate")
				stale = true
			default:
				if err := os.WriteFile(path, contents, 0o644); err != nil {
					fmt.Fprintln(os.Stderr, "gen:", err)
					os.Exit(2)
				}
			}
		}
	}
	for _, g := range append(groups, calculusGroups()...) {
		files, err := g.generate()
		if err != nil {
			fmt.Fprintf(os.Stderr, "gen: %s: %v\n", g.name, err)
			os.Exit(2)
		}
		write(files)
	}
	write(deviceFiles())
	if stale {
		os.Exit(1)
	}
}

// generate returns the contents of the group's files by their paths.
func (g group) generate() (map[string][]byte, error) {
	f := &file{context: build.NewContext(), tables: map[string]constants{}}
	f.context.ConstraintExpr("!noasm")
	g.write(f)
	result, err := f.context.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(result); err != nil {
		return nil, err
	}
	for _, function := range result.Functions() {
		dropIdleMoves(function)
		encode(function)
		if err := check(function); err != nil {
			return nil, err
		}
	}
	folder := filepath.Join("..", "..", g.folder)
	config := printer.Config{Name: "kernels/cpu/internal/gen", Pkg: "cpu"}
	if g.folder != "" {
		config.Pkg = filepath.Base(g.folder)
	}
	assembly, err := printer.NewGoAsm(config).Print(result)
	if err != nil {
		return nil, err
	}
	stubs, err := printer.NewStubs(config).Print(result)
	if err != nil {
		return nil, err
	}
	if f.appendix != "" {
		if stubs, err = goformat.Source(append(stubs, f.appendix...)); err != nil {
			return nil, err
		}
	}
	files := map[string][]byte{
		filepath.Join(folder, g.name+"_amd64.s"):  assembly,
		filepath.Join(folder, g.name+"_amd64.go"): stubs,
	}
	if f.portable != "" {
		if files[filepath.Join(folder, g.name+".go")], err = goformat.Source([]byte(f.portable)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// dropIdleMoves removes moves of vectors to the registers that they are in, which take the time of an addition.
func dropIdleMoves(function *ir.Function) {
	function.Nodes = slices.DeleteFunc(function.Nodes, func(node ir.Node) bool {
		move, isInstruction := node.(*ir.Instruction)
		return isInstruction && slices.Contains([]string{"VMOVAPS", "VMOVAPD", "VMOVDQA", "VMOVDQU32", "VMOVDQU"}, move.Opcode) &&
			len(move.Operands) == 2 && move.Operands[0] == move.Operands[1]
	})
}

// check tells whether a function for AVX2 needs more than that: avo takes instructions and registers of AVX-512 where
// those of AVX2 do not fit.
func check(function *ir.Function) error {
	if !strings.HasSuffix(function.Name, "AVX2") {
		return nil
	}
	for _, set := range function.ISA {
		if !slices.Contains([]string{"CMOV", "MMX+", "SSE", "SSE2", "AVX", "AVX2", "FMA3", "F16C", "POPCNT"}, set) {
			return fmt.Errorf("%s needs %s", function.Name, set)
		}
	}
	for _, instruction := range function.Instructions() {
		for _, register := range instruction.Registers() {
			if physical := reg.ToPhysical(register); physical != nil && physical.Kind() == reg.KindVector && physical.PhysicalIndex() > 15 {
				return fmt.Errorf("%s has too few registers", function.Name)
			}
		}
	}
	return nil
}
