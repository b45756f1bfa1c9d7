//go:build linux

package gemm

import (
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// guarded returns memory between two pages that nobody may touch.
func guarded(t *testing.T, bytes int) []byte {
	page := syscall.Getpagesize()
	bytes = roundUp(bytes, page)
	memory, err := syscall.Mmap(-1, 0, bytes+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(memory)) })
	require.NoError(t, syscall.Mprotect(memory[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(memory[page+bytes:], syscall.PROT_NONE))
	return memory[page : page+bytes]
}

// Nothing beside the matrices is read, or the test dies: each lies at the very end, or the very beginning, of what may be.
func TestNothingBesideTheMatricesIsTouched(t *testing.T) {
	const most = 70
	r := rand.New(rand.NewPCG(21, 22))
	var memory [3][]byte
	for i := range memory {
		memory[i] = guarded(t, most*most*4)
	}
	features.Each(func(level features.Level) {
		for round := range 60 {
			m, n, k := 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most)
			if round%4 == 0 {
				m, n, k = 1, 1+r.IntN(5*most), 1+r.IntN(most/5)
			}
			place := func(i, rows, columns int) Matrix {
				all := unsafe.Slice((*float32)(unsafe.Pointer(&memory[i][0])), len(memory[i])/4)
				for j := range all {
					all[j] = 1
				}
				x := Matrix{unsafe.Pointer(&all[0]), columns, 1}
				if r.IntN(2) == 0 {
					x.Start = unsafe.Pointer(&all[len(all)-rows*columns])
				}
				if r.IntN(2) == 0 {
					x.RowStride, x.ColumnStride = 1, rows
				}
				return x
			}
			p := Product[float32]{M: m, N: n, K: k, Alpha: 1, Beta: float32(r.IntN(2)), A: place(0, m, k), B: place(1, k, n), C: place(2, m, n)}
			p.Run(pools[2].Thread(), nil)
			for i := range m {
				for j := range n {
					got := *(*float32)(unsafe.Add(p.C.Start, 4*(i*p.C.RowStride+j*p.C.ColumnStride)))
					if want := float32(k) + p.Beta; got != want || math.IsNaN(float64(got)) {
						require.Equal(t, want, got, "%v %d×%d×%d", level, m, n, k)
					}
				}
			}
		}
	})
}

func TestNothingBesideNarrowMatricesIsTouched(t *testing.T) {
	const most = 70
	r := rand.New(rand.NewPCG(23, 24))
	var memory [3][]byte
	for i := range memory {
		memory[i] = guarded(t, most*most*4)
	}
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
		for range 40 {
			m, n, k := 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most)
			integers := Int8Product{M: m, N: n, K: k, A: place(0, m, k, 1, []byte{1}), B: place(1, k, n, 1, []byte{1}), C: place(2, m, n, 4, []byte{0})}
			integers.Run(pools[2].Thread(), nil)
			for i := range m * n {
				require.EqualValues(t, k, unsafe.Slice((*int32)(integers.C.Start), m*n)[i], about)
			}
			if !HasBFloat16() {
				continue
			}
			one := []byte{0x80, 0x3f}
			halves := BFloat16Product{M: m, N: n, K: k, A: place(0, m, k, 2, one), B: place(1, k, n, 2, one), C: place(2, m, n, 2, one)}
			halves.Run(pools[2].Thread(), nil)
			for i := range m * n {
				require.EqualValues(t, k, fromBFloat16(unsafe.Slice((*uint16)(halves.C.Start), m*n)[i]))
			}
		}
	})
}
