package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// newBytes returns a matrix of int8 in memory of its own, by rows, by columns, or with gaps.
func newBytes(r *rand.Rand, rows, columns int, value func() int8) (m Matrix, at func(i, j int) int8) {
	m = Matrix{RowStride: max(1, columns), ColumnStride: 1}
	switch r.IntN(3) {
	case 0:
		m.RowStride, m.ColumnStride = 1, max(1, rows)
	case 1:
		m.RowStride, m.ColumnStride = 2*columns+3, 2
	}
	memory := make([]int8, 1+rows*m.RowStride+columns*m.ColumnStride)
	for i := range memory {
		memory[i] = value()
	}
	m.Start = unsafe.Pointer(&memory[0])
	return m, func(i, j int) int8 { return memory[i*m.RowStride+j*m.ColumnStride] }
}

// wholeSteps are shapes whose terms fill steps of the matrix unit, so that it reads rows of A, and columns of B if there are many, where they
// lie.
var wholeSteps = [][3]int{{40, 33, 64}, {70, 10, 128}, {5, 100, 192}, {34, 150, 192}, {3, 64, 64}}

// streamed are shapes whose B is packed in several parts where a B of any size is.
var streamed = [][3]int{{3, 530, 513}, {100, 70, 1090}, {128, 33, 640}, {40, 280, 700}}

// streaming calls test with any B packed in parts, if few rows meet it.
func streaming(test func()) {
	before := streamBytes
	defer func() { streamBytes = before }()
	streamBytes = 0
	test()
}

// everyUnit calls test at every level, and with all instructions for narrow numbers that there are.
func everyUnit(test func(about string)) {
	features.Each(func(level features.Level) {
		features.EachNarrow(func() {
			test(fmt.Sprintf("%v, AVX512_BF16 %v, AMX %v", level, features.HasBFloat16(), features.HasMatrixUnit()))
		})
	})
}

func checkInt8(t *testing.T, r *rand.Rand, m, n, k int, value func() int8) {
	a, atA := newBytes(r, m, k, value)
	b, atB := newBytes(r, k, n, value)
	c := make([]int32, m*n+1)
	p := Int8Product{M: m, N: n, K: k, A: a, B: b, C: Matrix{unsafe.Pointer(&c[0]), n, 1}}
	if r.IntN(2) == 0 {
		p.C.RowStride, p.C.ColumnStride = 1, m
	}
	everyUnit(func(about string) {
		for _, workers := range []int{1, 2} {
			for i := range c {
				c[i] = canary
			}
			memory := make([][8]uint64, p.Scratch()/64+1)
			p.Run(pools[workers].Thread(), unsafe.Pointer(&memory[0]))
			for i := range m {
				for j := range n {
					want := int32(0)
					for l := range k {
						want += int32(atA(i, l)) * int32(atB(l, j))
					}
					if got := c[i*p.C.RowStride+j*p.C.ColumnStride]; got != want {
						require.Equal(t, want, got, "%v, %d workers, %d×%d×%d at %d, %d: %+v", about, workers, m, n, k, i, j, p)
					}
				}
			}
			require.EqualValues(t, canary, c[m*n])
		}
	})
}

func TestProductsOfInt8AreExact(t *testing.T) {
	packed, direct := packedBytes, directBytes
	defer func() { packedBytes, directBytes = packed, direct }()
	r := rand.New(rand.NewPCG(25, 26))
	anything := func() int8 { return int8(r.Uint32()) }
	most, rounds := 60, 40
	if thin() {
		most, rounds = 30, 12
	}
	for range rounds {
		directBytes = []int{direct, 0}[r.IntN(2)]
		checkInt8(t, r, r.IntN(most), r.IntN(most), r.IntN(most), anything)
		checkInt8(t, r, 1+r.IntN(3), 1+r.IntN(3), r.IntN(200), anything)
	}
	for _, c := range wholeSteps {
		for range rounds / 6 {
			checkInt8(t, r, c[0], c[1], c[2], anything)
		}
	}
	checkInt8(t, r, 10, 20, 1100, anything) // two blocks of k
	streaming(func() {
		for i := range rounds / 2 { // in any layout
			c := streamed[i%len(streamed)]
			checkInt8(t, r, c[0], c[1], c[2], anything)
		}
	})
	checkInt8(t, r, 40, 50, 0, anything)
	checkInt8(t, r, 3, 2, 131_076, func() int8 { return -128 })
}

func TestBatchesOfInt8EqualTheirProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	const count, m, n, k = 4, 5, 7, 9
	memory := make([]int8, count*(m+n)*k)
	for i := range memory {
		memory[i] = int8(r.Uint32())
	}
	a, b := memory[:count*m*k], memory[count*m*k:]
	c := make([]int32, count*m*n)
	p := Int8Product{M: m, N: n, K: k, A: Matrix{unsafe.Pointer(&a[0]), k, 1}, B: Matrix{unsafe.Pointer(&b[0]), n, 1}, C: Matrix{unsafe.Pointer(&c[0]), n, 1}}
	p.Count, p.Offsets = count, func(product int) (int, int, int) { return product * m * k, product / 2 * k * n, product * m * n }
	p.Run(pools[2].Thread(), nil)
	for product := range count {
		for i := range m {
			for j := range n {
				want := int32(0)
				for l := range k {
					want += int32(a[(product*m+i)*k+l]) * int32(b[product/2*k*n+l*n+j])
				}
				require.Equal(t, want, c[(product*m+i)*n+j])
			}
		}
	}
}
