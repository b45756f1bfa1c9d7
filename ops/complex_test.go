package ops

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// complexVector returns a vector of complex numbers.
func complexVector(env *Env, d dtype.DType, numbers ...complex128) *Tensor {
	re, im := []float64{}, []float64{}
	for _, z := range numbers {
		re, im = append(re, real(z)), append(im, imag(z))
	}
	return array{dtype: d, shape: []int{len(numbers)}, values: re}.tensor(env, im...)
}

func TestCastsOfComplexNumbers(t *testing.T) {
	env := newEnv(t, "perdevice")
	values := []float64{0, 1, 3, 2, 1, 0}
	for _, d := range complexes {
		for _, from := range all {
			x := made(from, []int{2, 3}, func(index []int) float64 { return rounded(from, values[3*index[0]+index[1]]) })
			for how := range layouts {
				got := Invoke(Cast, CastParams{d}, x.placed(env, how))[0]
				require.Equal(t, d, got.DType())
				want := []complex128{}
				for _, v := range x.values {
					want = append(want, complex(v, 0))
				}
				require.Equal(t, want, complexValues(t, got), "%v %v", from, how)
			}
		}
		z := complexVector(env, d, 0, 2, 1i, complex(math.Copysign(0, -1), 0), complex(0, math.NaN()))
		require.Equal(t, []float64{0, 1, 1, 0, 1}, valuesOf(t, Invoke(Cast, CastParams{dtype.Bool}, z)[0]))
		for _, to := range complexes {
			large := complexVector(env, d, 1e30+2i, -0.5i)
			got := complexValues(t, Invoke(Cast, CastParams{to}, large)[0])
			require.Equal(t, complexValues(t, complexVector(env, to, complexValues(t, large)...)), got)
		}
		for _, to := range all[1:] {
			e := mistake(t, func() { Invoke(Cast, CastParams{to}, z) })
			require.ErrorIs(t, e, fault.ErrDType)
			require.ErrorContains(t, e, d.String()+" to "+to.String())
			require.ErrorContains(t, e, "complex_test.go")
		}
	}
	require.Equal(t, complex(math.Inf(1), 1), complexValues(t, Invoke(Cast, CastParams{dtype.Complex64}, complexVector(env, dtype.Complex128, 1e300+1i))[0])[0])
}

func TestPartsAreViews(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, d := range complexes {
		for how := range layouts {
			re := array{dtype: d, shape: []int{2, 3}, values: []float64{1, 2, 3, 4, 5, 6}}
			x := re.placed(env, how, 10, 20, 30, 40, 50, 60)
			realPart, imaginaryPart := Invoke(RealPart, nil, x)[0], Invoke(ImaginaryPart, nil, x)[0]
			require.Same(t, x.view.Synced, realPart.view.Synced)
			require.Same(t, x.view.Synced, imaginaryPart.view.Synced)
			require.Equal(t, d.RealPart(), realPart.DType())
			require.Equal(t, []float64{10, 20, 30, 40, 50, 60}, valuesOf(t, imaginaryPart))
			InvokeInto(Neg, nil, []*Tensor{realPart}, imaginaryPart)
			require.Equal(t, []complex128{-10 + 10i, -20 + 20i, -30 + 30i, -40 + 40i, -50 + 50i, -60 + 60i}, complexValues(t, x))
			InvokeInto(Abs, nil, []*Tensor{realPart}, x)
			require.InDelta(t, 60*math.Sqrt2, valuesOf(t, realPart)[5], 1e-5)
		}
	}
	x := made(dtype.Int32, []int{3}, func(index []int) float64 { return float64(index[0]) }).tensor(env)
	require.Same(t, x.view.Synced, Invoke(RealPart, nil, x)[0].view.Synced)
	require.ErrorIs(t, mistake(t, func() { Invoke(ImaginaryPart, nil, x) }), fault.ErrDType)
}

