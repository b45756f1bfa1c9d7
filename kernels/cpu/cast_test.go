package cpu

import (
	"bytes"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/internal/levelstest"
)

// value is an element of any type, as what it stands for.
type value struct {
	integer int64
	large   uint64 // instead of integer, if that is not enough
	float   float64
	isFloat bool
}

// exact returns what v, finite, stands for.
func (v value) exact() *big.Rat {
	switch {
	case v.isFloat:
		return new(big.Rat).SetFloat64(v.float)
	case v.large > 0:
		return new(big.Rat).SetUint64(v.large)
	}
	return new(big.Rat).SetInt64(v.integer)
}

func read(d dtype.DType, v device.View, index []int) value {
	p := address(v, index)
	switch d {
	case dtype.Bool:
		if *(*bool)(p) {
			return value{integer: 1}
		}
		return value{}
	case dtype.Int8:
		return value{integer: int64(*(*int8)(p))}
	case dtype.Int16:
		return value{integer: int64(*(*int16)(p))}
	case dtype.Int32:
		return value{integer: int64(*(*int32)(p))}
	case dtype.Int64:
		return value{integer: *(*int64)(p)}
	case dtype.Uint8:
		return value{integer: int64(*(*uint8)(p))}
	case dtype.Uint16:
		return value{integer: int64(*(*uint16)(p))}
	case dtype.Uint32:
		return value{integer: int64(*(*uint32)(p))}
	case dtype.Uint64:
		return unsigned(*(*uint64)(p))
	case dtype.Float32:
		return value{float: float64(*(*float32)(p)), isFloat: true}
	case dtype.Float64:
		return value{float: *(*float64)(p), isFloat: true}
	case dtype.Float16:
		return value{float: float64((*(*dtype.F16)(p)).Float32()), isFloat: true}
	default:
		return value{float: float64((*(*dtype.BF16)(p)).Float32()), isFloat: true}
	}
}

func unsigned(v uint64) value {
	if v > math.MaxInt64 {
		return value{large: v}
	}
	return value{integer: int64(v)}
}

// roundTo rounds exactly to a binary format: bits of precision, smallest and largest exponent of a normal number.
func roundTo(v value, precision, least, largest int) float64 {
	if v.isFloat && (v.float == 0 || math.IsInf(v.float, 0) || v.float != v.float) {
		return v.float
	}
	exact := v.exact()
	if exact.Sign() == 0 {
		return 0
	}
	f := new(big.Float).SetPrec(200).SetRat(exact)
	exponent := max(f.MantExp(nil)-1, least)
	unit := new(big.Float).SetMantExp(big.NewFloat(1), exponent-precision+1)
	steps := new(big.Float).SetPrec(200).Quo(f, unit)
	whole, _ := steps.Int(nil)
	rest := new(big.Float).SetPrec(200).Sub(steps, new(big.Float).SetPrec(200).SetInt(whole))
	half := big.NewFloat(0.5)
	if c := new(big.Float).Abs(rest).Cmp(half); c > 0 || c == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(int64(steps.Sign())))
	}
	result, _ := new(big.Float).SetPrec(200).Mul(new(big.Float).SetPrec(200).SetInt(whole), unit).Float64()
	if math.Abs(result) >= math.Ldexp(1, largest+1) {
		return math.Inf(int(math.Copysign(1, result)))
	}
	return result
}

// expectedCast follows the rule that cast.go states, on exact numbers.
func expectedCast(v value, to dtype.DType) value {
	switch to {
	case dtype.Bool:
		if v.integer != 0 || v.large != 0 || v.isFloat && v.float != 0 {
			return value{integer: 1}
		}
		return value{}
	case dtype.Float64:
		return value{float: roundTo(v, 53, -1022, 1023), isFloat: true}
	case dtype.Float32:
		return value{float: roundTo(v, 24, -126, 127), isFloat: true}
	case dtype.Float16:
		return value{float: roundTo(v, 11, -14, 15), isFloat: true}
	case dtype.BFloat16:
		return value{float: roundTo(v, 8, -126, 127), isFloat: true}
	}
	if v.isFloat && v.float != v.float {
		return value{}
	}
	bits := uint(8 * to.Size())
	whole := new(big.Int)
	if v.isFloat && math.IsInf(v.float, 0) {
		whole.Lsh(big.NewInt(int64(math.Copysign(1, v.float))), 200)
	} else {
		exact := v.exact()
		whole.Quo(exact.Num(), exact.Denom()) // toward zero
	}
	limit := new(big.Int).Lsh(big.NewInt(1), bits)
	low, high := new(big.Int), new(big.Int).Sub(limit, big.NewInt(1))
	if to.Kind() == dtype.KindSigned {
		high.Rsh(high, 1)
		low.Not(high)
	}
	switch {
	case !v.isFloat:
		if whole.Mod(whole, limit); whole.Cmp(high) > 0 {
			whole.Sub(whole, limit)
		}
	case whole.Cmp(low) < 0:
		whole = low
	case whole.Cmp(high) > 0:
		whole = high
	}
	if whole.IsUint64() {
		return unsigned(whole.Uint64())
	}
	return value{integer: whole.Int64()}
}

var castSources = map[dtype.DType]device.View{}

