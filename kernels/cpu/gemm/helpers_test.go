package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// pools run everything that must not depend on the number of workers.
var pools = map[int]*parallel.Pool{1: parallel.New(1), 2: parallel.New(2), 8: parallel.New(8)}

// canary is what surrounds the elements of a matrix.
const canary = 12345

// placed is a matrix in memory of its own, among canaries.
type placed[T Float] struct {
	Matrix
	memory        []T
	first         int
	rows, columns int
}

// layout is a way to lay out a matrix.
type layout int

const (
	dense layout = iota
	wide         // rows with gaps
	turned
	turnedWide
	page      // rows a multiple of 4096 bytes apart
	backwards // by rows, from the last to the first
	scattered // no stride is 1
	layouts
)

func newPlaced[T Float](r *rand.Rand, rows, columns int, how layout) *placed[T] {
	p := &placed[T]{rows: rows, columns: columns}
	m, n := max(1, rows), max(1, columns)
	switch how {
	case dense:
		p.RowStride, p.ColumnStride = n, 1
	case wide, backwards:
		p.RowStride, p.ColumnStride = n+1+r.IntN(9), 1
	case turned:
		p.RowStride, p.ColumnStride = 1, m
	case turnedWide:
		p.RowStride, p.ColumnStride = 1, m+1+r.IntN(9)
	case page:
		p.RowStride, p.ColumnStride = (n+1023)/1024*1024, 1
	case scattered:
		p.RowStride, p.ColumnStride = 2*n+1, 2
	}
	const margin = 32
	p.memory = make([]T, 2*margin+(m-1)*p.RowStride+(n-1)*p.ColumnStride+1)
	for i := range p.memory {
		p.memory[i] = canary
	}
	p.first = margin - r.IntN(16)
	if how == backwards {
		p.first += (m - 1) * p.RowStride
		p.RowStride = -p.RowStride
	}
	p.Start = unsafe.Pointer(&p.memory[p.first])
	return p
}

func (p *placed[T]) at(i, j int) *T { return &p.memory[p.first+i*p.RowStride+j*p.ColumnStride] }

func (p *placed[T]) fill(value func() T) *placed[T] {
	for i := range p.rows {
		for j := range p.columns {
			*p.at(i, j) = value()
		}
	}
	return p
}

func (p *placed[T]) elements() []T {
	all := make([]T, 0, p.rows*p.columns)
	for i := range p.rows {
		for j := range p.columns {
			all = append(all, *p.at(i, j))
		}
	}
	return all
}

// requireGuarded requires that all but the elements are canaries.
func (p *placed[T]) requireGuarded(t *testing.T, about ...any) {
	t.Helper()
	inside := 0
	for i := range p.rows {
		for j := range p.columns {
			if *p.at(i, j) == canary {
				inside++
			}
		}
	}
	found := 0
	for _, v := range p.memory {
		if v == canary {
			found++
		}
	}
	require.Equal(t, len(p.memory)-p.rows*p.columns, found-inside, about...)
}

// trial is one product and its oracle.
type trial[T Float] struct {
	Product[T]
	a, b, c *placed[T]
	start   []T // C before
}

func newTrial[T Float](r *rand.Rand, m, n, k int, alpha, beta T, layouts [3]layout) *trial[T] {
	normal := func() T { return T(r.NormFloat64()) }
	return newTrialOf(r, m, n, k, alpha, beta, layouts, normal)
}

// newTrialOf is newTrial with elements that value makes.
func newTrialOf[T Float](r *rand.Rand, m, n, k int, alpha, beta T, layouts [3]layout, value func() T) *trial[T] {
	x := &trial[T]{
		a: newPlaced[T](r, m, k, layouts[0]).fill(value),
		b: newPlaced[T](r, k, n, layouts[1]).fill(value),
		c: newPlaced[T](r, m, n, layouts[2]).fill(value),
	}
	x.start = x.c.elements()
	x.Product = Product[T]{M: m, N: n, K: k, Alpha: alpha, Beta: beta, A: x.a.Matrix, B: x.b.Matrix, C: x.c.Matrix}
	return x
}

