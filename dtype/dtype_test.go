package dtype

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseInvertsString(t *testing.T) {
	for _, d := range All() {
		parsed, err := Parse(d.String())
		require.NoError(t, err)
		require.Equal(t, d, parsed)
	}
	_, err := Parse("float31")
	require.ErrorContains(t, err, "float32")
}

func TestPromoteFollowsNumPy(t *testing.T) {
	cases := []struct{ a, b, want DType }{
		{Bool, Bool, Bool}, {Bool, Int8, Int8}, {Bool, Float16, Float16}, {Int8, Uint8, Int16}, {Int16, Uint8, Int16},
		{Uint16, Int8, Int32}, {Uint32, Int32, Int64}, {Uint64, Int64, Float64}, {Int64, Float32, Float64},
		{Int32, Float32, Float64}, {Int16, Float32, Float32}, {Int8, Float16, Float16}, {Int16, Float16, Float32},
		{Float16, BFloat16, Float32}, {Float16, Float32, Float32}, {Float32, Float64, Float64},
		{Float32, Complex64, Complex64}, {Float64, Complex64, Complex128}, {Int64, Complex64, Complex128},
		{Int16, Complex64, Complex64}, {Complex64, Complex128, Complex128}, {Uint8, Uint32, Uint32},
		{Int8, BFloat16, Float32},
	}
	for _, c := range cases {
		require.Equal(t, c.want, Promote(c.a, c.b), "%v with %v", c.a, c.b)
	}
}

// TestPromoteFollowsTheArrayAPIStandard has the tables of its section "Type promotion rules", version 2024.12: rows and columns
// are in the order of the element types.
func TestPromoteFollowsTheArrayAPIStandard(t *testing.T) {
	for _, table := range []struct{ types, results []DType }{
		{[]DType{Int8, Int16, Int32, Int64}, []DType{
			Int8, Int16, Int32, Int64,
			Int16, Int16, Int32, Int64,
			Int32, Int32, Int32, Int64,
			Int64, Int64, Int64, Int64,
		}},
		{[]DType{Uint8, Uint16, Uint32, Uint64}, []DType{
			Uint8, Uint16, Uint32, Uint64,
			Uint16, Uint16, Uint32, Uint64,
			Uint32, Uint32, Uint32, Uint64,
			Uint64, Uint64, Uint64, Uint64,
		}},
		{[]DType{Float32, Float64, Complex64, Complex128}, []DType{
			Float32, Float64, Complex64, Complex128,
			Float64, Float64, Complex128, Complex128,
			Complex64, Complex128, Complex64, Complex128,
			Complex128, Complex128, Complex128, Complex128,
		}},
	} {
		for i, a := range table.types {
			for j, b := range table.types {
				require.Equal(t, table.results[len(table.types)*i+j], Promote(a, b), "%v with %v", a, b)
			}
		}
	}
	for i, unsigned := range []DType{Uint8, Uint16, Uint32} {
		for j, signed := range []DType{Int8, Int16, Int32, Int64} {
			require.Equal(t, []DType{
				Int16, Int16, Int32, Int64,
				Int32, Int32, Int32, Int64,
				Int64, Int64, Int64, Int64,
			}[4*i+j], Promote(unsigned, signed), "%v with %v", unsigned, signed)
		}
	}
}

// TestPromoteHoldsTheValuesOfBoth asks for the precision and the range, but for integers of 64 bits, which no float holds.
func TestPromoteHoldsTheValuesOfBoth(t *testing.T) {
	precision := map[DType]int{Float16: 11, BFloat16: 8, Float32: 24, Float64: 53}
	for _, a := range All() {
		for _, b := range All() {
			common := Promote(a, b)
			require.GreaterOrEqual(t, common.Kind(), max(a.Kind(), b.Kind()))
			for _, d := range []DType{a, b} {
				switch {
				case d.IsInteger() && common.IsInteger():
					require.GreaterOrEqual(t, common.Size(), d.Size(), "%v with %v", a, b)
				case d.IsInteger() && common.IsFloat() && d.Size() < 8:
					require.GreaterOrEqual(t, precision[common], 8*d.Size()-int(d.Kind()-KindUnsigned), "%v with %v", a, b)
				case d.IsFloat() && common.IsFloat():
					require.GreaterOrEqual(t, precision[common], precision[d], "%v with %v", a, b)
				}
			}
		}
	}
}

func TestPromoteIsCommutativeAndKeepsEqualTypes(t *testing.T) {
	for _, a := range All() {
		require.Equal(t, a, Promote(a, a))
		for _, b := range All() {
			require.Equal(t, Promote(a, b), Promote(b, a), "%v with %v", a, b)
		}
	}
}

// TestF16RoundsToNearest compares the rounding with a search over all finite binary16 numbers.
func TestF16RoundsToNearest(t *testing.T) {
	for h := 0; h < 0x7c00; h++ {
		value := F16(h).Float32()
		require.Equal(t, F16(h), ToF16(value))
		require.Equal(t, F16(h|0x8000), ToF16(-value))
		next := F16(h + 1).Float32()
		if h+1 == 0x7c00 {
			next = 65536
		}
		middle := (value + next) / 2
		even := F16(h + h&1)
		require.Equal(t, even, ToF16(middle), "halfway above %#x", h)
		require.Equal(t, F16(h), ToF16(math.Nextafter32(middle, 0)))
		require.Equal(t, F16(h+1), ToF16(math.Nextafter32(middle, math.MaxFloat32)))
	}
	require.True(t, math.IsNaN(float64(ToF16(float32(math.NaN())).Float32())))
	require.Equal(t, float32(math.Inf(1)), ToF16(float32(math.Inf(1))).Float32())
}

func TestBF16RoundsToNearestEven(t *testing.T) {
	for b := 0; b < 0x7f80; b++ {
		value := BF16(b).Float32()
		require.Equal(t, BF16(b), ToBF16(value))
		middle := math.Float32frombits(uint32(b)<<16 | 0x8000)
		require.Equal(t, BF16(b+b&1), ToBF16(middle))
	}
	require.True(t, math.IsNaN(float64(ToBF16(float32(math.NaN())).Float32())))
}
