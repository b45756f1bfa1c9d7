// Package nvrtc lets cuda.Compile compile kernels by gorgonia.org/cu/nvrtc, with which the program is linked then:
//
//	import _ "github.com/weft-nd/weft/kernels/cuda/gorgonia/nvrtc"
//
// It makes PTX, which the driver compiles for the device when the kernel is first launched. A program with it needs
// libnvrtc to start. It may be used from any goroutine.
package nvrtc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-nd/weft/kernels/cuda/driver"
	"github.com/weft-nd/weft/kernels/cuda/gorgonia"
	"gorgonia.org/cu/nvrtc"
)

func init() { gorgonia.BindCompiler(compile) }

// compile makes PTX for the devices, or for the oldest that the library knows where it does not know them.
func compile(p *driver.Program) (*driver.Compiled, error) {
	options := slices.Clone(p.Options)
	chosen := slices.ContainsFunc(options, func(o string) bool {
		return strings.HasPrefix(o, "-arch") || strings.HasPrefix(o, "--gpu-architecture")
	})
	if chosen {
		return compileWith(p, options)
	}
	made, err := compileWith(p, append(slices.Clone(options), fmt.Sprintf("--gpu-architecture=compute_%d%d", p.Major, p.Minor)))
	var refused *driver.CompileError
	if errors.As(err, &refused) && refused.Status.String() == "NVRTC_ERROR_INVALID_OPTION" {
		return compileWith(p, options)
	}
	return made, err
}

func compileWith(p *driver.Program, options []string) (made *driver.Compiled, err error) {
	program, err := nvrtc.CreateProgram(p.Source, "kernel.cu")
	if err != nil {
		return nil, check("nvrtcCreateProgram", err)
	}
	defer func() { err = errors.Join(err, check("nvrtcDestroyProgram", program.Destroy())) }()
	for _, name := range p.Names {
		if err := program.AddNameExpression(name); err != nil {
			return nil, check("nvrtcAddNameExpression", err)
		}
	}
	failed := check("nvrtcCompileProgram", program.Compile(options...))
	log, err := program.GetLog()
	var refused *driver.CompileError
	if errors.As(failed, &refused) {
		refused.Log = text(log)
		return nil, refused
	}
	if err != nil {
		return nil, check("nvrtcGetProgramLog", err)
	}
	made = &driver.Compiled{Log: text(log)}
	if made.PTX, err = program.GetPTX(); err != nil {
		return nil, check("nvrtcGetPTX", err)
	}
	made.PTX = strings.TrimRight(made.PTX, "\x00")
	made.Image = made.PTX
	for _, name := range p.Names {
		lowered, err := program.GetLoweredName(name)
		if err != nil {
			return nil, check("nvrtcGetLoweredName", err)
		}
		made.Lowered = append(made.Lowered, lowered)
	}
	return made, nil
}

// text returns what is before the end of a text of C.
func text(c string) string { return strings.TrimSpace(strings.TrimRight(c, "\x00")) }

// results are those that gorgonia.org/cu/nvrtc tells apart.
var results = map[error]driver.CompileStatus{
	nvrtc.OutOfMemory: 1, nvrtc.ProgramCreationFailure: 2, nvrtc.InvalidInput: 3, nvrtc.InvalidProgram: 4, nvrtc.InvalidOption: 5, nvrtc.Compilation: 6,
	nvrtc.BuiltinOperationFailure: 7, nvrtc.NoNameExpressionsAfterCompilation: 8, nvrtc.NoLoweredNamesBeforeCompilation: 9,
	nvrtc.NameExpressionNotValid: 10, nvrtc.InternalError: 11,
}

// check returns err, of a call, as the driver has it.
func check(call string, err error) error {
	if err == nil {
		return nil
	}
	return &driver.CompileError{Call: call, Status: results[err]}
}
