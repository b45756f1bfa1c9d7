//go:build linux

package gemm

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/guarded"
)

// besides returns memory for three matrices of at most so many bytes each, and temporary memory.
func besides(t *testing.T, bytes int) (matrices [3][]byte, temporary []byte) {
	for i := range matrices {
		matrices[i] = guarded.Memory(t, bytes)
	}
	return matrices, guarded.Memory(t, 1<<20)
}

// atEnd returns where the last bytes of memory begin, rounded up to 64 of them.
func atEnd(memory []byte, bytes int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(memory)), len(memory)-roundUp(bytes, 64))
}

func checkBeside[T Float](t *testing.T) {
	const most = 70
	var one T
	size := int(unsafe.Sizeof(one))
	memory, temporary := besides(t, most*most*size)
	check := func(about any, m, n, k int, beta T, turned, first [3]bool) {
		place := func(i, rows, columns int) Matrix {
			all := unsafe.Slice((*T)(unsafe.Pointer(&memory[i][0])), len(memory[i])/size)
			for j := range rows * columns {
				all[j], all[len(all)-1-j] = 1, 1
			}
			x := Matrix{unsafe.Pointer(&all[len(all)-rows*columns]), columns, 1}
			if first[i] {
				x.Start = unsafe.Pointer(&all[0])
			}
			if turned[i] {
				x.RowStride, x.ColumnStride = 1, rows
			}
			return x
		}
		p := Product[T]{M: m, N: n, K: k, Alpha: 1, Beta: beta, A: place(0, m, k), B: place(1, k, n), C: place(2, m, n)}
		p.Run(pools[2].Thread(), atEnd(temporary, p.Scratch()))
		for i := range m {
			for j := range n {
				got := *(*T)(unsafe.Add(p.C.Start, size*(i*p.C.RowStride+j*p.C.ColumnStride)))
				if want := T(k) + beta; got != want {
					require.Equal(t, want, got, "%v %d×%d×%d", about, m, n, k)
				}
			}
		}
	}
	features.Each(func(level features.Level) {
		for n := 1; n <= 2*most; n++ { // each width of a tile, whole or not
			for _, m := range []int{1, 2, 6} {
				check(level, m, n, 1+n%6, T(n%2), [3]bool{}, [3]bool{})
			}
			check(level, 34, n, 8, T(n%2), [3]bool{}, [3]bool{}) // tiles of fours, and two rows
		}
		r := rand.New(rand.NewPCG(21, 22))
		coin := func() bool { return r.IntN(2) == 0 }
		exchanging(8, func() {
			for _, m := range []int{8, 16, 32} {
				for _, n := range []int{2 * m, 2*m + 1, most} {
					check(level, m, n, 8+r.IntN(30), 0, [3]bool{coin(), true, false}, [3]bool{coin(), coin(), coin()})
				}
			}
		})
		for round := range 60 {
			m, n, k := 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most)
			if round%4 == 0 {
				m, n, k = 1, 1+r.IntN(5*most), 1+r.IntN(most/5)
			}
			if round%4 == 1 {
				m, n, k = 1, 1+r.IntN(most/5), 1+r.IntN(5*most)
			}
			check(level, m, n, k, T(r.IntN(2)), [3]bool{coin(), coin(), coin()}, [3]bool{coin(), coin(), coin()})
		}
	})
}

// Nothing beside the matrices is read, or the test dies: each lies at the very end, or the very beginning, of what may be.
func TestNothingBesideTheMatricesIsTouched(t *testing.T) {
	checkBeside[float32](t)
	checkBeside[float64](t)
}

func TestNothingBesideNarrowMatricesIsTouched(t *testing.T) {
	const most = 70
	r := rand.New(rand.NewPCG(23, 24))
	memory, temporary := besides(t, most*most*4)
	place := func(i, rows, columns, size int, ones []byte) Matrix {
		for j := range memory[i] {
			memory[i][j] = ones[j%len(ones)]
		}
		x := Matrix{unsafe.Pointer(&memory[i][0]), columns, 1}
		if r.IntN(2) == 0 {
			x.Start = unsafe.Pointer(&memory[i][len(memory[i])-rows*columns*size])
		}
		if r.IntN(2) == 0 {
			x.RowStride, x.ColumnStride = 1, rows
		}
		return x
	}
	everyUnit(func(about string) {
		for round := range 60 {
			m, n, k := 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most)
			if round%3 == 0 {
				k = 64 // a whole step of AMX, which then reads rows where they lie
			}
			integers := Int8Product{M: m, N: n, K: k, A: place(0, m, k, 1, []byte{1}), B: place(1, k, n, 1, []byte{1}), C: place(2, m, n, 4, []byte{0})}
			integers.Run(pools[2].Thread(), atEnd(temporary, integers.Scratch()))
			for i := range m * n {
				require.EqualValues(t, k, unsafe.Slice((*int32)(integers.C.Start), m*n)[i], about)
			}
			one := []byte{0x80, 0x3f}
			for source, half := range map[Source][]byte{Float16: {0, 0x3c}, BFloat16: one} {
				for _, m := range []int{1, m} {
					product := Product[float32]{M: m, N: n, K: k, Alpha: 1, A: place(0, m, k, 4, []byte{0, 0, 0x80, 0x3f}), B: place(1, k, n, 2, half), C: Matrix{unsafe.Pointer(&memory[2][0]), n, 1}}
					if m == 1 {
						product.A.RowStride, product.A.ColumnStride = k, 1
					}
					if !product.ReadsSource(source) || n == 1 {
						continue
					}
					product.Source = source
					product.Run(pools[2].Thread(), atEnd(temporary, product.Scratch()))
					for i := range m * n {
						require.EqualValues(t, k, unsafe.Slice((*float32)(product.C.Start), m*n)[i], about)
					}
				}
			}
			if !HasBFloat16() {
				continue
			}
			halves := BFloat16Product{M: m, N: n, K: k, A: place(0, m, k, 2, one), B: place(1, k, n, 2, one), C: place(2, m, n, 2, one)}
			halves.Run(pools[2].Thread(), atEnd(temporary, halves.Scratch()))
			for i := range m * n {
				require.EqualValues(t, k, fromBFloat16(unsafe.Slice((*uint16)(halves.C.Start), m*n)[i]))
			}
		}
	})
}
