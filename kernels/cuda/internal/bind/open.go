//go:build linux && (amd64 || arm64)

package bind

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// oldest is the oldest version of CUDA whose driver has all functions that are called.
const oldest = 11040

// cudaDriver is the CUDA driver of the machine.
type cudaDriver struct {
	calls   driverCalls
	graphs  graphCalls // without addresses where the driver has none
	pools   poolCalls  // the same
	version int
	blas    func() (*blasCalls, error)
	lt      *ltCalls    // nil if there is no cuBLASLt
	dnn     *dnnLibrary // nil if there is none

	compiler func() (*compilerCalls, driver.Library) // nil, and why, if there is no NVRTC
}

// Open loads the CUDA driver, and returns what was looked for, which NVRTC is later. The error tells why there is none.
func Open() (driver.Driver, []driver.Library, error) {
	runtime.LockOSThread() // The C library keeps for each thread why it could not load a library.
	defer runtime.UnlockOSThread()
	d := &cudaDriver{}
	library, err := load("driver", []string{"libcuda.so.1"}, &d.calls, &d.graphs, &d.pools)
	if err != nil {
		return nil, []driver.Library{library}, fmt.Errorf("%w: no CUDA driver: %w", fault.ErrDevice, err)
	}
	if err := d.start(); err != nil {
		library.Problem = err.Error()
		return nil, []driver.Library{library}, fmt.Errorf("%w: the CUDA driver %s does not start: %w", fault.ErrDevice, library.File, err)
	}
	products := &blasCalls{}
	var names, ltNames []string
	for major := d.version / 1000; major >= oldest/1000; major-- {
		names, ltNames = append(names, "libcublas.so."+strconv.Itoa(major)), append(ltNames, "libcublasLt.so."+strconv.Itoa(major))
	}
	productLibrary, err := load("cuBLAS", names, products)
	d.blas = func() (*blasCalls, error) {
		if err != nil {
			return nil, fmt.Errorf("%w: no cuBLAS for CUDA %s: %w", fault.ErrDevice, formatVersion(d.version), err)
		}
		return products, nil
	}
	ltLibrary := d.openLt(ltNames)
	dnn, convolutionLibrary := openDNN(d.version)
	d.dnn = dnn
	d.compiler = sync.OnceValues(func() (*compilerCalls, driver.Library) { return openCompiler(d.version) })
	return d, []driver.Library{library, productLibrary, ltLibrary, convolutionLibrary}, nil
}

// openLt loads cuBLASLt, which can be done without.
func (d *cudaDriver) openLt(names []string) driver.Library {
	if os.Getenv(driver.LtVariable) == "0" {
		return driver.Library{Name: "cuBLASLt", Problem: "it is not looked for: " + driver.LtVariable + "=0"}
	}
	calls := &ltCalls{}
	library, err := load("cuBLASLt", names, calls)
	if err != nil {
		return library
	}
	if version := int(calls.GetVersion.call()); version < oldestLt {
		library.Problem = fmt.Sprintf("it is cuBLASLt %s, and 12.1 is needed", formatLtVersion(version))
		return library
	}
	d.lt = calls
	return library
}

func (d *cudaDriver) start() error {
	if s := driver.Status(d.calls.Init.call(0)); s != driver.Success {
		return explain(&driver.Error{Call: d.calls.Init.name, Status: s})
	}
	var version int32
	if err := check(d.calls.DriverGetVersion, d.calls.DriverGetVersion.call(uintptr(unsafe.Pointer(&version)))); err != nil {
		return err
	}
	d.version = int(version)
	if d.version < oldest {
		return fmt.Errorf("it supports CUDA %s, and %s is needed: install a newer driver", formatVersion(d.version), formatVersion(oldest))
	}
	return nil
}

// explain adds to the reason of a driver that does not start what may be done about it.
func explain(err *driver.Error) error {
	visible, set := os.LookupEnv("CUDA_VISIBLE_DEVICES")
	switch {
	case err.Status == driver.NoDevice && set && (visible == "" || visible == "-1"):
		return fmt.Errorf("%w: CUDA_VISIBLE_DEVICES=%q hides all devices", err, visible)
	case err.Status == driver.NoDevice:
		return fmt.Errorf("%w: the driver finds no GPU", err)
	case err.Status == driver.StubLibrary:
		return fmt.Errorf("%w: this is the library of the CUDA toolkit to link with, not a driver", err)
	case err.Status == driver.SystemDriverMismatch:
		return fmt.Errorf("%w: the kernel module and the library are of different versions: reboot", err)
	}
	return err
}

func formatVersion(version int) string { return fmt.Sprintf("%d.%d", version/1000, version%1000/10) }

// load loads the first library with one of the given file names that has all the functions that calls, a structure of symbols
// with the names in their tags, wants. Those of optional structures are loaded if all of them are there.
func load(what string, names []string, calls any, optional ...any) (driver.Library, error) {
	problems := map[string]string{}
	for _, place := range places(names) {
		handle, err := purego.Dlopen(place, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			if err = resolve(handle, calls); err == nil {
				for _, more := range optional {
					if resolve(handle, more) != nil {
						reflect.ValueOf(more).Elem().SetZero()
					}
				}
				return driver.Library{Name: what, File: place}, nil
			}
			err = fmt.Errorf("it is of another version: %w", err)
			return driver.Library{Name: what, File: place, Problem: err.Error()}, fmt.Errorf("%s: %w", place, err)
		}
		problems[place] = err.Error()
	}
	problem := missing(names, problems)
	return driver.Library{Name: what, Problem: problem}, fmt.Errorf("%s", problem)
}

func resolve(handle uintptr, calls any) error {
	fields := reflect.ValueOf(calls).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Tag.Get("c")
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return err
		}
		*fields.Field(i).Addr().Interface().(*symbol) = symbol{name, address}
	}
	return nil
}

// check returns the error of a call to s.
func check(s symbol, result int32) error {
	if result == int32(driver.Success) {
		return nil
	}
	return &driver.Error{Call: s.name, Status: driver.Status(result)}
}
