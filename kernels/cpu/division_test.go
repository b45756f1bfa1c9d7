package cpu

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
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

// someBeside are elements at which quotients by value may go wrong: the ends, and those beside multiples.
func someBeside[T dtype.Integer](value T, r *rand.Rand) (x []T) {
	least := T(1) << (8*unsafe.Sizeof(value) - 1) // of signed elements
	for _, end := range []T{0, least, ^least, ^T(0), value} {
		x = append(x, end-2, end-1, end, end+1, end+2)
	}
	for range 32 {
		some := T(r.Uint64() >> r.IntN(64))
		multiple := some - some%value
		x = append(x, some, -some, multiple-1, multiple, multiple+1, ^multiple)
	}
	return x
}

// TestQuotientsByOneNumberAreThoseByMany compares with plain Go, which divides one by one: all elements of 8 bits by all numbers, those of 16 bits by
// many.
func TestQuotientsByOneNumberAreThoseByMany(t *testing.T) {
	t.Run("int8", testQuotientsByOne[int8])
	t.Run("uint8", testQuotientsByOne[uint8])
	t.Run("int16", testQuotientsByOne[int16])
	t.Run("uint16", testQuotientsByOne[uint16])
	t.Run("int32", testQuotientsByOne[int32])
	t.Run("uint32", testQuotientsByOne[uint32])
	t.Run("int64", testQuotientsByOne[int64])
	t.Run("uint64", testQuotientsByOne[uint64])
}

func testQuotientsByOne[T dtype.Integer](t *testing.T) {
	r := randomAt(11)
	width := 8 * int(unsafe.Sizeof(T(0)))
	var values, all []T
	if width == 8 {
		for v := range 1 << width {
			values = append(values, T(v))
		}
	}
	if width <= 16 {
		for v := range 1 << width {
			all = append(all, T(v))
		}
	}
	for power := range width {
		values = append(values, T(1)<<power-1, T(1)<<power, T(1)<<power+1, -(T(1) << power), ^(T(1) << power))
	}
	for range 100 {
		values = append(values, T(r.Uint64()>>r.IntN(width)))
	}
	for _, operator := range []string{"floor_divide", "remainder"} {
		i := inners[operator+"/"+dtype.Of[T]().String()]
		for _, value := range values {
			x := all
			if x == nil {
				x = someBeside(max(value, 1), r)
			}
			want, got := make([]T, len(x)), make([]T, len(x))
			i.plain(len(x), pointers{unsafe.Pointer(&want[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&slices.Repeat([]T{value}, len(x))[0])})
			features.Each(func(level features.Level) {
				for _, count := range []int{1, 67, len(x)} { // by plain Go, with a rest, and all
					clear(got)
					i.runner().run(count, pointers{unsafe.Pointer(&got[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&value)}, formSecond)
					for at := range got[:count] {
						if got[at] != want[at] {
							require.Equal(t, want[at], got[at], "%s of %d and %d, %v", operator, x[at], value, level)
						}
					}
				}
			})
		}
	}
}

func TestColumnsOfDivisorsDivideRowByRow(t *testing.T) {
	x, y, want, got := make([]int32, 5*100), []int32{7, -7, 0, 1, math.MinInt32}, make([]int32, 500), make([]int32, 500)
	for i := range x {
		x[i] = int32(i*7919 - 1_000_000)
		want[i] = 0
		if quotient, _ := floored(int64(x[i]), int64(y[i/100])); y[i/100] != 0 {
			want[i] = int32(quotient)
		}
	}
	features.Each(func(level features.Level) {
		inners["floor_divide/int32"].runner().runRows(5, 100, pointers{unsafe.Pointer(&got[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])}, [maxOperands]int{400, 400, 4}, formSecond)
		require.Equal(t, want, got, level)
	})
}
