package ndarray_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// exact is the number v; nil stands for NaN.
func exact(v any) *big.Float {
	switch x := v.(type) {
	case int64:
		return new(big.Float).SetInt64(x)
	case uint64:
		return new(big.Float).SetUint64(x)
	case float64:
		if math.IsNaN(x) {
			return nil
		}
		return new(big.Float).SetFloat64(x)
	}
	panic(fmt.Sprintf("%T", v))
}

var comparisons = []struct {
	name   string
	of     func(a, b *nd.Array) *nd.Array
	scalar func(a *nd.Array, v float64) *nd.Array
	holds  func(order int) bool
}{
	{"greater", (*nd.Array).Greater, (*nd.Array).GreaterScalar, func(order int) bool { return order > 0 }},
	{"greater equal", (*nd.Array).GreaterEqual, (*nd.Array).GreaterEqualScalar, func(order int) bool { return order >= 0 }},
	{"less", (*nd.Array).Less, (*nd.Array).LessScalar, func(order int) bool { return order < 0 }},
	{"less equal", (*nd.Array).LessEqual, (*nd.Array).LessEqualScalar, func(order int) bool { return order <= 0 }},
	{"equal", (*nd.Array).Equal, (*nd.Array).EqualScalar, func(order int) bool { return order == 0 }},
	{"not equal", (*nd.Array).NotEqual, (*nd.Array).NotEqualScalar, func(order int) bool { return order != 0 }},
}

// compared is what a comparison tells of two exact numbers.
func compared(name string, holds func(order int) bool, a, b *big.Float) bool {
	if a == nil || b == nil {
		return name == "not equal"
	}
	return holds(a.Cmp(b))
}

// integerArrays returns arrays of the extremes of each integer dtype, with their elements.
func integerArrays() (arrays []*nd.Array, elements [][]*big.Float) {
	signed := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 53, -1<<53 - 1, math.MinInt32, math.MinInt16, -129, -128, -2, -1, 0, 1, 2, 127, 128, 255, 256,
		math.MaxInt16, math.MaxInt32, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64}
	unsigned := []uint64{1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64}
	for _, d := range dtype.All() {
		if !d.IsInteger() {
			continue
		}
		var s []int64
		var u []uint64
		var all []*big.Float
		for _, v := range signed {
			if bits := 8 * d.Size(); d.Kind() == dtype.KindSigned && v>>(bits-1) == v>>63 || d.Kind() == dtype.KindUnsigned && v >= 0 && (bits == 64 || v>>bits == 0) {
				s, u, all = append(s, v), append(u, uint64(v)), append(all, exact(v))
			}
		}
		if d == dtype.Uint64 {
			for _, v := range unsigned {
				u, all = append(u, v), append(all, exact(v))
			}
			arrays = append(arrays, nd.FromSlice(u))
		} else {
			arrays = append(arrays, nd.FromSlice(s).Cast(d))
		}
		elements = append(elements, all)
	}
	return arrays, elements
}

func TestIntegersAreComparedExactlyWithNumbersOfAnyType(t *testing.T) {
	arrays, elements := integerArrays()
	numbers := map[any]*nd.Array{}
	for _, v := range []int64{math.MinInt64, -1 << 53, -300, -129, -1, 0, 1, 200, 300, 1 << 40, 1<<53 + 1, math.MaxInt64} {
		numbers[v] = nd.Weak(v)
	}
	for _, v := range []uint64{0, 300, 1 << 63, math.MaxUint64} {
		numbers[v] = nd.Weak(v)
	}
	for _, v := range []float64{-0.5, 0.5, 3, -1, 255.5, 300, 1 << 53, 1 << 63, 1 << 64, -1 << 63, -1 << 64, 1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		numbers[v] = nd.Weak(v)
	}
	for i, a := range arrays {
		for v, weak := range numbers {
			for _, c := range comparisons {
				var forward, backward []bool
				for _, element := range elements[i] {
					forward = append(forward, compared(c.name, c.holds, element, exact(v)))
					backward = append(backward, compared(c.name, c.holds, exact(v), element))
				}
				require.Equal(t, forward, values[bool](t, c.of(a, weak)), "%v %s %T %v", a.DType(), c.name, v, v)
				require.Equal(t, backward, values[bool](t, c.of(weak, a)), "%T %v %s %v", v, v, c.name, a.DType())
				if f, ok := v.(float64); ok {
					require.Equal(t, forward, values[bool](t, c.scalar(a, f)), "%v %s %v", a.DType(), c.name, v)
				}
			}
		}
	}
}

