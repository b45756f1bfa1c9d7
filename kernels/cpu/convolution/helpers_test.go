package convolution

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// pools run everything that must not depend on the number of workers.
var pools = map[int]*parallel.Pool{1: parallel.New(1), 2: parallel.New(2), 8: parallel.New(8)}

// canary is what surrounds the elements of an array.
const canary = 12345

// layout is a way to lay out an array.
type layout int

const (
	dense  layout = iota
	turned        // the axes in the opposite order
	spread        // every other element, backwards
	layouts
)

// placed is an array in memory of its own, among canaries.
type placed[T Float] struct {
	Tensor
	shape  [5]int
	memory []T
	first  int
}

func place[T Float](shape [5]int, how layout) *placed[T] {
	p := &placed[T]{shape: shape}
	const margin = 40
	step, reach := 1, 0
	for i := range shape {
		axis := 4 - i
		if how == turned {
			axis = i
		}
		p.Strides[axis] = step
		if how == spread {
			p.Strides[axis] = -2 * step
		}
		reach += (max(1, shape[axis]) - 1) * step
		step *= max(1, shape[axis])
	}
	p.first = margin
	if how == spread {
		reach *= 2
		p.first += reach
	}
	p.memory = make([]T, 2*margin+reach+1)
	for i := range p.memory {
		p.memory[i] = canary
	}
	p.Start = unsafe.Pointer(&p.memory[p.first])
	return p
}

func (p *placed[T]) at(index [5]int) *T {
	at := p.first
	for axis, i := range index {
		at += i * p.Strides[axis]
	}
	return &p.memory[at]
}

// each calls body for all indices, the last axis innermost.
func each(shape [5]int, body func(index [5]int)) {
	count := shape[0] * shape[1] * shape[2] * shape[3] * shape[4]
	for number := range count {
		var index [5]int
		for axis := 4; axis >= 0; axis-- {
			index[axis], number = number%shape[axis], number/shape[axis]
		}
		body(index)
	}
}

func (p *placed[T]) fill(value func() T) *placed[T] {
	each(p.shape, func(index [5]int) { *p.at(index) = value() })
	return p
}

func (p *placed[T]) elements() (all []T) {
	each(p.shape, func(index [5]int) { all = append(all, *p.at(index)) })
	return all
}

// requireGuarded requires that all but the elements are canaries.
func (p *placed[T]) requireGuarded(t *testing.T, about string) {
	t.Helper()
	found, inside := 0, 0
	for _, v := range p.memory {
		if v == canary {
			found++
		}
	}
	each(p.shape, func(index [5]int) {
		inside++
		if *p.at(index) == canary {
			found--
		}
	})
	if found+inside != len(p.memory) {
		require.Failf(t, "written beside the elements", "%s", about)
	}
}

// trial is a convolution with its arrays.
type trial[T Float] struct {
	Shape
	data, weights, result, bias *placed[T]
}

// axis returns the axis of that data, with padding on both sides; its result has elements.
func axis(data, kernel, stride, dilation, before, behind int) Axis {
	return Axis{data, kernel, (data+before+behind-(kernel-1)*dilation-1)/stride + 1, stride, dilation, before}
}

func newTrial[T Float](s Shape, how [4]layout, value func() T) *trial[T] {
	x := &trial[T]{Shape: s}
	data, weights := [5]int{s.Batch, s.Groups * s.Channels}, [5]int{s.Groups * s.Filters, s.Channels}
	result := [5]int{s.Batch, s.Groups * s.Filters}
	for i, a := range s.Axes {
		data[2+i], weights[2+i], result[2+i] = a.Data, a.Kernel, a.Result
	}
	x.data, x.weights = place[T](data, how[0]).fill(value), place[T](weights, how[1]).fill(value)
	x.result, x.bias = place[T](result, how[2]).fill(value), place[T]([5]int{s.Groups * s.Filters, 1, 1, 1, 1}, how[3]).fill(value)
	return x
}

func (x *trial[T]) operands() *Operands {
	return &Operands{x.data.Tensor, x.result.Tensor, x.weights.Tensor, x.bias.Tensor}
}

// products calls body for every product of a convolution.
func (x *trial[T]) products(body func(data, weight, result *T)) {
	each(x.result.shape, func(to [5]int) {
		group := to[1] / max(1, x.Filters)
		each([5]int{x.Channels, x.Axes[0].Kernel, x.Axes[1].Kernel, x.Axes[2].Kernel, 1}, func(through [5]int) {
			from := [5]int{to[0], group*x.Channels + through[0]}
			for i, a := range x.Axes {
				from[2+i] = to[2+i]*a.Stride + through[1+i]*a.Dilation - a.Before
				if from[2+i] < 0 || from[2+i] >= a.Data {
					return
				}
			}
			body(x.data.at(from), x.weights.at([5]int{to[1], through[0], through[1], through[2], through[3]}), x.result.at(to))
		})
	})
}

// terms is the number of products.
func (x *trial[T]) terms() int {
	return x.Batch * x.Groups * x.Channels * x.Filters * x.taps() * x.results()
}

// direction is one of the functions of the package: what it writes, and how many terms its sums have at most.
type direction[T Float] struct {
	name    string
	written func(x *trial[T]) *placed[T]
	scratch func(s *Shape, o *Operands, workers int) int
	run     func(x *trial[T], t *parallel.Thread, workers int, temporary unsafe.Pointer)
	terms   func(s *Shape) int
}

