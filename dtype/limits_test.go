package dtype

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFloatLimitsAreThoseOfTheNumbers rounds numbers beside each limit.
func TestFloatLimitsAreThoseOfTheNumbers(t *testing.T) {
	for d, round := range map[DType]func(float64) float64{
		Float16: func(v float64) float64 { return float64(ToF16(float32(v)).Float32()) }, BFloat16: func(v float64) float64 { return float64(ToBF16(float32(v)).Float32()) },
		Float32: func(v float64) float64 { return float64(float32(v)) }, Float64: func(v float64) float64 { return v },
	} {
		limits, found := d.FloatLimits()
		require.True(t, found)
		require.Equal(t, 8*d.Size(), limits.Bits)
		require.Equal(t, 1+limits.Epsilon, round(1+limits.Epsilon), "%v", d)
		require.Equal(t, 1.0, round(1+limits.Epsilon/2), "%v", d)
		require.Equal(t, limits.Max, round(limits.Max), "%v", d)
		require.Equal(t, math.Inf(1), round(limits.Max+limits.Max*(limits.Epsilon/2)), "%v", d)
		above := limits.SmallestNormal * (1 + limits.Epsilon)
		require.Equal(t, above, round(above), "%v", d)
		require.Equal(t, limits.SmallestNormal/2, round(above/2), "%v", d) // which has one bit less
	}
	for complex, part := range map[DType]DType{Complex64: Float32, Complex128: Float64} {
		ofComplex, _ := complex.FloatLimits()
		ofPart, _ := part.FloatLimits()
		require.Equal(t, ofPart, ofComplex)
	}
	_, found := Int32.FloatLimits()
	require.False(t, found)
}

func TestIntegerLimitsAreThoseOfGo(t *testing.T) {
	for d, want := range map[DType]IntegerLimits{
		Int8: {8, math.MinInt8, math.MaxInt8}, Int16: {16, math.MinInt16, math.MaxInt16}, Int32: {32, math.MinInt32, math.MaxInt32}, Int64: {64, math.MinInt64, math.MaxInt64},
		Uint8: {8, 0, math.MaxUint8}, Uint16: {16, 0, math.MaxUint16}, Uint32: {32, 0, math.MaxUint32}, Uint64: {64, 0, math.MaxUint64},
	} {
		got, found := d.IntegerLimits()
		require.True(t, found)
		require.Equal(t, want, got, "%v", d)
	}
	for _, d := range []DType{Invalid, Bool, Float32, Complex128} {
		_, found := d.IntegerLimits()
		require.False(t, found)
	}
}

func TestCanCastFollowsPromotion(t *testing.T) {
	for _, c := range []struct {
		from, to DType
		want     bool
	}{
		{Int8, Int16, true}, {Int16, Int8, false}, {Uint8, Int16, true}, {Uint8, Int8, false}, {Float32, Float64, true}, {Float64, Float32, false},
		{Float32, Complex64, true}, {Complex64, Float64, false}, {Bool, Int8, true}, {Int8, Bool, false}, {Int32, Int32, true}, {Invalid, Int8, false}, {Int8, DType(Count), false},
	} {
		require.Equal(t, c.want, CanCast(c.from, c.to), "%v to %v", c.from, c.to)
	}
}
