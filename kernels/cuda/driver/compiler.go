package driver

import (
	"fmt"

	"github.com/weft-nd/weft/fault"
)

// Compiler is a Driver that compiles kernels at run time, by NVRTC.
type Compiler interface {
	Driver
	// Compile compiles a program. Where NVRTC refuses it the error is a *CompileError; where there is no NVRTC it wraps errors.ErrUnsupported.
	Compile(p *Program) (*Compiled, error)
	// NVRTC tells where NVRTC is, or why there is none. It is loaded when it is first asked for.
	NVRTC() Library
}

// Program is a source in CUDA C++.
type Program struct {
	Source       string
	Options      []string // of NVRTC, beside the architecture
	Names        []string // instances of templates, such as "axpy<float>", and functions that are not extern "C"
	Major, Minor int      // compute capability of the devices
}

// Compiled is a program that Context.Load takes.
type Compiled struct {
	Image   string
	PTX     string   // what the image is made of; empty if it is not known
	Lowered []string // what the names of the program are in it
	Log     string   // warnings
}

// CompileError is a call of NVRTC that failed.
type CompileError struct {
	Call   string // "nvrtcCompileProgram"
	Status CompileStatus
	Log    string // what the compiler says of it
}

// Error returns the status, and the lines of the log.
func (e *CompileError) Error() string {
	text := e.Call + ": " + e.Status.String()
	if e.Log != "" {
		text += ":\n" + e.Log
	}
	return text
}

// Is makes errors.Is find fault.ErrOutOfMemory where memory was lacking, fault.ErrParameter where the source, a name or
// an option is wrong, and otherwise fault.ErrDevice: NVRTC itself failed.
func (e *CompileError) Is(target error) bool {
	switch e.Status {
	case 1:
		return target == fault.ErrOutOfMemory
	case 3, 5, 6, 8, 10: // INVALID_INPUT, INVALID_OPTION, COMPILATION, NO_NAME_EXPRESSIONS_AFTER_COMPILATION, NAME_EXPRESSION_NOT_VALID
		return target == fault.ErrParameter
	}
	return target == fault.ErrDevice
}

// CompileStatus is an nvrtcResult.
type CompileStatus int32

// compileNames are those of nvrtc.h, without NVRTC_.
var compileNames = []string{
	"SUCCESS", "ERROR_OUT_OF_MEMORY", "ERROR_PROGRAM_CREATION_FAILURE", "ERROR_INVALID_INPUT", "ERROR_INVALID_PROGRAM", "ERROR_INVALID_OPTION",
	"ERROR_COMPILATION", "ERROR_BUILTIN_OPERATION_FAILURE", "ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
	"ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION", "ERROR_NAME_EXPRESSION_NOT_VALID", "ERROR_INTERNAL_ERROR", "ERROR_TIME_FILE_WRITE_FAILED",
}

// String returns the name in nvrtc.h, such as "NVRTC_ERROR_COMPILATION".
func (s CompileStatus) String() string {
	if s >= 0 && int(s) < len(compileNames) {
		return "NVRTC_" + compileNames[s]
	}
	return fmt.Sprintf("nvrtcResult(%d)", int32(s))
}
