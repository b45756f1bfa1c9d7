package cpu

import (
	"math"
	"math/big"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// floored is the quotient of two integers, rounded down, and what is left, with the bits that do not fit into 64 left out.
func floored(x, y int64) (quotient, rest int64) {
	if y == 0 {
		return 0, 0
	}
	q, m := new(big.Int).DivMod(big.NewInt(x), big.NewInt(y), new(big.Int)) // m >= 0
	if m.Sign() != 0 && y < 0 {
		q.Sub(q, big.NewInt(1))
		m.Add(m, big.NewInt(y))
	}
	if !q.IsInt64() { // The least integer by -1.
		return x, m.Int64()
	}
	return q.Int64(), m.Int64()
}

func TestQuotientsOfLongIntegersAreExact(t *testing.T) {
	r := randomAt(7)
	ends := []int64{0, 1, 2, 3, 7, 10, 1 << 31, 1<<52 - 1, 1 << 53, 1<<53 + 1, 1<<62 - 1, 1 << 62, 1<<62 + 1, math.MaxInt64 - 1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, math.MinInt64 + 2}
	var x, y []int64
	add := func(a, b int64) {
		for _, sign := range [][2]int64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			x, y = append(x, a*sign[0]), append(y, b*sign[1])
		}
	}
	for _, a := range ends {
		for _, b := range ends {
			add(a, b)
		}
	}
	some := func() int64 { return int64(r.Uint64() >> r.IntN(64)) }
	for range 20_000 {
		divisor, quotient := some(), some()
		if high, low := bits.Mul64(uint64(quotient), uint64(divisor)); high == 0 { // next to a whole quotient
			for _, off := range []int64{-1, 0, 1} {
				add(int64(low)+off, divisor)
			}
		}
		add(some(), divisor)
	}
	for len(x)%8 != 0 {
		add(1, 1)
	}
	for name, want := range map[string]func(x, y int64) int64{
		"floor_divide/int64": func(x, y int64) int64 { q, _ := floored(x, y); return q },
		"remainder/int64":    func(x, y int64) int64 { _, rest := floored(x, y); return rest },
	} {
		features.Each(func(level features.Level) {
			got := make([]int64, len(x))
			inners[name].runner().run(len(x), pointers{unsafe.Pointer(&got[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])}, 0)
			for i, result := range got {
				if expected := want(x[i], y[i]); result != expected {
					require.Equal(t, expected, result, "%s of %d and %d, %v", name, x[i], y[i], level)
				}
			}
		})
	}
}