func init() {
	r := random()
	floats := []float64{0, math.Copysign(0, -1), 0.5, -0.5, 0.999, -0.999, 1, 1.5, 254.9, 255, 255.5, 256, -1, 2147483647, 2147483648,
		-2147483648, -2147483649, 9223372036854775807, -9223372036854775808, 1e30, -1e30, math.Inf(1), math.Inf(-1), math.NaN(),
		65504, 65519.999, 65520, 3.4e38, 3.39e38, 3.5e38, 1e300, 6e-8, 2.9802322387695312e-8, 2.98023223876953125e-8 * 1.0000001,
		9.2e-41, 1e-45, 5e-324, 1 + 1.0/2048 + 1.0/(1<<40), 1 + 1.0/256 + 1.0/(1<<40), 1 + 1.0/256, 1 + 3.0/256 - 1.0/(1<<40)}
	integers := []int64{0, 1, -1, 255, 256, 257, 511, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 65519, 65520, 2049, 2051,
		1<<62 + 1<<54, 1<<62 + 1<<54 + 1, -(1<<62 + 1<<54 + 1), -(1<<62 + 1<<54), 1<<62 + 1<<54 - 1, 1<<24 + 1, 1<<53 + 1, 1<<62 + 3<<54}
	for range 600 {
		floats = append(floats, math.Float64frombits(r.Uint64()), math.Ldexp(r.NormFloat64(), r.IntN(60)-30))
		integers = append(integers, int64(r.Uint64())>>r.IntN(64))
	}
	fill(floats, func(f float64) float64 { return f })
	fill(floats, func(f float64) float32 { return float32(f) })
	fill(floats, func(f float64) dtype.F16 { return dtype.ToF16(float32(f)) })
	fill(floats, func(f float64) dtype.BF16 { return dtype.ToBF16(float32(f)) })
	fill(integers, func(i int64) int64 { return i })
	fill(integers, func(i int64) int32 { return int32(i) })
	fill(integers, func(i int64) int16 { return int16(i) })
	fill(integers, func(i int64) int8 { return int8(i) })
	fill(integers, func(i int64) uint64 { return uint64(i) })
	fill(integers, func(i int64) uint32 { return uint32(i) })
	fill(integers, func(i int64) uint16 { return uint16(i) })
	fill(integers, func(i int64) uint8 { return uint8(i) })
	fill(integers, func(i int64) bool { return i&1 == 1 })
}

func fill[T dtype.Element, S any](sources []S, convert func(S) T) {
	values := make([]T, len(sources))
	for i, s := range sources {
		values[i] = convert(s)
	}
	castSources[dtype.Of[T]()] = fromSlice(values, len(values))
}

func TestCastFollowsItsRuleBetweenAllTypes(t *testing.T) {
	for from, x := range castSources {
		for to := range castSources {
			for _, how := range outputLayouts {
				dst := newView(random(), to, x.Shape, how)
				kernel := device.KernelName("cast", from, to)
				run(t, kernel, &device.Arguments{Outputs: views(dst), Inputs: views(x)})
				each(x.Shape, func(_ int, index []int) {
					source := read(from, x, index)
					want, got := expectedCast(source, to), read(to, dst, index)
					if want != got && (want.float == want.float || got.float == got.float) {
						require.Equal(t, want, got, "%s of %v", kernel, source)
					}
				})
			}
		}
	}
}

// TestCastsOfExtremeNumbersHaveEqualBitsAtAllLevels has numbers about the ends of the ranges of integers and floats, and about the middle between two halves.
func TestCastsOfExtremeNumbersHaveEqualBitsAtAllLevels(t *testing.T) {
	const count = 1 << 15
	r := random()
	special := levelstest.SpecialNumbers()
	floats, words := make([]float64, count), make([]uint64, count)
	for i := range floats {
		switch i % 5 {
		case 0:
			floats[i] = math.Float64frombits(r.Uint64())
		case 1: // about a multiple of half of the last digit of bfloat16
			floats[i] = math.Ldexp(float64(r.IntN(1<<10)), r.IntN(300)-150)
		case 2: // also where its numbers are subnormal
			floats[i] = math.Ldexp(float64(r.IntN(1<<10)), -134-r.IntN(3))
		case 3:
			floats[i] = math.Ldexp(1, 30+r.IntN(36))
		default:
			floats[i] = special[r.IntN(len(special))]
		}
		for range r.IntN(3) {
			floats[i] = math.Nextafter(floats[i], math.Inf(2*r.IntN(2)-1))
		}
		floats[i] = math.Copysign(floats[i], r.Float64()-0.5)
		if words[i] = r.Uint64() >> r.IntN(64); i%2 == 0 {
			words[i] = 1<<r.IntN(64) + uint64(r.IntN(5)) - 2
		}
	}
	singles := make([]float32, count)
	for i, v := range floats {
		singles[i] = float32(v)
	}
	for _, x := range []any{floats, singles, words} {
		var sources []device.View
		switch x := x.(type) {
		case []float64:
			sources = views(fromSlice(x, count))
		case []float32:
			sources = views(fromSlice(x, count))
		case []uint64:
			for _, d := range []dtype.DType{dtype.Int64, dtype.Uint64, dtype.Int32, dtype.Uint32} {
				v := fromSlice(x, count)
				v.DType = d
				sources = append(sources, v)
			}
		}
		for _, source := range sources {
			for _, d := range dtype.All() {
				if d.Kind() == dtype.KindComplex {
					continue
				}
				var want []byte
				features.Each(func(level features.Level) {
					to := newView(r, d, []int{count}, rowMajor)
					run(t, "cast/"+source.DType.String()+"/"+d.String(), &device.Arguments{Outputs: views(to), Inputs: views(source)})
					got := quiet(d, slice[byte](to.Pointer.Host, count*d.Size()))
					if want == nil {
						want = bytes.Clone(got)
					}
					require.True(t, bytes.Equal(want, got), "%v to %v at %v", source.DType, d, level)
				})
			}
		}
	}
}