func directions[T Float]() []direction[T] {
	return []direction[T]{
		{
			"forward", func(x *trial[T]) *placed[T] { return x.result }, ForwardScratch[T],
			func(x *trial[T], t *parallel.Thread, workers int, temporary unsafe.Pointer) {
				Forward[T](t, &x.Shape, x.operands(), workers, temporary)
			},
			func(s *Shape) int { return s.Channels*s.taps() + 1 },
		},
		{
			"data", func(x *trial[T]) *placed[T] { return x.data }, DataScratch[T],
			func(x *trial[T], t *parallel.Thread, workers int, temporary unsafe.Pointer) {
				Data[T](t, &x.Shape, x.operands(), workers, temporary)
			},
			func(s *Shape) int { return s.Filters * s.taps() },
		},
		{
			"weights", func(x *trial[T]) *placed[T] { return x.weights }, WeightsScratch[T],
			func(x *trial[T], t *parallel.Thread, workers int, temporary unsafe.Pointer) {
				Weights[T](t, &x.Shape, x.operands(), workers, temporary)
			},
			func(s *Shape) int { return s.Batch * s.results() },
		},
	}
}

// expected computes what d writes in float64, by the definition, with the sums of the magnitudes of the terms.
func (x *trial[T]) expected(d direction[T]) (values, magnitudes []float64) {
	written := d.written(x)
	sums, most := make([]float64, len(written.memory)), make([]float64, len(written.memory))
	place := func(p *T) uintptr {
		return (uintptr(unsafe.Pointer(p)) - uintptr(unsafe.Pointer(&written.memory[0]))) / unsafe.Sizeof(*p)
	}
	if d.name == "forward" {
		each(x.result.shape, func(index [5]int) {
			bias := float64(*x.bias.at([5]int{index[1]}))
			sums[place(x.result.at(index))], most[place(x.result.at(index))] = bias, math.Abs(bias)
		})
	}
	x.products(func(data, weight, result *T) {
		to, product := result, float64(*data)*float64(*weight)
		switch d.name {
		case "data":
			to, product = data, float64(*result)*float64(*weight)
		case "weights":
			to, product = weight, float64(*data)*float64(*result)
		}
		sums[place(to)] += product
		most[place(to)] += math.Abs(product)
	})
	each(written.shape, func(index [5]int) {
		at := place(written.at(index))
		values, magnitudes = append(values, sums[at]), append(magnitudes, most[at])
	})
	return values, magnitudes
}

// run computes what d writes, on another layout if how is not dense, and returns the elements.
func (x *trial[T]) run(t *testing.T, d direction[T], workers int) []T {
	written := d.written(x)
	before := written.elements()
	written.fill(func() T { return T(math.NaN()) })
	bytes := d.scratch(&x.Shape, x.operands(), workers)
	const guard = 32 << 10 // Threads write to parts of the memory that are far from each other.
	memory := make([]uint64, bytes/8+8+guard)
	for i := range memory {
		memory[i] = 0x7ff4_dead_7fb4_dead // NaN in both types
	}
	d.run(x, pools[workers].Thread(), workers, unsafe.Pointer(&memory[0]))
	for _, v := range memory[(bytes+7)/8:] {
		if v != 0x7ff4_dead_7fb4_dead {
			require.Fail(t, "a direction writes beyond its temporary memory", "%s: %v", d.name, x.Shape)
		}
	}
	written.requireGuarded(t, d.name)
	got, next := written.elements(), 0
	written.fill(func() T { next++; return before[next-1] })
	return got
}

// sameBits compares, all NaN being equal.
func sameBits[T Float](a, b []T) bool {
	for i := range a {
		if math.Float64bits(float64(a[i])) != math.Float64bits(float64(b[i])) && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// check compares directions, or all of the dense ones, with the definition, and all levels and numbers of workers with each other.
func (x *trial[T]) check(t *testing.T, some ...[]direction[T]) {
	t.Helper()
	all := slices.Concat(some...)
	if all == nil {
		all = directions[T]()
	}
	epsilon := math.Ldexp(1, -23)
	if sizeOf[T]() == 8 {
		epsilon = math.Ldexp(1, -52)
	}
	for _, d := range all {
		var want []T
		values, magnitudes := x.expected(d)
		features.Each(func(level features.Level) {
			for _, workers := range []int{1, 2, 8} {
				if level == features.Portable && workers != 2 && x.terms() > 50_000 {
					continue // It takes its time.
				}
				got := x.run(t, d, workers)
				if want == nil {
					want = got
				}
				if !sameBits(want, got) {
					require.Failf(t, "bits differ", "%s with %d workers and %v: %v", d.name, workers, level, x.Shape)
				}
			}
		})
		terms := float64(d.terms(&x.Shape) + 2)
		for i, v := range want {
			// Higham, "Accuracy and stability of numerical algorithms", 3.1; for float64 the definition errs as well.
			if !(math.Abs(float64(v)-values[i]) <= 2*terms*epsilon*magnitudes[i]) {
				require.Failf(t, "wrong", "%s: element %d is %v, want %v: %v", d.name, i, v, values[i], x.Shape)
			}
		}
	}
}

func uniform[T Float](r *rand.Rand) func() T { return func() T { return T(2*r.Float64() - 1) } }

func anyLayouts(r *rand.Rand) (how [4]layout) {
	for i := range how {
		how[i] = layout(r.IntN(int(layouts)))
	}
	return how
}
