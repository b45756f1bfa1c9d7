package ops

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

// array is a row-major array on which references compute, slowly, in float64. Bool elements are 0 and 1. Integers beyond
// 2^53 are not exact: TestIntegersAreExact has those.
type array struct {
	dtype  dtype.DType
	shape  []int
	values []float64
	scale  []float64 // of each result: the number whose units in the last place its error is counted in; nil is the result
}

func newArray(d dtype.DType, shape []int) array {
	return array{dtype: d, shape: shape, values: make([]float64, storage.Count(shape))}
}

// eachIndex calls body for all indices of shape in row-major order. The index is used again for the next call.
func eachIndex(shape []int, body func(number int, index []int)) {
	index := make([]int, len(shape))
	for number := range storage.Count(shape) {
		body(number, index)
		for axis := len(shape) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < shape[axis] {
				break
			}
			index[axis] = 0
		}
	}
}

// number returns the row-major number of the element at index.
func (a array) number(index []int) int {
	number := 0
	for axis, i := range index {
		number = number*a.shape[axis] + i
	}
	return number
}

func (a array) at(index ...int) float64 { return a.values[a.number(index)] }

// broadcastAt returns the element at the index of an array that a broadcasts to.
func (a array) broadcastAt(index []int) float64 {
	own := slices.Clone(index[len(index)-len(a.shape):])
	for axis, n := range a.shape {
		if n == 1 {
			own[axis] = 0
		}
	}
	return a.at(own...)
}

// made returns the array whose element at each index is value(index).
func made(d dtype.DType, shape []int, value func(index []int) float64) array {
	a := newArray(d, shape)
	eachIndex(shape, func(number int, index []int) { a.values[number] = value(index) })
	return a
}

// joint returns the shape that arrays broadcast to.
func joint(in ...array) []int {
	shape := []int{}
	for _, a := range in {
		for len(shape) < len(a.shape) {
			shape = slices.Insert(shape, 0, 1)
		}
	}
	for axis := range shape {
		for _, a := range in {
			if own := axis - len(shape) + len(a.shape); own >= 0 && a.shape[own] != 1 {
				shape[axis] = a.shape[own]
			}
		}
	}
	return shape
}

// codec reads and writes elements of one type.
type codec struct {
	put func(p unsafe.Pointer, v float64)
	get func(p unsafe.Pointer) float64
}

func codecOf[T dtype.Real]() codec {
	return codec{
		func(p unsafe.Pointer, v float64) { *(*T)(p) = T(v) },
		func(p unsafe.Pointer) float64 { return float64(*(*T)(p)) },
	}
}

var codecs = map[dtype.DType]codec{
	dtype.Bool: {
		func(p unsafe.Pointer, v float64) { *(*bool)(p) = v != 0 },
		func(p unsafe.Pointer) float64 { return float64(*(*uint8)(p)) },
	},
	dtype.Int8: codecOf[int8](), dtype.Int16: codecOf[int16](), dtype.Int32: codecOf[int32](),
	dtype.Uint8: codecOf[uint8](), dtype.Uint16: codecOf[uint16](), dtype.Uint32: codecOf[uint32](),
	dtype.Uint64: {
		func(p unsafe.Pointer, v float64) {
			if *(*uint64)(p) = uint64(v); v >= 1<<64 {
				*(*uint64)(p) = math.MaxUint64
			}
		},
		func(p unsafe.Pointer) float64 { return float64(*(*uint64)(p)) },
	},
	dtype.Float32: codecOf[float32](), dtype.Float64: codecOf[float64](),
	dtype.Int64: {
		func(p unsafe.Pointer, v float64) {
			if *(*int64)(p) = int64(v); v >= 1<<63 {
				*(*int64)(p) = math.MaxInt64
			}
		},
		func(p unsafe.Pointer) float64 { return float64(*(*int64)(p)) },
	},
	dtype.Float16: {
		func(p unsafe.Pointer, v float64) { *(*dtype.F16)(p) = dtype.ToF16(float32(v)) },
		func(p unsafe.Pointer) float64 { return float64((*(*dtype.F16)(p)).Float32()) },
	},
	dtype.BFloat16: {
		func(p unsafe.Pointer, v float64) { *(*dtype.BF16)(p) = dtype.ToBF16(float32(v)) },
		func(p unsafe.Pointer) float64 { return float64((*(*dtype.BF16)(p)).Float32()) },
	},
	dtype.Complex64: {
		func(p unsafe.Pointer, v float64) { *(*complex64)(p) = complex(float32(v), 0) },
		func(p unsafe.Pointer) float64 { return float64(real(*(*complex64)(p))) },
	},
	dtype.Complex128: {
		func(p unsafe.Pointer, v float64) { *(*complex128)(p) = complex(v, 0) },
		func(p unsafe.Pointer) float64 { return real(*(*complex128)(p)) },
	},
}

// rounded returns v as an element of type d holds it.
func rounded(d dtype.DType, v float64) float64 {
	var element [2]uint64
	codecs[d].put(unsafe.Pointer(&element), v)
	return codecs[d].get(unsafe.Pointer(&element))
}

