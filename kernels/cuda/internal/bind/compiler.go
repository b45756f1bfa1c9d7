//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

var _ driver.Compiler = (*cudaDriver)(nil)

// compilerCalls are the functions of NVRTC. Their signatures are the same from version 11.2 on.
type compilerCalls struct {
	Version        symbol `c:"nvrtcVersion"`
	CountSupported symbol `c:"nvrtcGetNumSupportedArchs"`
	Supported      symbol `c:"nvrtcGetSupportedArchs"`
	Create         symbol `c:"nvrtcCreateProgram"`
	Destroy        symbol `c:"nvrtcDestroyProgram"`
	Compile        symbol `c:"nvrtcCompileProgram"`
	PTXSize        symbol `c:"nvrtcGetPTXSize"`
	PTX            symbol `c:"nvrtcGetPTX"`
	CUBINSize      symbol `c:"nvrtcGetCUBINSize"`
	CUBIN          symbol `c:"nvrtcGetCUBIN"`
	LogSize        symbol `c:"nvrtcGetProgramLogSize"`
	Log            symbol `c:"nvrtcGetProgramLog"`
	AddName        symbol `c:"nvrtcAddNameExpression"`
	LoweredName    symbol `c:"nvrtcGetLoweredName"`
}

// openCompiler loads NVRTC of the version of the driver or an older one: what newer ones make the driver may not load.
func openCompiler(cuda int) (*compilerCalls, driver.Library) {
	runtime.LockOSThread() // as Open does
	defer runtime.UnlockOSThread()
	var names []string
	for major := cuda / 1000; major >= oldest/1000; major-- {
		name := "libnvrtc.so." + strconv.Itoa(major)
		if major == 11 {
			name += ".2" // as all from 11.2 on are called
		}
		names = append(names, name)
	}
	calls := &compilerCalls{}
	library, err := load("NVRTC", names, calls)
	if err != nil {
		return nil, library
	}
	var version [2]int32
	if result := calls.Version.call(uintptr(unsafe.Pointer(&version[0])), uintptr(unsafe.Pointer(&version[1]))); result != 0 {
		library.Problem = (&driver.CompileError{Call: calls.Version.name, Status: driver.CompileStatus(result)}).Error()
		return nil, library
	}
	if number := int(1000*version[0] + 10*version[1]); number/1000 > cuda/1000 {
		library.Problem = fmt.Sprintf("it is NVRTC %s, and the driver supports CUDA %s", formatVersion(number), formatVersion(cuda))
		return nil, library
	}
	return calls, library
}

// Compile implements driver.Compiler.
func (d *cudaDriver) Compile(p *driver.Program) (*driver.Compiled, error) {
	c, library := d.compiler()
	if c == nil {
		return nil, fmt.Errorf("there is no NVRTC: %s: %w", library.Problem, errors.ErrUnsupported)
	}
	return c.compile(p)
}

// NVRTC implements driver.Compiler.
func (d *cudaDriver) NVRTC() driver.Library {
	_, library := d.compiler()
	return library
}

// call calls s, and makes an error of its result.
//
//go:uintptrescapes
func (c *compilerCalls) call(s symbol, arguments ...uintptr) error {
	if result := s.call(arguments...); result != 0 {
		return &driver.CompileError{Call: s.name, Status: driver.CompileStatus(result)}
	}
	return nil
}

// compile makes binary code for a device that NVRTC knows, which the driver takes whatever version of PTX it knows, and for others PTX for
// the newest before them.
func (c *compilerCalls) compile(p *driver.Program) (made *driver.Compiled, err error) {
	options := slices.Clone(p.Options)
	if !slices.ContainsFunc(options, func(o string) bool {
		return strings.HasPrefix(o, "-arch") || strings.HasPrefix(o, "--gpu-architecture")
	}) {
		architecture, err := c.architecture(10*p.Major + p.Minor)
		if err != nil {
			return nil, err
		}
		options = append(options, "--gpu-architecture="+architecture)
	}
	program := new(uintptr)
	source, name := terminated(p.Source), terminated("kernel.cu")
	err = c.call(c.Create, uintptr(unsafe.Pointer(program)), uintptr(unsafe.Pointer(&source[0])), uintptr(unsafe.Pointer(&name[0])), 0, 0, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.call(c.Destroy, uintptr(unsafe.Pointer(program)))) }()
	for _, name := range p.Names {
		text := terminated(name)
		if err := c.call(c.AddName, *program, uintptr(unsafe.Pointer(&text[0]))); err != nil {
			return nil, err
		}
	}
	texts := make([]unsafe.Pointer, len(options)+1)
	for i, option := range options {
		texts[i] = unsafe.Pointer(&terminated(option)[0])
	}
	failed := c.call(c.Compile, *program, uintptr(len(options)), uintptr(unsafe.Pointer(&texts[0])))
	runtime.KeepAlive(texts)
	log, err := c.text(c.LogSize, c.Log, *program)
	if refused, ok := failed.(*driver.CompileError); ok {
		refused.Log = strings.TrimSpace(strings.TrimRight(log, "\x00"))
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	made = &driver.Compiled{Log: strings.TrimSpace(strings.TrimRight(log, "\x00"))}
	if made.PTX, err = c.text(c.PTXSize, c.PTX, *program); err != nil {
		return nil, err
	}
	made.PTX = strings.TrimRight(made.PTX, "\x00")
	if made.Image, err = c.text(c.CUBINSize, c.CUBIN, *program); err != nil || made.Image == "" {
		made.Image, err = made.PTX, nil
	}
	for _, name := range p.Names {
		text, lowered := terminated(name), new(*byte)
		if err := c.call(c.LoweredName, *program, uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(lowered))); err != nil {
			return nil, err
		}
		made.Lowered = append(made.Lowered, textAt(*lowered))
	}
	return made, nil
}

// architecture returns the one to compile for devices of a compute capability, 90 for 9.0.
func (c *compilerCalls) architecture(capability int) (string, error) {
	count := new(int32)
	if err := c.call(c.CountSupported, uintptr(unsafe.Pointer(count))); err != nil {
		return "", err
	}
	supported := make([]int32, max(1, *count))
	if err := c.call(c.Supported, uintptr(unsafe.Pointer(&supported[0]))); err != nil {
		return "", err
	}
	best := int32(0)
	for _, of := range supported {
		if int(of) <= capability {
			best = max(best, of)
		}
	}
	switch {
	case best == 0:
		oldest := slices.Min(supported)
		return "", fmt.Errorf("NVRTC compiles for compute capability %d.%d or more, and the device has %d.%d: %w", oldest/10, oldest%10, capability/10, capability%10, errors.ErrUnsupported)
	case int(best) == capability:
		return fmt.Sprintf("sm_%d", best), nil
	}
	return fmt.Sprintf("compute_%d", best), nil
}

// text returns what two functions tell of a program: the size, and the bytes.
func (c *compilerCalls) text(size, text symbol, program uintptr) (string, error) {
	bytes := new(uint64)
	if err := c.call(size, program, uintptr(unsafe.Pointer(bytes))); err != nil || *bytes == 0 {
		return "", err
	}
	room := make([]byte, *bytes)
	err := c.call(text, program, uintptr(unsafe.Pointer(&room[0])))
	return string(room), err
}

// terminated returns text as C has it.
func terminated(text string) []byte { return append([]byte(text), 0) }

// textAt returns the text of C at p.
func textAt(p *byte) string {
	if p == nil {
		return ""
	}
	count := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), count)) != 0 {
		count++
	}
	return string(unsafe.Slice(p, count))
}
