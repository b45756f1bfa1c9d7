package factor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// sizes are those of matrices that are halved never, once, and often.
var sizes = []int{0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 50, 64, 97, 130, 250}

// gap is how many elements behind each row belong to no matrix.
const gap = 3

// filler is what those elements are, which nothing changes.
const filler = 77

// random returns a matrix of numbers from -1 to 1, whose rows are columns+gap apart.
func random[T gemm.Float](rows, columns int) (a []T, stride int) {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(columns)))
	stride = columns + gap
	a = make([]T, rows*stride)
	for i := range a {
		if a[i] = filler; i%stride < columns {
			a[i] = T(2*r.Float64() - 1)
		}
	}
	return a, stride
}

func requireFillers[T gemm.Float](t *testing.T, a []T, columns, stride int) {
	t.Helper()
	for i, v := range a {
		if i%stride >= columns {
			require.EqualValues(t, filler, v, "element %d is beside the matrix", i)
		}
	}
}

// dense is a matrix of float64, for oracles.
type dense [][]float64

func zeros(rows, columns int) dense {
	d := make(dense, rows)
	for i := range d {
		d[i] = make([]float64, columns)
	}
	return d
}

func denseOf[T gemm.Float](a []T, rows, columns, stride int) dense {
	d := zeros(rows, columns)
	for i := range d {
		for j := range d[i] {
			d[i][j] = float64(a[i*stride+j])
		}
	}
	return d
}

// keep returns d with zeros where wanted is false.
func (d dense) keep(wanted func(i, j int) bool) dense {
	kept := zeros(len(d), len(d))
	for i := range d {
		for j, v := range d[i] {
			if wanted(i, j) {
				kept[i][j] = v
			}
		}
	}
	return kept
}

func (d dense) times(e dense, columns int) dense {
	product := zeros(len(d), columns)
	for i := range d {
		for k, v := range d[i] {
			for j := range product[i] {
				product[i][j] += v * e[k][j]
			}
		}
	}
	return product
}

func (d dense) transposed() dense {
	turned := zeros(len(d), len(d))
	for i := range d {
		for j, v := range d[i] {
			turned[j][i] = v
		}
	}
	return turned
}

func (d dense) largest() float64 {
	value := 0.0
	for _, row := range d {
		for _, v := range row {
			value = max(value, math.Abs(v))
		}
	}
	return value
}

func requireClose(t *testing.T, want, got dense, tolerance float64) {
	t.Helper()
	for i := range want {
		for j, v := range want[i] {
			require.LessOrEqual(t, math.Abs(got[i][j]-v), tolerance, "element (%d,%d): want %v, got %v", i, j, v, got[i][j])
		}
	}
}

// unit returns the distance of the numbers around 1.
func unit[T gemm.Float]() float64 {
	var zero T
	if _, single := any(zero).(float32); single {
		return 1.0 / (1 << 23)
	}
	return 1.0 / (1 << 52)
}

// eachType runs body for both element types, as far as it is generic.
func eachType(t *testing.T, single, double func(t *testing.T)) {
	t.Run("float32", single)
	t.Run("float64", double)
}

// threads returns handles of pools of one, two and five workers.
func threads(t *testing.T) (all []*parallel.Thread) {
	for _, workers := range []int{1, 2, 5} {
		pool := parallel.New(workers)
		t.Cleanup(pool.Close)
		all = append(all, pool.Thread())
	}
	return all
}

// requireSameBits runs compute with each of the threads and compares what it returns.
func requireSameBits[T gemm.Float](t *testing.T, compute func(thread *parallel.Thread) []T) {
	t.Helper()
	var first []T
	for _, thread := range threads(t) {
		got := compute(thread)
		if first == nil {
			first = slices.Clone(got)
		}
		require.Equal(t, first, got)
	}
}