func TestIntegersOfAnyTwoTypesAreComparedExactly(t *testing.T) {
	arrays, elements := integerArrays()
	for i, a := range arrays {
		for j, b := range arrays {
			for _, c := range comparisons {
				var want []bool
				for _, x := range elements[i] {
					for _, y := range elements[j] {
						want = append(want, compared(c.name, c.holds, x, y))
					}
				}
				got := c.of(a.ExpandDims(1), b)
				require.Equal(t, want, values[bool](t, got.Reshape(-1)), "%v %s %v", a.DType(), c.name, b.DType())
			}
		}
	}
	destination := nd.Zeros[bool](2)
	nd.LessInto(destination, nd.FromSlice([]int64{-1, math.MaxInt64}), nd.FromSlice([]uint64{0, math.MaxInt64}))
	require.Equal(t, []bool{true, false}, values[bool](t, destination))
}

func TestFloatsAreComparedWithNumbersBeyondTheirRange(t *testing.T) {
	inf := float32(math.Inf(1))
	x := nd.FromSlice([]float32{-inf, 0.1, math.MaxFloat32, inf})
	require.Equal(t, []bool{false, false, false, true}, values[bool](t, x.GreaterScalar(1e300)))
	require.Equal(t, []bool{false, false, false, true}, values[bool](t, x.Greater(nd.Weak(1e300))))
	require.Equal(t, []bool{false, false, false, false}, values[bool](t, x.Cast(dtype.Float16).Equal(nd.Weak(70000))))
	require.Equal(t, []bool{false, true, false, false}, values[bool](t, x.Equal(nd.Weak(0.1))), "rounded to the dtype of x")
	require.Equal(t, []bool{true, false, false, false}, values[bool](t, x.EqualScalar(math.Inf(-1))))
}

func TestArithmeticRefusesNumbersThatTheDTypeDoesNotHold(t *testing.T) {
	bytes, small := nd.FromSlice([]uint8{1, 2}), nd.FromSlice([]int8{1, 2})
	for name, call := range map[string]func(){
		"-1 is no uint8":                   func() { bytes.Add(nd.Weak(-1)) },
		"300 is no uint8":                  func() { nd.Weak(300).Mul(bytes) },
		"200 is no int8":                   func() { small.Maximum(nd.Weak(uint8(200))) },
		"128 is no int8":                   func() { small.FloorDivide(nd.Weak(128)) },
		"256 is no uint8":                  func() { bytes.BitwiseAnd(nd.Weak(256)) },
		"-2 is no uint8":                   func() { nd.Where(nd.Ones[bool](2), bytes, nd.Weak(-2)) },
		"-3 is no uint8":                   func() { nd.AddInto(bytes, bytes, nd.Weak(-3)) },
		"-4 is no uint8":                   func() { bytes.SetSlice(nd.Weak(-4), 0) },
		"-5 is no uint8":                   func() { bytes.WithSlice(nd.Weak(-5), 0) },
		"-6 is no uint8":                   func() { bytes.PutAlongAxis(nd.FromSlice([]int64{0}), nd.Weak(-6), 0) },
		"1.5 is no uint8":                  func() { bytes.Scatter(nd.FromSlice([]int64{0}), nd.Weak(1.5), 0) },
		"NaN is no int8":                   func() { small.SetSlice(nd.Weak(math.NaN())) },
		"18446744073709551615 is no int64": func() { nd.Zeros[int64](2).Sub(nd.Weak(uint64(math.MaxUint64))) },
	} {
		err := mistake(t, call)
		require.ErrorIs(t, err, fault.ErrParameter, name)
		require.Contains(t, err.Error(), name)
		require.Contains(t, err.Error(), " at "+lineOf(call))
	}
	require.Equal(t, []uint8{0, 1}, values[uint8](t, bytes.Sub(nd.Weak(1))))
	require.Equal(t, []uint8{255, 255}, values[uint8](t, bytes.Maximum(nd.Weak(255))))
	require.Equal(t, []uint8{3, 2}, values[uint8](t, bytes.WithSlice(nd.Weak(3.0), 0)))
	require.Equal(t, []bool{true, true}, values[bool](t, bytes.LogicalAnd(nd.Weak(300))))
	require.Equal(t, []float64{0.5, 1.5}, values[float64](t, bytes.Sub(nd.Weak(0.5))))
}
