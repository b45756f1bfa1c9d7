package ndarray_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// destination is a function, and its form that writes to an array.
type destination struct {
	of   func() *nd.Array
	into func(dst *nd.Array)
}

var unaryInto = map[string]struct {
	of   func(x *nd.Array) *nd.Array
	into func(dst, x *nd.Array)
}{
	"AbsInto": {(*nd.Array).Abs, nd.AbsInto}, "AcosInto": {(*nd.Array).Acos, nd.AcosInto}, "AcoshInto": {(*nd.Array).Acosh, nd.AcoshInto},
	"AngleInto": {(*nd.Array).Angle, nd.AngleInto}, "AsinInto": {(*nd.Array).Asin, nd.AsinInto}, "AsinhInto": {(*nd.Array).Asinh, nd.AsinhInto},
	"AtanInto": {(*nd.Array).Atan, nd.AtanInto}, "AtanhInto": {(*nd.Array).Atanh, nd.AtanhInto}, "BitwiseInvertInto": {(*nd.Array).BitwiseInvert, nd.BitwiseInvertInto},
	"CbrtInto": {(*nd.Array).Cbrt, nd.CbrtInto}, "CeilInto": {(*nd.Array).Ceil, nd.CeilInto}, "ConjInto": {(*nd.Array).Conj, nd.ConjInto},
	"CosInto": {(*nd.Array).Cos, nd.CosInto}, "CoshInto": {(*nd.Array).Cosh, nd.CoshInto}, "ErfInto": {(*nd.Array).Erf, nd.ErfInto},
	"Exp2Into": {(*nd.Array).Exp2, nd.Exp2Into}, "ExpInto": {(*nd.Array).Exp, nd.ExpInto}, "Expm1Into": {(*nd.Array).Expm1, nd.Expm1Into},
	"FloorInto": {(*nd.Array).Floor, nd.FloorInto}, "GeluInto": {(*nd.Array).Gelu, nd.GeluInto}, "IsFiniteInto": {(*nd.Array).IsFinite, nd.IsFiniteInto},
	"IsInfInto": {(*nd.Array).IsInf, nd.IsInfInto}, "IsNaNInto": {(*nd.Array).IsNaN, nd.IsNaNInto}, "Log10Into": {(*nd.Array).Log10, nd.Log10Into},
	"Log1pInto": {(*nd.Array).Log1p, nd.Log1pInto}, "Log2Into": {(*nd.Array).Log2, nd.Log2Into}, "LogInto": {(*nd.Array).Log, nd.LogInto},
	"LogicalNotInto": {(*nd.Array).LogicalNot, nd.LogicalNotInto}, "NegInto": {(*nd.Array).Neg, nd.NegInto}, "PositiveInto": {(*nd.Array).Positive, nd.PositiveInto},
	"ReciprocalInto": {(*nd.Array).Reciprocal, nd.ReciprocalInto}, "ReluInto": {(*nd.Array).Relu, nd.ReluInto}, "RoundInto": {(*nd.Array).Round, nd.RoundInto},
	"RsqrtInto": {(*nd.Array).Rsqrt, nd.RsqrtInto}, "SigmoidInto": {(*nd.Array).Sigmoid, nd.SigmoidInto}, "SignBitInto": {(*nd.Array).SignBit, nd.SignBitInto},
	"SignInto": {(*nd.Array).Sign, nd.SignInto}, "SiluInto": {(*nd.Array).Silu, nd.SiluInto}, "SinInto": {(*nd.Array).Sin, nd.SinInto},
	"SinhInto": {(*nd.Array).Sinh, nd.SinhInto}, "SoftplusInto": {(*nd.Array).Softplus, nd.SoftplusInto}, "SqrtInto": {(*nd.Array).Sqrt, nd.SqrtInto},
	"SquareInto": {(*nd.Array).Square, nd.SquareInto}, "TanInto": {(*nd.Array).Tan, nd.TanInto}, "TanhInto": {(*nd.Array).Tanh, nd.TanhInto},
	"TruncInto": {(*nd.Array).Trunc, nd.TruncInto},
}