func (x *trial[T]) String() string {
	return fmt.Sprintf("%T %d×%d×%d, alpha %v, beta %v, strides of A %d %d, of B %d %d, of C %d %d", x.Alpha, x.M, x.N, x.K, x.Alpha, x.Beta,
		x.A.RowStride, x.A.ColumnStride, x.B.RowStride, x.B.ColumnStride, x.C.RowStride, x.C.ColumnStride)
}

// run computes the product anew, with exactly the memory that it asks for, and returns the elements of C.
func (x *trial[T]) run(t *testing.T, thread *parallel.Thread) []T {
	t.Helper()
	next := 0
	x.c.fill(func() T { next++; return x.start[next-1] })
	const guard = 64
	bytes := x.Scratch()
	memory := make([]byte, bytes+2*guard+64)
	start := guard + int(-(uintptr(unsafe.Pointer(&memory[0]))+guard)&63)
	for i := range memory {
		memory[i] = 0xff // NaN
	}
	var temporary unsafe.Pointer
	if bytes > 0 {
		temporary = unsafe.Pointer(&memory[start])
	}
	x.Run(thread, temporary)
	for i, v := range memory {
		if (i < start || i >= start+bytes) && v != 0xff {
			require.Fail(t, "wrote beside its temporary memory", x.String())
		}
	}
	x.c.requireGuarded(t, x.String())
	return x.c.elements()
}

// check compares with the definition in float64; the error of a chain of k steps is below k+2 roundings of the sum of the
// magnitudes (Higham, "Accuracy and stability of numerical algorithms", 3.1).
func (x *trial[T]) check(t *testing.T, got []T) {
	t.Helper()
	unit := 0x1p-53
	if _, single := any(x.Alpha).(float32); single {
		unit = 0x1p-24
	}
	for i := range x.M {
		for j := range x.N {
			sum, magnitude := 0.0, 0.0
			if x.Alpha != 0 {
				for l := range x.K {
					term := float64(*x.a.at(i, l)) * float64(*x.b.at(l, j))
					sum += term
					magnitude += math.Abs(term)
				}
				sum *= float64(x.Alpha)
				magnitude *= math.Abs(float64(x.Alpha))
			}
			if x.Beta != 0 {
				old := float64(x.Beta) * float64(x.start[i*x.N+j])
				sum += old
				magnitude += math.Abs(old)
			}
			value := float64(got[i*x.N+j])
			if value != sum && (value == value || sum == sum) && !(math.Abs(value-sum) <= float64(2*x.K+6)*unit*magnitude) {
				require.Failf(t, "differs", "at %d, %d: want %v, got %v; %v", i, j, sum, value, x)
			}
		}
	}
}

// sameBits tells whether two results are the same but for the payload of NaN.
func sameBits[T Float](a, b []T) bool {
	for i, v := range a {
		if v != b[i] && (v == v || b[i] == b[i]) || v == 0 && 1/v != 1/b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// checkEverywhere checks a product on all levels, and that they and all numbers of workers give the same bits.
func (x *trial[T]) checkEverywhere(t *testing.T) {
	t.Helper()
	x.check(t, x.run(t, parallel.Serial()))
	x.checkBits(t)
}

func factor[T Float](r *rand.Rand) T { return []T{0, 1, -1, 0.5, 1.7}[r.IntN(5)] }

func anyLayouts(r *rand.Rand) [3]layout {
	return [3]layout{layout(r.IntN(int(layouts))), layout(r.IntN(int(layouts))), layout(r.IntN(int(scattered)))}
}

// checkBits requires the same bits everywhere, with the plans of both kinds of processors.
func (x *trial[T]) checkBits(t *testing.T) {
	t.Helper()
	defer func(before bool) { waitsForInstructions = before }(waitsForInstructions)
	want := x.run(t, parallel.Serial())
	features.Each(func(level features.Level) {
		for i, workers := range []int{1, 2, 8, 8} {
			waitsForInstructions = i%2 == 0
			if got := x.run(t, pools[workers].Thread()); !sameBits(want, got) {
				require.Failf(t, "other bits", "%v, %d workers: %v", level, workers, x)
			}
		}
	})
}