// TestResultsMayOverlapPartsOfTheirOperand writes magnitudes to the real parts of numbers that are read later.
func TestResultsMayOverlapPartsOfTheirOperand(t *testing.T) {
	env := newEnv(t, "perdevice")
	const n = 3000
	numbers := []complex128{}
	for i := range 2 * n {
		numbers = append(numbers, complex(0, float64(i)))
	}
	x := complexVector(env, dtype.Complex128, numbers...)
	even, first := x.view, x.view
	even.Shape, even.Strides, first.Shape = []int{n}, []int{2}, []int{n}
	target := Invoke(RealPart, nil, NewTensor(first, env))[0]
	InvokeInto(Abs, nil, []*Tensor{target}, NewTensor(even, env))
	for i, v := range valuesOf(t, target) {
		require.Equal(t, float64(2*i), v)
	}
}

func TestComplexNumbersMeetOthersInACommonType(t *testing.T) {
	env := newEnv(t, "perdevice")
	of := func(d dtype.DType) *Tensor { return made(d, []int{2}, func([]int) float64 { return 1 }).tensor(env) }
	single, double := of(dtype.Complex64), of(dtype.Complex128)
	weak := map[dtype.DType]func() *Tensor{
		dtype.Complex64:  func() *Tensor { return Weak(env, complex64(1)) },
		dtype.Complex128: func() *Tensor { return Weak(env, complex128(1)) },
		dtype.Float64:    func() *Tensor { return Weak(env, 1.0) },
	}
	for _, c := range []struct {
		got  *Tensor
		want dtype.DType
	}{
		{Invoke(Add, nil, of(dtype.Float32), single)[0], dtype.Complex64}, {Invoke(Mul, nil, of(dtype.Float64), single)[0], dtype.Complex128},
		{Invoke(Pow, nil, of(dtype.Int64), single)[0], dtype.Complex128}, {Invoke(Div, nil, single, double)[0], dtype.Complex128},
		{Invoke(Sub, nil, of(dtype.Bool), of(dtype.Complex64))[0], dtype.Complex64}, {Invoke(MatMul, nil, of(dtype.Float32), single)[0], dtype.Complex64},
		{Invoke(Add, nil, of(dtype.Float16), single)[0], dtype.Complex64}, {Invoke(Add, nil, of(dtype.Int16), single)[0], dtype.Complex64},
		{Invoke(Where, nil, single, single, of(dtype.Float64))[0], dtype.Complex128}, {Invoke(Concat, ConcatParams{}, single, of(dtype.Float32))[0], dtype.Complex64},
		{Invoke(Add, nil, of(dtype.Float32), weak[dtype.Complex128]())[0], dtype.Complex64}, {Invoke(Add, nil, of(dtype.Float16), weak[dtype.Complex128]())[0], dtype.Complex64},
		{Invoke(Add, nil, of(dtype.Float64), weak[dtype.Complex64]())[0], dtype.Complex128}, {Invoke(Add, nil, of(dtype.Int32), weak[dtype.Complex128]())[0], dtype.Complex128},
		{Invoke(Add, nil, single, weak[dtype.Float64]())[0], dtype.Complex64}, {Invoke(Add, nil, single, weak[dtype.Complex128]())[0], dtype.Complex64},
		{Invoke(Abs, nil, single)[0], dtype.Float32}, {Invoke(Angle, nil, double)[0], dtype.Float64}, {Invoke(Norm, NormParams{Order: 2}, single)[0], dtype.Float32},
		{Invoke(Sum, ReduceParams{}, single)[0], dtype.Complex64}, {Invoke(Mean, ReduceParams{}, double)[0], dtype.Complex128},
		{Invoke(Complex, nil, of(dtype.Float32), of(dtype.Float32))[0], dtype.Complex64}, {Invoke(Complex, nil, of(dtype.Float32), of(dtype.Float64))[0], dtype.Complex128},
		{Invoke(Complex, nil, of(dtype.Int64), of(dtype.Bool))[0], dtype.Complex128}, {Invoke(Complex, nil, of(dtype.BFloat16), of(dtype.Float16))[0], dtype.Complex64},
		{Invoke(LogicalAnd, nil, single, double)[0], dtype.Bool}, {Invoke(Equal, nil, single, of(dtype.Int8))[0], dtype.Bool},
	} {
		require.Equal(t, c.want, c.got.DType())
		mustBytes(t, c.got)
	}
}

