package cpu

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestBytesThatAreNotZeroAreFoundEightAtATimeAsOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	for n := range 70 {
		for _, zeros := range []int{0, 1, 2, 9} { // of ten
			for _, stride := range []int{1, 2, 0, -1} {
				memory := make([]byte, 2*n+1)
				for i := range memory {
					if r.IntN(10) >= zeros {
						memory[i] = byte(1 + r.IntN(255)>>r.IntN(8))
					}
				}
				x := unsafe.Pointer(&memory[0])
				if stride < 0 {
					x = unsafe.Pointer(&memory[n])
				}
				want, got := make([]int64, n), make([]int64, n)
				count := findNonzero[uint8](want, x, stride, n, 5)
				require.Equal(t, count, findNonzeroBytes(got, x, stride, n, 5))
				require.Equal(t, want[:count], got[:count])
				require.Equal(t, count, countNonzeroBytes(x, stride, n))
			}
		}
	}
}
