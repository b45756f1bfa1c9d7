package gemm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// newIntegers returns count matrices of integers one after the other, by rows, by columns, or with gaps, of which elements have any bits.
func newIntegers[I Integer](r *rand.Rand, count, rows, columns int) (m Matrix, apart int, at func(product, i, j int) I) {
	m = Matrix{RowStride: max(1, columns), ColumnStride: 1}
	switch r.IntN(3) {
	case 0:
		m.RowStride, m.ColumnStride = 1, max(1, rows)
	case 1:
		m.RowStride, m.ColumnStride = 2*columns+3, 2
	}
	apart = 1 + rows*m.RowStride + columns*m.ColumnStride
	memory := make([]I, count*apart)
	for i := range memory {
		memory[i] = I(r.Uint64())
	}
	m.Start = unsafe.Pointer(&memory[0])
	return m, apart, func(product, i, j int) I { return memory[product*apart+i*m.RowStride+j*m.ColumnStride] }
}

func checkIntegers[I Integer](t *testing.T, r *rand.Rand, count, m, n, k int) {
	a, aApart, atA := newIntegers[I](r, count, m, k)
	b, bApart, atB := newIntegers[I](r, count, k, n)
	c := make([]I, count*m*n+1)
	p := IntegerProduct[I]{M: m, N: n, K: k, A: a, B: b, C: Matrix{unsafe.Pointer(&c[0]), n, 1}}
	if r.IntN(2) == 0 {
		p.C.RowStride, p.C.ColumnStride = 1, m
	}
	if count > 1 {
		p.Count, p.Offsets = count, Strided(aApart, bApart, m*n)
	}
	want := make([]I, len(c))
	for product := range count {
		for i := range m {
			for j := range n {
				sum := &want[product*m*n+i*p.C.RowStride+j*p.C.ColumnStride]
				for l := range k {
					*sum += atA(product, i, l) * atB(product, l, j)
				}
			}
		}
	}
	want[count*m*n] = canary
	features.Each(func(level features.Level) {
		for _, workers := range []int{1, 2} {
			for i := range c {
				c[i] = canary
			}
			memory := make([][8]uint64, p.Scratch()/64+1)
			p.Run(pools[workers].Thread(), unsafe.Pointer(&memory[0]))
			require.Equal(t, want, c, "%v, %d workers, %d times %d×%d×%d: %+v", level, workers, count, m, n, k, p)
		}
	})
}

func TestProductsOfIntegersWrapRound(t *testing.T) {
	t.Run("int32", wrapsRound[int32])
	t.Run("int64", wrapsRound[int64])
}

func wrapsRound[I Integer](t *testing.T) {
	packed, direct := packedBytes, directBytes
	defer func() { packedBytes, directBytes = packed, direct }()
	r := rand.New(rand.NewPCG(29, 30))
	most, rounds := 80, 60
	if thin() {
		most, rounds = 40, 16
	}
	for range rounds {
		directBytes, packedBytes = []int{direct, 0}[r.IntN(2)], []int{packed, 1 << 14}[r.IntN(2)]
		checkIntegers[I](t, r, 1+r.IntN(3), r.IntN(most), r.IntN(most), r.IntN(most))
		checkIntegers[I](t, r, 1, 1+r.IntN(3), 1+r.IntN(3), r.IntN(200))
	}
	directBytes, packedBytes = direct, packed
	for _, size := range [][3]int{{10, 20, 1100}, {40, 50, 0}, {1, 1, 5000}, {9, 17, 2500}, {1, 300, 1200}, {300, 1, 1200}, {200, 150, 600}} {
		checkIntegers[I](t, r, 1, size[0], size[1], size[2])
	}
}
