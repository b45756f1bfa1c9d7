package cpu

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// nearMiddle returns bits of which, some of the time, all behind one are zero, or but the last one that is not, or one away: what is in the middle of two
// halves, or beside it.
func nearMiddle(r *rand.Rand, bits uint64) uint64 {
	at := uint(r.IntN(60))
	switch r.IntN(4) {
	case 0:
		bits = bits >> at << at
	case 1:
		bits = bits>>at<<at + uint64(r.IntN(3)) - 1
	case 2:
		bits = bits>>at<<at | 1<<r.IntN(60)
	}
	return bits
}

func TestCastsToHalvesRoundOnceAtAllLevels(t *testing.T) {
	const count = 1 << 16
	r := rand.New(rand.NewPCG(1, 2))
	floats, longs, integers := make([]float64, count), make([]int64, count), make([]int32, count)
	for round := range 6 {
		for i := range count {
			exponent := uint64(r.IntN(2047))
			switch round % 3 { // where halves are subnormal, and where float16 ends
			case 0:
				exponent = uint64(1023 - 160 + r.IntN(60))
			case 1:
				exponent = uint64(1023 - 30 + r.IntN(50))
			}
			floats[i] = math.Float64frombits(r.Uint64()&(1<<63) | exponent<<52 | nearMiddle(r, r.Uint64())&(1<<52-1))
			longs[i] = int64(nearMiddle(r, r.Uint64()>>r.IntN(64)))
			if r.IntN(2) == 0 {
				longs[i] = -longs[i]
			}
			integers[i] = int32(longs[i] >> (32 * r.IntN(2)))
		}
		copy(floats, []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 0, math.Float64frombits(0x7FF<<52 | 1), math.Float64frombits(0xFFF<<52 | 1<<28)})
		copy(longs, []int64{math.MinInt64, math.MaxInt64, 0})
		copy(integers, []int32{math.MinInt32, math.MaxInt32, 0})
		for _, to := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
			for from, numbers := range map[dtype.DType]unsafe.Pointer{
				dtype.Float64: unsafe.Pointer(&floats[0]), dtype.Int64: unsafe.Pointer(&longs[0]), dtype.Int32: unsafe.Pointer(&integers[0]),
			} {
				var want []uint16
				features.Each(func(level features.Level) {
					halves := make([]uint16, count)
					inners[castName(from, to)].runner().run(count, pointers{unsafe.Pointer(&halves[0]), numbers}, 0)
					if level == features.Portable {
						want = halves
					}
					for i := range want {
						if want[i] != halves[i] {
							require.Equal(t, want[i], halves[i], "%v to %v, %v: number %d of %v, %v, %v", from, to, level, i, floats[i], longs[i], integers[i])
						}
					}
				})
			}
		}
	}
}

// TestAllHalvesBecomeTheIntegersThatFloat64sDo compares with casts of the same numbers in float64.
func TestAllHalvesBecomeTheIntegersThatFloat64sDo(t *testing.T) {
	const count = 1 << 16
	halves, floats := make([]uint16, count), make([]float64, count)
	for _, from := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		for i := range halves {
			halves[i] = uint16(i)
			if from == dtype.Float16 {
				floats[i] = float64(dtype.F16(i).Float32())
			} else {
				floats[i] = float64(dtype.BF16(i).Float32())
			}
		}
		for _, to := range dtype.All() {
			if !to.IsInteger() {
				continue
			}
			want, got := make([]byte, count*to.Size()), make([]byte, count*to.Size())
			inners[castName(dtype.Float64, to)].plain(count, pointers{unsafe.Pointer(&want[0]), unsafe.Pointer(&floats[0])})
			features.Each(func(level features.Level) {
				clear(got)
				inners[castName(from, to)].runner().run(count, pointers{unsafe.Pointer(&got[0]), unsafe.Pointer(&halves[0])}, 0)
				require.True(t, bytes.Equal(want, got), "%s to %s, %v", from, to, level)
			})
		}
	}
}