var binaryInto = map[string]struct {
	of   func(a, b *nd.Array) *nd.Array
	into func(dst, a, b *nd.Array)
}{
	"AddInto": {(*nd.Array).Add, nd.AddInto}, "Atan2Into": {(*nd.Array).Atan2, nd.Atan2Into},
	"BitwiseAndInto": {(*nd.Array).BitwiseAnd, nd.BitwiseAndInto}, "BitwiseLeftShiftInto": {(*nd.Array).BitwiseLeftShift, nd.BitwiseLeftShiftInto},
	"BitwiseOrInto": {(*nd.Array).BitwiseOr, nd.BitwiseOrInto}, "BitwiseRightShiftInto": {(*nd.Array).BitwiseRightShift, nd.BitwiseRightShiftInto},
	"BitwiseXorInto": {(*nd.Array).BitwiseXor, nd.BitwiseXorInto}, "CopySignInto": {(*nd.Array).CopySign, nd.CopySignInto},
	"DivInto": {(*nd.Array).Div, nd.DivInto}, "EqualInto": {(*nd.Array).Equal, nd.EqualInto},
	"FloorDivideInto": {(*nd.Array).FloorDivide, nd.FloorDivideInto}, "GeluGradientInto": {(*nd.Array).GeluGradient, nd.GeluGradientInto},
	"GreaterEqualInto": {(*nd.Array).GreaterEqual, nd.GreaterEqualInto}, "GreaterInto": {(*nd.Array).Greater, nd.GreaterInto},
	"HypotInto": {(*nd.Array).Hypot, nd.HypotInto}, "LessEqualInto": {(*nd.Array).LessEqual, nd.LessEqualInto},
	"LessInto": {(*nd.Array).Less, nd.LessInto}, "LogAddExpInto": {(*nd.Array).LogAddExp, nd.LogAddExpInto},
	"LogicalAndInto": {(*nd.Array).LogicalAnd, nd.LogicalAndInto}, "LogicalOrInto": {(*nd.Array).LogicalOr, nd.LogicalOrInto},
	"LogicalXorInto": {(*nd.Array).LogicalXor, nd.LogicalXorInto}, "MatMulInto": {(*nd.Array).MatMul, nd.MatMulInto},
	"MaximumInto": {(*nd.Array).Maximum, nd.MaximumInto}, "MinimumInto": {(*nd.Array).Minimum, nd.MinimumInto},
	"MulInto": {(*nd.Array).Mul, nd.MulInto}, "NextAfterInto": {(*nd.Array).NextAfter, nd.NextAfterInto},
	"NotEqualInto": {(*nd.Array).NotEqual, nd.NotEqualInto}, "PowInto": {(*nd.Array).Pow, nd.PowInto},
	"ReluGradientInto": {(*nd.Array).ReluGradient, nd.ReluGradientInto}, "RemainderInto": {(*nd.Array).Remainder, nd.RemainderInto},
	"SubInto": {(*nd.Array).Sub, nd.SubInto},
}

var reductionsInto = map[string]struct {
	of   func(x *nd.Array, axes ...int) *nd.Array
	into func(dst, x *nd.Array, axes ...int)
}{
	"AllTrueInto": {(*nd.Array).AllTrue, nd.AllTrueInto}, "AnyTrueInto": {(*nd.Array).AnyTrue, nd.AnyTrueInto},
	"ArgMaxInto": {(*nd.Array).ArgMax, nd.ArgMaxInto}, "ArgMinInto": {(*nd.Array).ArgMin, nd.ArgMinInto},
	"AsumInto": {(*nd.Array).Asum, nd.AsumInto}, "CountNonzeroInto": {(*nd.Array).CountNonzero, nd.CountNonzeroInto},
	"LogSumExpInto": {(*nd.Array).LogSumExp, nd.LogSumExpInto}, "MaxInto": {(*nd.Array).Max, nd.MaxInto},
	"MeanInto": {(*nd.Array).Mean, nd.MeanInto}, "MinInto": {(*nd.Array).Min, nd.MinInto},
	"ProdInto": {(*nd.Array).Prod, nd.ProdInto}, "SumInto": {(*nd.Array).Sum, nd.SumInto},
	"SumsqInto": {(*nd.Array).Sumsq, nd.SumsqInto},
}

