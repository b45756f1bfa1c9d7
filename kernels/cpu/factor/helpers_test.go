package factor

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

// sizes are those of matrices that are halved never, once, and often.
var sizes = []int{0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 50, 64, 97, 130, 250}

// gap is how many elements behind each row belong to no matrix.
const gap = 3

// filler is what those elements are, which nothing changes.
const filler = 77

// number returns a as a complex number.
func number[E Element](a E) complex128 {
	switch v := any(a).(type) {
	case float32:
		return complex(float64(v), 0)
	case complex64:
		return complex128(v)
	case complex128:
		return v
	}
	return complex(any(a).(float64), 0)
}

// element returns v, of which reals have the real part.
func element[E Element](v complex128) (e E) {
	switch to := any(&e).(type) {
	case *float32:
		*to = float32(real(v))
	case *float64:
		*to = real(v)
	case *complex64:
		*to = complex64(v)
	case *complex128:
		*to = v
	}
	return e
}

var notANumber = complex(math.NaN(), math.NaN())

// random returns a matrix of numbers whose parts are from -1 to 1, whose rows are columns+gap apart.
func random[E Element](rows, columns int) (a []E, stride int) {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(columns)))
	stride = columns + gap
	a = make([]E, rows*stride)
	for i := range a {
		if a[i] = filler; i%stride < columns {
			a[i] = element[E](complex(2*r.Float64()-1, 2*r.Float64()-1))
		}
	}
	return a, stride
}

func requireFillers[E Element](t *testing.T, a []E, columns, stride int) {
	t.Helper()
	for i, v := range a {
		if i%stride >= columns {
			require.EqualValues(t, E(filler), v, "element %d is beside the matrix", i)
		}
	}
}

// dense is a matrix of complex128, for oracles.
type dense [][]complex128

func zeros(rows, columns int) dense {
	d := make(dense, rows)
	for i := range d {
		d[i] = make([]complex128, columns)
	}
	return d
}

func denseOf[E Element](a []E, rows, columns, stride int) dense {
	d := zeros(rows, columns)
	for i := range d {
		for j := range d[i] {
			d[i][j] = number(a[i*stride+j])
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

func (d dense) adjoint() dense {
	turned := d.transposed()
	for _, row := range turned {
		for j, v := range row {
			row[j] = cmplx.Conj(v)
		}
	}
	return turned
}

func (d dense) largest() float64 {
	value := 0.0
	for _, row := range d {
		for _, v := range row {
			value = max(value, cmplx.Abs(v))
		}
	}
	return value
}

func requireClose(t *testing.T, want, got dense, tolerance float64) {
	t.Helper()
	for i := range want {
		for j, v := range want[i] {
			require.LessOrEqual(t, cmplx.Abs(got[i][j]-v), tolerance, "element (%d,%d): want %v, got %v", i, j, v, got[i][j])
		}
	}
}

// unit returns the distance of the numbers around 1.
func unit[E Element]() float64 {
	if isSingle[E]() {
		return 1.0 / (1 << 23)
	}
	return 1.0 / (1 << 52)
}

// eachType runs bodies for the element types, as far as they are generic.
func eachType(t *testing.T, float32s, float64s, complex64s, complex128s func(t *testing.T)) {
	t.Run("float32", float32s)
	t.Run("float64", float64s)
	t.Run("complex64", complex64s)
	t.Run("complex128", complex128s)
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
func requireSameBits[E Element](t *testing.T, compute func(thread *parallel.Thread) []E) {
	t.Helper()
	var first []E
	for _, thread := range threads(t) {
		got := compute(thread)
		if first == nil {
			first = slices.Clone(got)
		}
		require.Equal(t, first, got)
	}
}
