package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// CompileOptions tell how a source is compiled.
type CompileOptions struct {
	// Flags are options of NVRTC, such as "--use_fast_math", "-DWIDTH=4", "--std=c++17", and "-I" with a folder of
	// headers: of those of CUDA too, where the source includes <cuda_fp16.h>. The architecture is that of the GPUs, unless
	// "--gpu-architecture" or "-arch" is among them.
	Flags []string
	// Names are functions that Module.Kernel is to find though they are not extern "C": instances of templates, such as
	// "axpy<float>", and others.
	Names []string
}

// Module is kernels that a program has compiled. It may be used from any goroutine, and stays on its devices until the process ends.
type Module struct {
	backend *Backend
	images  map[capability]string
	refused map[capability]error // why there is no image
	ptx     string
	lowered map[string]string
	log     string
	loaded  sync.Map // *userModule by *unit
}

// capability is a compute capability.
type capability struct{ major, minor int }

// userModule is a Module on one device. It is loaded by who has locked it.
type userModule struct {
	sync.Mutex
	handle    driver.Module
	loaded    bool
	functions map[string]*userFunction
}

// userFunction is a function of a Module on one device.
type userFunction struct {
	handle  driver.Function
	allowed int // bytes of shared memory, which only grow: others may be launching it
}

// Compile compiles CUDA C++ by NVRTC, for all GPUs of the machine that it can compile for, and waits for it. The error
// is an *fault.Error, with the log of the compiler, in which the source is called kernel.cu; where there is no GPU, or
// no NVRTC that works, it wraps fault.ErrDevice.
func Compile(source string, options CompileOptions) (*Module, error) {
	return registered.compile(source, options, fault.Here(1))
}

// Compile is Compile for the devices of b.
func (b *Backend) Compile(source string, options CompileOptions) (*Module, error) {
	return b.compile(source, options, fault.Here(1))
}

func (b *Backend) compile(source string, options CompileOptions, site *fault.Site) (*Module, error) {
	m := &Module{backend: b, images: map[capability]string{}, refused: map[capability]error{}, lowered: map[string]string{}}
	if err := m.compile(source, options); err != nil {
		cause := fault.ErrDevice
		for _, reason := range []error{fault.ErrParameter, fault.ErrOutOfMemory} {
			if errors.Is(err, reason) {
				cause = reason
			}
		}
		return nil, &fault.Error{Operator: "Compile", Detail: err.Error(), Cause: cause, Site: site}
	}
	return m, nil
}

func (m *Module) compile(source string, options CompileOptions) error {
	f, err := m.backend.open()
	if err != nil {
		return err
	}
	compiler, ok := f.driver.(driver.Compiler)
	if !ok {
		return fmt.Errorf("this driver does not compile: %w", errors.ErrUnsupported)
	}
	var first error
	for _, u := range f.units {
		p, err := f.driver.Describe(u.device.Index)
		if err != nil {
			return err
		}
		at := capability{p.Major, p.Minor}
		if m.images[at] != "" || m.refused[at] != nil {
			continue
		}
		if p.Major < oldestMajor {
			m.refused[at] = fmt.Errorf("%v has compute capability %d.%d, and %d.0 is needed", u.device, p.Major, p.Minor, oldestMajor)
			first = cmp.Or(first, m.refused[at])
			continue
		}
		made, err := compiler.Compile(&driver.Program{Source: source, Options: options.Flags, Names: options.Names, Major: p.Major, Minor: p.Minor})
		if errors.Is(err, errors.ErrUnsupported) { // others may be newer
			m.refused[at] = err
			first = cmp.Or(first, err)
			continue
		}
		if err != nil {
			return err
		}
		m.images[at], m.ptx = made.Image, made.PTX
		if !strings.Contains(m.log, made.Log) {
			m.log = strings.TrimSpace(m.log + "\n" + made.Log)
		}
		for i, name := range options.Names {
			m.lowered[name] = made.Lowered[i]
		}
	}
	if len(m.images) == 0 {
		return first
	}
	return nil
}

// Log returns the warnings of the compiler, for whatever device it gave them.
func (m *Module) Log() string { return m.log }

// Kernel returns a kernel of the module, for ndarray.Launch. Parameters are those of the function, as in its source,
// such as "const float *x, float *y, float alpha": an array for each pointer, which the kernel may write unless it is
// to a constant, and numbers. Of arrays the kernel gets the address of the first element; they are in row-major order.
// The error, which wraps fault.ErrParameter, tells of a name that is not there, of parameters that are of no element
// type, or that have other sizes than those of the function, as it was compiled for the last kind of GPUs.
func (m *Module) Kernel(name, parameters string) (*UserKernel, error) {
	k := &UserKernel{module: m, name: name, entry: cmp.Or(m.lowered[name], name)}
	var err error
	if k.parameters, err = parseParameters(parameters); err == nil {
		err = k.check()
	}
	if err != nil {
		return nil, &fault.Error{Operator: "Kernel", Detail: fmt.Sprintf("%s(%s): %v", name, parameters, err), Cause: fault.ErrParameter, Site: fault.Here(1)}
	}
	return k, nil
}

// check compares the parameters with those in PTX, where that is known.
func (k *UserKernel) check() error {
	if !slices.ContainsFunc(k.parameters, func(p device.Parameter) bool { return p.Written }) {
		return errors.New("it writes no array: a pointer that is not to a constant")
	}
	if k.module.ptx == "" {
		return nil
	}
	_, list, found := strings.Cut(k.module.ptx, ".entry "+k.entry+"(")
	if !found {
		return fmt.Errorf("the module has no such kernel: has it __global__, and is it extern \"C\", or in CompileOptions.Names?")
	}
	list, _, _ = strings.Cut(list, ")")
	var own []int
	for _, p := range k.parameters {
		own = append(own, bytesOf(p))
	}
	if taken := entryParameters(list); !slices.Equal(taken, own) {
		return fmt.Errorf("the parameters have %v bytes, those of the kernel %v", own, taken)
	}
	return nil
}

// function returns a function of m on u that may be launched with so many bytes of shared memory. M is loaded when the first is wanted.
func (m *Module) function(c driver.Context, u *unit, entry string, shared int) (driver.Function, error) {
	found, _ := m.loaded.LoadOrStore(u, &userModule{functions: map[string]*userFunction{}})
	own := found.(*userModule)
	own.Lock()
	defer own.Unlock()
	f := own.functions[entry]
	if f == nil {
		handle, err := m.load(own, c, u, entry)
		if err != nil {
			return 0, err
		}
		f = &userFunction{handle: handle}
		own.functions[entry] = f
	}
	if shared > f.allowed {
		if err := c.AllowShared(f.handle, shared); err != nil {
			return 0, err
		}
		f.allowed = shared
	}
	return f.handle, nil
}

// load finds a function on u, whose module the caller has locked.
func (m *Module) load(own *userModule, c driver.Context, u *unit, entry string) (driver.Function, error) {
	if !own.loaded {
		p, err := u.driver.Describe(u.device.Index)
		if err != nil {
			return 0, err
		}
		at := capability{p.Major, p.Minor}
		if m.images[at] == "" {
			return 0, fmt.Errorf("it was not compiled for this device: %w", m.refused[at])
		}
		if own.handle, err = c.Load(m.images[at]); err != nil {
			return 0, err
		}
		own.loaded = true
	}
	return c.Function(own.handle, entry)
}