var alongInto = map[string]struct {
	of   func(x *nd.Array, axis int) *nd.Array
	into func(dst, x *nd.Array, axis int)
}{
	"CumMaxInto": {(*nd.Array).CumMax, nd.CumMaxInto}, "CumMinInto": {(*nd.Array).CumMin, nd.CumMinInto},
	"CumProdInto": {(*nd.Array).CumProd, nd.CumProdInto}, "CumSumInto": {(*nd.Array).CumSum, nd.CumSumInto},
	"LogSoftmaxInto": {(*nd.Array).LogSoftmax, nd.LogSoftmaxInto}, "SoftmaxInto": {(*nd.Array).Softmax, nd.SoftmaxInto},
	"SortInto": {(*nd.Array).Sort, nd.SortInto},
}

// destinations are all functions of the package that write to an array, with operands.
func destinations() map[string]destination {
	square := func(numbers ...float64) *nd.Array { return nd.FromSlice(numbers, 3, 3) }
	a, b := square(0.5, -1.5, 2, 0, 3, -0.25, 1, 1, -2), square(1, 2, -0.5, 0.25, 1, 3, -1, 0, 2)
	i, j := nd.FromSlice([]int64{2, -1, 0, 5, 7, 1}, 2, 3), nd.FromSlice([]int64{1, 2, 0, 3, 1, 6}, 2, 3)
	indices := nd.FromSlice([]int64{2, 0})
	along, values := nd.FromSlice([]int64{2, 0, 1}, 3, 1), square(4, 5, 6, 7, 8, 9, 1, 2, 3).Index(nd.Whole, nd.Span(0, 1))
	images, weights, bias := nd.Arange(0.0, 16, 1).Reshape(1, 1, 4, 4), nd.Arange(0.0, 9, 1).Reshape(1, 1, 3, 3), nd.FromSlice([]float64{7})
	padded := nd.ConvParams{Padding: []int{1}}
	rows := map[string]destination{
		"ScatterInto":         {func() *nd.Array { return a.Scatter(indices, b.Index(nd.Span(0, 2)), 0) }, func(dst *nd.Array) { nd.ScatterInto(dst, a, indices, b.Index(nd.Span(0, 2)), 0) }},
		"ScatterAddInto":      {func() *nd.Array { return a.ScatterAdd(indices, b.Index(nd.Span(0, 2)), 0) }, func(dst *nd.Array) { nd.ScatterAddInto(dst, a, indices, b.Index(nd.Span(0, 2)), 0) }},
		"ScatterReduceInto":   {func() *nd.Array { return a.ScatterReduce(nd.ReduceMul, indices, b.Index(nd.Span(0, 2)), 0) }, func(dst *nd.Array) { nd.ScatterReduceInto(dst, a, nd.ReduceMul, indices, b.Index(nd.Span(0, 2)), 0) }},
		"PutAlongAxisInto":    {func() *nd.Array { return a.PutAlongAxis(along, values, 1) }, func(dst *nd.Array) { nd.PutAlongAxisInto(dst, a, along, values, 1) }},
		"AddAlongAxisInto":    {func() *nd.Array { return a.AddAlongAxis(along, values, 1) }, func(dst *nd.Array) { nd.AddAlongAxisInto(dst, a, along, values, 1) }},
		"ReduceAlongAxisInto": {func() *nd.Array { return a.ReduceAlongAxis(nd.ReduceMin, along, values, 1) }, func(dst *nd.Array) { nd.ReduceAlongAxisInto(dst, a, nd.ReduceMin, along, values, 1) }},
		"TakeInto":            {func() *nd.Array { return a.Take(indices, 1) }, func(dst *nd.Array) { nd.TakeInto(dst, a, indices, 1) }},
		"CastInto":            {func() *nd.Array { return a.Cast(dtype.Int8) }, func(dst *nd.Array) { nd.CastInto(dst, a) }},
		"CopyInto":            {a.Copy, func(dst *nd.Array) { nd.CopyInto(dst, a) }},
		"ClipInto":            {func() *nd.Array { return a.Clip(b, nd.Full(1.0)) }, func(dst *nd.Array) { nd.ClipInto(dst, a, b, nd.Full(1.0)) }},
		"ComplexInto":         {func() *nd.Array { return nd.Complex(a, b) }, func(dst *nd.Array) { nd.ComplexInto(dst, a, b) }},
		"WhereInto":           {func() *nd.Array { return nd.Where(a.Greater(b), a, b) }, func(dst *nd.Array) { nd.WhereInto(dst, a.Greater(b), a, b) }},
		"ConvInto":            {func() *nd.Array { return images.Conv(weights, bias, padded) }, func(dst *nd.Array) { nd.ConvInto(dst, images, weights, bias, padded) }},
		"LinearInto":          {func() *nd.Array { return a.Linear(b, nd.ReluActivation, a) }, func(dst *nd.Array) { nd.LinearInto(dst, a, b, nd.ReluActivation, a) }},
	}
	for name, f := range unaryInto {
		x := a
		if strings.HasPrefix(name, "Bitwise") {
			x = i
		}
		rows[name] = destination{func() *nd.Array { return f.of(x) }, func(dst *nd.Array) { f.into(dst, x) }}
	}
	for name, f := range binaryInto {
		x, y := a, b
		if strings.HasPrefix(name, "Bitwise") {
			x, y = i, j
		}
		rows[name] = destination{func() *nd.Array { return f.of(x, y) }, func(dst *nd.Array) { f.into(dst, x, y) }}
	}
	for name, f := range reductionsInto {
		rows[name] = destination{func() *nd.Array { return f.of(a, 1) }, func(dst *nd.Array) { f.into(dst, a, 1) }}
	}
	for name, f := range alongInto {
		rows[name] = destination{func() *nd.Array { return f.of(a, 1) }, func(dst *nd.Array) { f.into(dst, a, 1) }}
	}
	return rows
}

