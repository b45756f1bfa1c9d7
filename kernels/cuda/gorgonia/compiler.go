package gorgonia

import (
	"errors"
	"fmt"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// noCompiler is why there is no NVRTC.
const noCompiler = "the program does not import kernels/cuda/gorgonia/nvrtc"

var _ driver.Compiler = cuDriver{}

// compiler compiles programs; nil where nobody has bound one.
var compiler func(p *driver.Program) (*driver.Compiled, error)

// BindCompiler makes programs be compiled by a function. The init of a package that has one calls it.
func BindCompiler(compile func(p *driver.Program) (*driver.Compiled, error)) { compiler = compile }

// Compile implements driver.Compiler.
func (cuDriver) Compile(p *driver.Program) (*driver.Compiled, error) {
	if compiler == nil {
		return nil, fmt.Errorf("there is no NVRTC: %s: %w", noCompiler, errors.ErrUnsupported)
	}
	return compiler(p)
}

// NVRTC implements driver.Compiler. The program is linked with it.
func (cuDriver) NVRTC() driver.Library {
	if compiler == nil {
		return driver.Library{Name: "NVRTC", Problem: noCompiler}
	}
	return driver.Library{Name: "NVRTC", File: "libnvrtc, linked by gorgonia.org/cu/nvrtc"}
}
