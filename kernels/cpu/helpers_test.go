package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// pools run everything that must not depend on the number of workers.
var pools = map[int]*parallel.Pool{1: parallel.New(1), 2: parallel.New(2), 8: parallel.New(8)}

// shapes are those that every element-wise kernel is tried on.
var shapes = [][]int{
	{}, {1}, {0}, {7}, {513}, {1500}, {3, 5}, {2, 0, 3}, {1, 9, 1}, {600, 3}, {3, 600}, {4, 1, 130}, {2, 3, 4, 5}, {40, 50},
	{5, 2, 129}, {1, 1, 1}, {9, 8, 33},
}

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// withSmallCaches lets results go past the caches as on processors with small ones until the test ends.
func withSmallCaches(t *testing.T) {
	before := lastCache
	lastCache = func() int { return 0 }
	t.Cleanup(func() { lastCache = before })
}

// each calls body for all indices of shape in row-major order; body must not keep index.
func each(shape []int, body func(number int, index []int)) {
	index := make([]int, len(shape))
	for number := range product(shape) {
		rest := number
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis] = rest % shape[axis]
			rest /= shape[axis]
		}
		body(number, index)
	}
}

func address(v device.View, index []int) unsafe.Pointer {
	offset := 0
	for axis, i := range index {
		offset += i * v.Strides[axis]
	}
	return unsafe.Add(v.Pointer.Host, offset*v.DType.Size())
}

// elements returns the elements of v in row-major order.
func elements[T any](v device.View) []T {
	all := make([]T, v.Count())
	each(v.Shape, func(number int, index []int) { all[number] = *(*T)(address(v, index)) })
	return all
}

// assign sets the elements of v, in row-major order.
func assign[T any](v device.View, values []T) {
	each(v.Shape, func(number int, index []int) { *(*T)(address(v, index)) = values[number] })
}

// layout is a way to place the elements of a view in memory.
type layout int

const (
	rowMajor  layout = iota
	scattered        // permuted axes, gaps, negative strides
	broadcast        // as scattered, and some axes have strides of zero
)

// newView returns a view of new memory; elements outside the view are there for scattered layouts.
func newView(r *rand.Rand, d dtype.DType, shape []int, how layout) device.View {
	strides := make([]int, len(shape))
	order := r.Perm(len(shape))
	if how == rowMajor {
		for i := range order {
			order[i] = i
		}
	}
	length, first := 1, 0
	for i := len(order) - 1; i >= 0; i-- {
		axis := order[i]
		n := max(1, shape[axis])
		if how == broadcast && r.IntN(3) == 0 {
			continue
		}
		step := length
		if how != rowMajor && r.IntN(2) == 0 {
			step = length*2 + 1
		}
		length = (n-1)*step + length
		strides[axis] = step
		if how != rowMajor && r.IntN(3) == 0 {
			strides[axis] = -step
			first += (n - 1) * step
		}
	}
	memory := make([]uint64, (length*d.Size()+7)/8+1)
	return device.View{
		Pointer: device.Pointer{Host: unsafe.Pointer(&memory[0])}.Add(first * d.Size()),
		DType:   d, Shape: shape, Strides: strides,
	}
}

// newFilled is newView with elements that value makes.
func newFilled[T dtype.Element](r *rand.Rand, shape []int, how layout, value func(*rand.Rand) T) device.View {
	v := newView(r, dtype.Of[T](), shape, how)
	values := make([]T, v.Count())
	for i := range values {
		values[i] = value(r)
	}
	assign(v, values)
	return v
}

func fromSlice[T dtype.Element](values []T, shape ...int) device.View {
	v := newView(random(), dtype.Of[T](), shape, rowMajor)
	assign(v, values)
	return v
}

func call(t testing.TB, thread *parallel.Thread, name string, a *device.Arguments) error {
	kernel, found := Lookup(name)
	require.True(t, found, name)
	return kernel(thread, a)
}

// run calls the kernel on two workers and requires success.
func run(t testing.TB, name string, a *device.Arguments) {
	t.Helper()
	require.NoError(t, call(t, pools[2].Thread(), name, a))
}

func views(v ...device.View) []device.View { return v }

// requireEqual compares elements; NaN equals NaN, but −0 does not equal 0.
func requireEqual[T comparable](t testing.TB, want, got []T, about ...any) {
	t.Helper()
	require.Len(t, got, len(want), about...)
	for i := range want {
		if want[i] != got[i] && (want[i] == want[i] || got[i] == got[i]) || want[i] == got[i] && rawBytes(&want[i]) != rawBytes(&got[i]) {
			require.Failf(t, "elements differ", "at %d: want %v, got %v; %s", i, want[i], got[i], fmt.Sprint(about...))
		}
	}
}

// rawBytes are the bytes of an element.
func rawBytes[T any](element *T) string {
	return unsafe.String((*byte)(unsafe.Pointer(element)), unsafe.Sizeof(*element))
}

// requireClose compares floats up to a relative error.
func requireClose[T dtype.Float](t testing.TB, want []float64, got []T, tolerance float64, about ...any) {
	t.Helper()
	require.Len(t, got, len(want), about...)
	for i, w := range want {
		g := float64(got[i])
		if g == w || (g != g && w != w) {
			continue
		}
		if !(math.Abs(g-w) <= tolerance*max(1, math.Abs(w))) {
			require.Failf(t, "elements differ", "at %d: want %v, got %v; %s", i, w, g, fmt.Sprint(about...))
		}
	}
}

// ordinary makes numbers with the extremes and NaN among them.
func ordinary[T dtype.Real](r *rand.Rand) T {
	var zero T
	if d := dtype.Of[T](); d.IsFloat() {
		special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1000, -1000, 1e-30}
		if i := r.IntN(4 * len(special)); i < len(special) {
			return T(special[i])
		}
		return T(r.NormFloat64() * 3)
	}
	return zero + T(int64(r.IntN(21)-10))
}

// finite makes numbers without the extremes.
func finite[T dtype.Real](r *rand.Rand) T {
	if dtype.Of[T]().IsFloat() {
		return T(r.NormFloat64())
	}
	return T(int64(r.IntN(201) - 100))
}

func coin(r *rand.Rand) bool { return r.IntN(2) == 0 }

func name[T dtype.Element](operator string) string { return device.KernelName(operator, dtype.Of[T]()) }

// sameBits requires that run gives the same bits with every number of workers, and returns its elements.
func sameBits[T any](t *testing.T, compute func(thread *parallel.Thread) device.View) []T {
	t.Helper()
	var first []byte
	var result []T
	for _, workers := range []int{1, 2, 8} {
		for range 3 {
			result = elements[T](compute(pools[workers].Thread()))
			var bytes []byte
			if len(result) > 0 {
				bytes = unsafe.Slice((*byte)(unsafe.Pointer(&result[0])), len(result)*int(unsafe.Sizeof(result[0])))
			}
			if first == nil {
				first = bytes
			}
			require.Equal(t, first, bytes, "%d workers", workers)
		}
	}
	return result
}

func randomAt(i int) *rand.Rand { return rand.New(rand.NewPCG(uint64(i), 7)) }

type layoutValue[T any] = func(*rand.Rand) T