func TestFormsThatWriteToAnArrayGiveItWhatTheirFunctionsReturn(t *testing.T) {
	bits := func(a *nd.Array) []byte {
		bytes, err := a.MarshalBinary()
		require.NoError(t, err)
		return bytes
	}
	for name, d := range destinations() {
		want := d.of()
		env, shape := want.Env(), want.Shape()
		twice := make([]int, len(shape))
		for axis, n := range shape {
			twice[axis] = 2 * n
		}
		strided := nd.ZerosIn(env, want.DType(), twice...)
		for range shape {
			strided = strided.Index(nd.Rest, nd.SpanBy(nd.Open, nd.Open, 2)).MoveAxis(-1, 0)
		}
		for layout, dst := range map[string]*nd.Array{
			"row by row": nd.ZerosIn(env, want.DType(), shape...), "strided": strided, "backwards": nd.ZerosIn(env, want.DType(), shape...).Flip(),
		} {
			d.into(dst)
			require.Equal(t, bits(want), bits(dst), "%s, %s", name, layout)
		}
		other := nd.ZerosIn(env, want.DType(), append([]int{5}, shape...)...)
		require.ErrorIs(t, nd.Try(func() { d.into(other) }), fault.ErrShape, name)
		if name != "CopyInto" && name != "CastInto" { // which cast
			require.ErrorIs(t, nd.Try(func() { d.into(nd.ZerosIn(env, dtype.Uint16, shape...)) }), fault.ErrDType, name)
		}
	}
}

func TestEachFormThatWritesToAnArrayHasARow(t *testing.T) {
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := []string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declared := range file.Decls {
			f, isFunction := declared.(*ast.FuncDecl)
			if isFunction && f.Recv == nil && f.Name.IsExported() && strings.HasSuffix(f.Name.Name, "Into") && f.Name.Name != "CopyAllInto" { // of many arrays
				found = append(found, f.Name.Name)
			}
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(destinations())), found)
}
