//go:build linux

package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/guarded"
	"github.com/weft-nd/weft/parallel"
)

// checkLines compares dot products with sums in steps that wrap round, of numbers among which are the least and the greatest.
func checkLines[I int8 | int16 | int32 | int64](t *testing.T) {
	size := int(unsafe.Sizeof(I(0)))
	r := rand.New(rand.NewPCG(1, uint64(size)))
	least := I(-1) << (8*size - 1)
	draw := func(values []I) {
		for i := range values {
			switch r.IntN(4) {
			case 0:
				values[i] = least
			case 1:
				values[i] = ^least
			default:
				values[i] = I(r.Uint64())
			}
		}
	}
	const most = 300
	memory := [2][]byte{guarded.Memory(t, most*size), guarded.Memory(t, most*size)}
	for count := range most + 1 {
		var operands [2][]I
		for i, m := range memory {
			all := unsafe.Slice((*I)(unsafe.Pointer(&m[0])), len(m)/size)
			operands[i] = all[len(all)-count:]
			draw(operands[i])
		}
		x, y := operands[0], operands[1]
		var want int64
		for i, v := range x {
			want += int64(v) * int64(y[i])
		}
		features.Each(func(level features.Level) {
			got := lineOf(size)((*byte)(unsafe.Pointer(unsafe.SliceData(x))), (*byte)(unsafe.Pointer(unsafe.SliceData(y))), count)
			require.Equal(t, I(want), I(got), "%v, %d elements", level, count)
			if size == 1 {
				require.Equal(t, int32(want), int32(got), "%v, %d elements", level, count)
			}
		})
	}
}

func TestDotProductsOfIntegersWrapRoundAndReadNoFurther(t *testing.T) {
	t.Run("int8", checkLines[int8])
	t.Run("int16", checkLines[int16])
	t.Run("int32", checkLines[int32])
	t.Run("int64", checkLines[int64])
}

// TestLongLinesAreSharedAndSummedInParts has lines longer than what is summed in one go, one and several.
func TestLongLinesAreSharedAndSummedInParts(t *testing.T) {
	pool := parallel.New(3)
	defer pool.Close()
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{lineBlock - 1, lineBlock, lineBlock + 1, 3*lineBlock + 17} {
		for _, lines := range []int{1, 3} {
			a, x, c := make([]int16, lines*k), make([]int16, k), make([]int32, 2*lines)
			want := make([]int32, 2*lines)
			for i := range a {
				a[i] = int16(r.Uint32())
			}
			for i := range x {
				x[i] = int16(r.Uint32())
			}
			for i := range lines {
				for j, v := range x {
					want[2*i] += int32(a[i*k+j]) * int32(v)
				}
			}
			Lines{
				Size: 2, Width: 4, Count: lines, K: k, Products: 1, ARow: 2 * k, CRow: 8,
				A: unsafe.Pointer(&a[0]), X: unsafe.Pointer(&x[0]), C: unsafe.Pointer(&c[0]),
			}.Run(pool.Thread())
			require.Equal(t, want, c, fmt.Sprint(k, lines))
		}
	}
}

// checkNarrowRows compares products of a row of integers and a matrix with sums in steps, the matrix at the end of memory that may be read.
func checkNarrowRows[I int8 | int16](t *testing.T, n, k, step, workers int) {
	size := int(unsafe.Sizeof(I(0)))
	r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	memory := guarded.Memory(t, ((k-1)*step+n)*size)
	b := unsafe.Slice((*I)(unsafe.Pointer(&memory[0])), len(memory)/size)
	b = b[len(b)-(k-1)*step-n:]
	a, c, want := make([]I, k), make([]int32, n), make([]int32, n)
	for i := range b {
		b[i] = I(r.Uint32())
	}
	for i := range a {
		a[i] = I(r.Uint32())
		for j := range n {
			want[j] += int32(a[i]) * int32(b[i*step+j])
		}
	}
	pool := parallel.New(workers)
	defer pool.Close()
	p := NarrowRows{
		Size: size, Width: 4, N: n, K: k, A: unsafe.Pointer(&a[0]), B: unsafe.Pointer(&b[0]), C: unsafe.Pointer(&c[0]), AStep: size, BRow: step * size, CRow: 4,
	}
	require.True(t, p.Fits())
	p.Run(pool.Thread())
	require.Equal(t, want, c, "%d columns, %d rows, step %d, %d bytes", n, k, step, size)
}

func TestRowsOfNarrowIntegersWrapRoundAndReadNoFurther(t *testing.T) {
	if features.Best == features.Portable {
		t.Skip("there are no kernels for these without assembly")
	}
	for _, n := range []int{64, 65, 79, 80, 95, 1000, 1024, 1025, 1030, 2100} {
		for _, k := range []int{8, 9, 15, 16, 17, 127, 128, 129, 300} {
			checkNarrowRows[int8](t, n, k, n+k%3, 1+k%3)
			checkNarrowRows[int16](t, n, k, n+n%3, 1+k%3)
		}
	}
}
