//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// dnn is a handle of cuDNN, with descriptors of one convolution at a time.
type dnn struct {
	context                            *context
	library                            *dnnLibrary
	handle                             uintptr
	data, result, weights, convolution uintptr            // descriptors
	described                          driver.Convolution // by them
	memory                             *dnnMemory
}

// dnnMemory is what calls read and write by pointer.
type dnnMemory struct {
	sizes, strides            [5]int32
	padding, stride, dilation [3]int32
	zero32, one32             float32
	zero64, one64             float64
	count                     int32
	estimates                 [8]estimate
	bytes                     uint64
}

// estimate is cudnnConvolutionFwdAlgoPerf_t, and those of the other directions, which are the same.
type estimate struct {
	algorithm, status int32
	_                 float32 // milliseconds
	_                 uint64  // bytes of temporary memory
	determinism, math int32
	_                 [3]int32
}

// Numbers of cuDNN's enumerations.
const (
	deterministic    = 1
	crossCorrelation = 1
	fmaMath          = 3 // sums of products of float32, not of TF32
)

// dnnBytes is the most temporary memory: cuDNN offers algorithms that take many times the memory of the arrays.
const dnnBytes = 1 << 30

// dnnTypes are the cudnnDataType_t of arrays and of sums, and the cudnnMathType_t.
var dnnTypes = map[driver.Precision]struct{ kind, sum, math uintptr }{
	driver.Float32: {0, 0, fmaMath}, driver.Float64: {1, 1, 0}, driver.Float16: {2, 0, 1}, driver.BFloat16: {9, 0, 1}, driver.TF32: {0, 0, 0},
}

// algorithms are those that Choose may return: products of matrices, and Winograd's minimal filtering of tiles of 4 by 4 elements, whose
// errors are as small. Fourier transforms and larger tiles make larger errors.
var algorithms = map[driver.Direction]map[int32]bool{
	driver.ToResult:  {0: true, 1: true, 2: true, 3: true, 6: true},
	driver.ToData:    {0: true, 1: true, 4: true},
	driver.ToWeights: {0: true, 1: true, 3: true, 4: true},
}