// TestNothingThatNeedsAnOrderTakesComplexNumbers has the operators that the array API standard leaves to real numbers.
func TestNothingThatNeedsAnOrderTakesComplexNumbers(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, d := range complexes {
		x := complexVector(env, d, 1, 2i)
		for name, params := range map[string]any{
			"max": ReduceParams{}, "min": ReduceParams{}, "argmax": ReduceParams{}, "argmin": ReduceParams{}, "cummax": ScanParams{}, "cummin": ScanParams{},
			"var": SpreadParams{}, "std": SpreadParams{}, "floor": nil, "ceil": nil, "trunc": nil, "round": nil, "unique": nil, "unique_counts": nil,
		} {
			op, found := Lookup(name)
			require.True(t, found)
			require.ErrorIs(t, mistake(t, func() { Invoke(op, params, x) }), fault.ErrDType, name)
		}
		for _, op := range []*Operator{Less, LessEqual, Greater, GreaterEqual, Maximum, Minimum, FloorDivide, Remainder, Complex} {
			require.ErrorIs(t, mistake(t, func() { Invoke(op, nil, x, x) }), fault.ErrDType, op.Name)
		}
	}
}

func TestRealOperandsBesideComplexOnesHaveRealGradients(t *testing.T) {
	env := newEnv(t, "perdevice")
	z := complexVector(env, dtype.Complex128, 1+3i, 2i)
	for name, step := range map[string]struct {
		call func(x *Tensor) *Tensor
		want []float64
	}{
		"add":     {func(x *Tensor) *Tensor { return InvokeOne(Add, nil, x, z) }, []float64{1, 1}},
		"mul":     {func(x *Tensor) *Tensor { return InvokeOne(Mul, nil, z, x) }, []float64{4, 2}},
		"matmul":  {func(x *Tensor) *Tensor { return InvokeOne(MatMul, nil, z, x) }, []float64{4, 2}},
		"cast":    {func(x *Tensor) *Tensor { return InvokeOne(Cast, CastParams{dtype.Complex64}, x) }, []float64{1, 1}},
		"complex": {func(x *Tensor) *Tensor { return InvokeOne(Complex, nil, x, x) }, []float64{2, 2}},
	} {
		recorder := &tape{}
		x := recorder.watch(made(dtype.Float64, []int{2}, func([]int) float64 { return 5 }).tensor(env))
		y := step.call(x)
		up := array{dtype: y.DType(), shape: y.Shape(), values: slices.Repeat([]float64{1}, y.View().Count())}
		g := recorder.gradient(env, []*Tensor{y}, []*Tensor{up.tensor(env, up.values...)}, []*Tensor{x})[0]
		require.Equal(t, dtype.Float64, g.DType(), name)
		require.Equal(t, step.want, valuesOf(t, g), name)
	}
}

// TestProductsOfComplexMatricesDoNotDependOnTheirLayout gives transposed, reversed and repeated matrices of sizes around those of tiles.
func TestProductsOfComplexMatricesDoNotDependOnTheirLayout(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, size := range [][3]int{{1, 5, 1}, {1, 40, 7}, {33, 1, 17}, {17, 300, 1}, {65, 33, 130}, {2, 0, 3}} {
		for _, d := range complexes {
			c := newCase(MatMul, Sample{Shapes: [][]int{{size[0], size[1]}, {size[1], size[2]}}}, d)
			want, imaginary := complexMatmul(c.in, c.imag, nil)
			first := Invoke(MatMul, nil, c.place(env, rowMajor)...)[0]
			requireComplexClose(t, want, imaginary, []*Tensor{first}, 8*float64(size[1]+1))
			for how := range layouts {
				require.Equal(t, mustBytes(t, first), mustBytes(t, Invoke(MatMul, nil, c.place(env, how)...)[0]), fmt.Sprint(size, d, how))
			}
			turned := slices.Clone(c.place(env, rowMajor))
			for i, x := range turned {
				turned[i] = Invoke(Transpose, TransposeParams{}, Invoke(Copy, nil, Invoke(Transpose, TransposeParams{}, x)[0])[0])[0]
			}
			require.Equal(t, mustBytes(t, first), mustBytes(t, Invoke(MatMul, nil, turned...)[0]), fmt.Sprint(size, d, "columns"))
		}
	}
}