// encoded returns the memory of values.
func encoded(d dtype.DType, values []float64) []byte {
	size := d.Size()
	memory := make([]uint64, (len(values)*size+7)/8+1)
	for i, v := range values {
		codecs[d].put(unsafe.Add(unsafe.Pointer(&memory[0]), i*size), v)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), len(values)*size)
}

// tensor returns a contiguous Tensor with the elements of a. Complex ones have the given imaginary parts, or 0.
func (a array) tensor(env *Env, imaginary ...float64) *Tensor {
	memory, part := encoded(a.dtype, a.values), a.dtype.RealPart()
	for i, v := range imaginary {
		codecs[part].put(unsafe.Pointer(&memory[(2*i+1)*part.Size()]), v)
	}
	return FromBytes(env, a.dtype, memory, a.shape)
}

// layout is a way to place elements in memory.
type layout int

const (
	rowMajor layout = iota
	backward        // the axes in reverse order with negative strides and gaps
	gaps            // row-major with gaps
	layouts
)

func (l layout) String() string { return []string{"row-major", "backward", "gaps"}[l] }

// placed returns a Tensor with the elements of a, laid out in one of the ways in larger memory that holds other numbers; see
// tensor.
func (a array) placed(env *Env, how layout, imaginary ...float64) *Tensor {
	if how == rowMajor {
		return a.tensor(env, imaginary...)
	}
	rank := len(a.shape)
	strides, length, offset := make([]int, rank), 3, 2
	for i := range rank {
		axis := rank - 1 - i
		if how == backward {
			axis = i
		}
		steps := max(0, a.shape[axis]-1)
		strides[axis] = length
		if how == backward {
			strides[axis], offset = -length, offset+steps*length
		}
		length += steps*length + i + 1
	}
	memory := make([]float64, length+3)
	for i := range memory {
		memory[i] = float64(i%2 + 1)
	}
	var others []float64
	if imaginary != nil {
		others = slices.Clone(memory)
	}
	eachIndex(a.shape, func(number int, index []int) {
		at := offset
		for axis, i := range index {
			at += i * strides[axis]
		}
		memory[at] = a.values[number]
		if imaginary != nil {
			others[at] = imaginary[number]
		}
	})
	base := array{a.dtype, []int{len(memory)}, memory, nil}.tensor(env, others...)
	return NewTensor(storage.View{Synced: base.view.Synced, DType: a.dtype, Offset: offset, Shape: a.shape, Strides: strides}, env)
}

// bytesOf waits for t and returns its elements, row-major.
func bytesOf(t *Tensor) ([]byte, error) {
	var data []byte
	contiguous := Invoke(Copy, nil, t.Detach())[0]
	err := Access(context.Background(), contiguous, engine.Read, false, nil, func(memory []byte) error {
		data = slices.Clone(memory)
		return nil
	})
	return data, err
}

func mustBytes(t testing.TB, x *Tensor) []byte {
	t.Helper()
	data, err := bytesOf(x)
	require.NoError(t, err)
	return data
}

// valuesOf waits for x and returns its elements.
func valuesOf(t testing.TB, x *Tensor) []float64 {
	t.Helper()
	data, size := mustBytes(t, x), x.DType().Size()
	values := make([]float64, storage.Count(x.Shape()))
	for i := range values {
		values[i] = codecs[x.DType()].get(unsafe.Pointer(&data[i*size]))
	}
	return values
}

func arrayOf(t testing.TB, x *Tensor) array {
	t.Helper()
	return array{dtype: x.DType(), shape: x.Shape(), values: valuesOf(t, x)}
}

// requireClose compares x with want up to ulps units in the last place of the element type.
func requireClose(t testing.TB, want array, x *Tensor, ulps float64) {
	t.Helper()
	require.Equal(t, want.dtype, x.DType())
	require.True(t, slices.Equal(want.shape, x.Shape()), "shape %v, want %v", x.Shape(), want.shape)
	for i, got := range valuesOf(t, x) {
		w := rounded(want.dtype, want.values[i])
		if got == w || got != got && w != w {
			continue
		}
		scale := math.Abs(w)
		if want.scale != nil {
			scale = max(scale, want.scale[i])
		}
		if !want.dtype.IsFloat() && want.dtype.Kind() != dtype.KindComplex || !(math.Abs(got-w) <= ulps*lastPlace(want.dtype, scale)) {
			require.Failf(t, "elements differ", "element %d of %v %v: got %v, want %v", i, want.dtype, want.shape, got, w)
		}
	}
}

// lastPlace returns the distance of floats of type d around v.
func lastPlace(d dtype.DType, v float64) float64 {
	precision, least := 52, -1074
	switch d {
	case dtype.Float32, dtype.Complex64:
		precision, least = 23, -149
	case dtype.Float16:
		precision, least = 10, -24
	case dtype.BFloat16:
		precision, least = 7, -133
	}
	_, exponent := math.Frexp(v)
	return math.Ldexp(1, max(exponent-1-precision, least))
}

// distinct returns n different numbers from low to high in random order, evenly apart.
func distinct(r *rand.Rand, n int, low, high float64) []float64 {
	values := make([]float64, n)
	for i, place := range r.Perm(n) {
		values[i] = low + (high-low)*(float64(place)+0.37)/float64(n)
	}
	return values
}

func describe(s Sample) string { return fmt.Sprintf("%v%+v", s.Shapes, s.Params) }