// NewDNN implements driver.Context.
func (c *context) NewDNN(s driver.Stream) (driver.DNN, error) {
	library := c.driver.dnn
	if library == nil {
		return nil, fmt.Errorf("there is no cuDNN: %w", errors.ErrUnsupported)
	}
	d := &dnn{context: c, library: library, memory: &dnnMemory{one32: 1, one64: 1}}
	calls := &library.calls
	if err := d.call(calls.Create, uintptr(unsafe.Pointer(&d.handle))); err != nil {
		return nil, err
	}
	var err error
	for _, made := range []struct {
		create symbol
		at     *uintptr
	}{{calls.CreateTensor, &d.data}, {calls.CreateTensor, &d.result}, {calls.CreateFilter, &d.weights}, {calls.CreateConvolution, &d.convolution}} {
		if err == nil {
			err = d.call(made.create, uintptr(unsafe.Pointer(made.at)))
		}
	}
	if err == nil && s != 0 {
		err = d.call(calls.SetStream, d.handle, uintptr(s))
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// call calls s with the context current on the thread.
//
//go:uintptrescapes
func (d *dnn) call(s symbol, arguments ...uintptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.context.enter(); err != nil {
		return err
	}
	return d.library.check(s, s.call(arguments...))
}

// Close implements driver.DNN.
func (d *dnn) Close() error {
	calls := &d.library.calls
	var problems []error
	for _, made := range []struct {
		destroy symbol
		handle  uintptr
	}{{calls.DestroyTensor, d.data}, {calls.DestroyTensor, d.result}, {calls.DestroyFilter, d.weights}, {calls.DestroyConvolution, d.convolution}, {calls.Destroy, d.handle}} {
		if made.handle != 0 {
			problems = append(problems, d.call(made.destroy, made.handle))
		}
	}
	return errors.Join(problems...)
}

// describe makes the descriptors those of c.
func (d *dnn) describe(c *driver.Convolution) error {
	if d.described == *c {
		return nil
	}
	d.described = driver.Convolution{}
	calls, m, types := &d.library.calls, d.memory, dnnTypes[c.Precision]
	axes, first := uintptr(c.Axes), 3-c.Axes
	for _, array := range []struct {
		descriptor      uintptr
		outer, channels int
		spatial         [3]int
	}{{d.data, c.Images, c.Channels, c.Data}, {d.result, c.Images, c.Filters, c.Result}, {d.weights, c.Filters, c.Channels / c.Groups, c.Weights}} {
		m.sizes[0], m.sizes[1] = int32(array.outer), int32(array.channels)
		for axis, size := range array.spatial[first:] {
			m.sizes[2+axis] = int32(size)
		}
		next := int32(1)
		for axis := c.Axes + 1; axis >= 0; axis-- {
			m.strides[axis] = next
			next *= m.sizes[axis]
		}
		sizes, err := uintptr(unsafe.Pointer(&m.sizes)), error(nil)
		if array.descriptor == d.weights {
			err = d.call(calls.SetFilter, d.weights, types.kind, 0, axes+2, sizes)
		} else {
			err = d.call(calls.SetTensor, array.descriptor, types.kind, axes+2, sizes, uintptr(unsafe.Pointer(&m.strides)))
		}
		if err != nil {
			return err
		}
	}
	for axis := range c.Axes {
		from := first + axis
		m.padding[axis], m.stride[axis], m.dilation[axis] = int32(c.Padding[from]), int32(c.Stride[from]), int32(c.Dilation[from])
	}
	err := d.call(calls.SetConvolution, d.convolution, axes, uintptr(unsafe.Pointer(&m.padding)), uintptr(unsafe.Pointer(&m.stride)),
		uintptr(unsafe.Pointer(&m.dilation)), crossCorrelation, types.sum)
	if err == nil {
		err = d.call(calls.SetGroupCount, d.convolution, uintptr(c.Groups))
	}
	if err == nil {
		err = d.call(calls.SetMathType, d.convolution, types.math)
	}
	if err == nil {
		d.described = *c
	}
	return err
}

// ordered returns what a direction reads and what it writes, in the order of cuDNN's functions.
func ordered[T any](direction driver.Direction, data, weights, result T) (first, second, written T) {
	switch direction {
	case driver.ToData:
		return weights, result, data
	case driver.ToWeights:
		return data, result, weights
	}
	return data, weights, result
}

// Choose implements driver.DNN.
func (d *dnn) Choose(c *driver.Convolution) (driver.Algorithm, error) {
	d.described = driver.Convolution{} // the math type may be that of an algorithm
	if err := d.describe(c); err != nil {
		return driver.Algorithm{}, err
	}
	m, functions := d.memory, d.library.calls.of(c.Direction)
	first, second, written := ordered(c.Direction, d.data, d.weights, d.result)
	err := d.call(functions.choose, d.handle, first, second, d.convolution, written, uintptr(len(m.estimates)),
		uintptr(unsafe.Pointer(&m.count)), uintptr(unsafe.Pointer(&m.estimates)))
	if err != nil {
		return driver.Algorithm{}, err
	}
	for _, e := range m.estimates[:min(int(m.count), len(m.estimates))] {
		if e.status != 0 || e.determinism != deterministic || !algorithms[c.Direction][e.algorithm] {
			continue
		}
		a := driver.Algorithm{Number: e.algorithm, Math: e.math}
		if c.Precision == driver.Float32 {
			a.Math = fmaMath
		}
		err := d.setMath(a)
		if err == nil {
			err = d.call(functions.workspace, d.handle, first, second, d.convolution, written, uintptr(a.Number), uintptr(unsafe.Pointer(&m.bytes)))
		}
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		if err != nil {
			return driver.Algorithm{}, err
		}
		if m.bytes <= dnnBytes {
			a.Workspace = int(m.bytes)
			return a, nil
		}
	}
	return driver.Algorithm{}, fmt.Errorf("cuDNN has no deterministic algorithm for it that takes at most %d MiB: %w", dnnBytes>>20, errors.ErrUnsupported)
}

func (d *dnn) setMath(a driver.Algorithm) error {
	return d.call(d.library.calls.SetMathType, d.convolution, uintptr(a.Math))
}

// Convolve implements driver.DNN.
func (d *dnn) Convolve(c *driver.Convolution, a driver.Algorithm, at *driver.Convolved) error {
	err := d.describe(c)
	if err == nil {
		err = d.setMath(a)
	}
	if err != nil {
		return err
	}
	m := d.memory
	one, beta := uintptr(unsafe.Pointer(&m.one32)), uintptr(unsafe.Pointer(&m.zero32))
	if at.Add {
		beta = one
	}
	if c.Precision == driver.Float64 {
		one, beta = uintptr(unsafe.Pointer(&m.one64)), uintptr(unsafe.Pointer(&m.zero64))
		if at.Add {
			beta = one
		}
	}
	firstAt, secondAt, writtenAt := ordered(c.Direction, at.Data, at.Weights, at.Result)
	first, second, written := ordered(c.Direction, d.data, d.weights, d.result)
	err = d.call(d.library.calls.of(c.Direction).run, d.handle, one, first, uintptr(firstAt), second, uintptr(secondAt),
		d.convolution, uintptr(a.Number), uintptr(at.Workspace), uintptr(a.Workspace), beta, written, uintptr(writtenAt))
	runtime.KeepAlive(m)
	return err
}
