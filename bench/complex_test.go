package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

// complexCase is an operator on complex numbers.
type complexCase struct {
	name   string // NumPy's
	into   func(dst, x, y *nd.Array)
	real   bool // the result
	counts []int
}

var (
	complexTypes  = []dtype.DType{dtype.Complex64, dtype.Complex128}
	complexCounts = []int{1_000, 100_000}
	complexCases  = []complexCase{
		{name: "add", into: nd.AddInto, counts: append(complexCounts, 1_000_000)},
		{name: "mul", into: nd.MulInto, counts: append(complexCounts, 1_000_000)},
		{name: "div", into: nd.DivInto},
		{name: "abs", into: ofOne(nd.AbsInto), real: true},
		{name: "angle", into: ofOne(nd.AngleInto), real: true},
		{name: "conj", into: ofOne(nd.ConjInto)},
		{name: "sign", into: ofOne(nd.SignInto), counts: append(complexCounts, 1_000_000)},
		{name: "sqrt", into: ofOne(nd.SqrtInto)},
		{name: "exp", into: ofOne(nd.ExpInto), counts: append(complexCounts, 1_000_000)},
		{name: "log", into: ofOne(nd.LogInto)},
		{name: "log1p", into: ofOne(nd.Log1pInto)},
		{name: "sin", into: ofOne(nd.SinInto)},
		{name: "tanh", into: ofOne(nd.TanhInto)},
		{name: "arcsin", into: ofOne(nd.AsinInto)},
		{name: "arccos", into: ofOne(nd.AcosInto)},
		{name: "arctanh", into: ofOne(nd.AtanhInto)},
		{name: "sum", into: func(dst, x, _ *nd.Array) { nd.SumInto(dst, x) }, counts: append(complexCounts, 1_000_000)},
		{name: "prod", into: func(dst, x, _ *nd.Array) { nd.ProdInto(dst, x) }},
		{name: "matmul", into: nd.MatMulInto, counts: []int{128, 512}},
	}
)

func ofOne(into func(dst, x *nd.Array)) func(dst, x, y *nd.Array) {
	return func(dst, x, _ *nd.Array) { into(dst, x) }
}

// sizes are the counts of numbers that the case is measured with, or the rows of square matrices.
func (c complexCase) sizes() []int {
	if c.counts == nil {
		return complexCounts
	}
	return c.counts
}

// shapes are those of operands and result.
func (c complexCase) shapes(size int) (operands, result []int) {
	switch c.name {
	case "matmul":
		return []int{size, size}, []int{size, size}
	case "sum", "prod":
		return []int{size}, []int{}
	}
	return []int{size}, []int{size}
}

// complexNumbers are of many arguments, and of magnitudes whose geometric mean is near one, so that products of many neither overflow nor vanish.
func complexNumbers(d dtype.DType, env *nd.Env, shape []int, seed int) *nd.Array {
	numbers := make([]complex128, product(shape))
	for i := range numbers {
		part := func(factor int) float64 { return 1.445 * (float64((i+seed)*factor%10007)/5003 - 1) }
		numbers[i] = complex(part(7919), part(5077))
		if numbers[i] == 0 {
			numbers[i] = 1
		}
	}
	return nd.FromSliceIn(env, numbers, shape...).Cast(d)
}

// BenchmarkComplex measures operators on complex numbers, as BenchmarkComplex/<operator>/<dtype>/<count>: calls from end to end one after
// another, into memory that is there. The count of matmul is that of the rows of square matrices.
func BenchmarkComplex(b *testing.B) {
	env := newEnv(b, "perdevice")
	for _, c := range complexCases {
		for _, d := range complexTypes {
			for _, size := range c.sizes() {
				b.Run(fmt.Sprintf("%s/%v/%d", c.name, d, size), func(b *testing.B) {
					operands, result := c.shapes(size)
					x, y := complexNumbers(d, env, operands, 1), complexNumbers(d, env, operands, 3)
					of := d
					if c.real {
						of = d.RealPart()
					}
					dst := nd.ZerosIn(env, of, result...)
					c.into(dst, x, y)
					require.NoError(b, dst.Wait(context.Background()))
					ahead := max(1, 400_000/product(operands)) // as many as take a few milliseconds at most
					for i := 1; b.Loop(); i++ {
						c.into(dst, x, y)
						if i%ahead == 0 {
							require.NoError(b, dst.Wait(context.Background()))
						}
					}
					require.NoError(b, dst.Wait(context.Background()))
					b.ReportMetric(float64(product(operands))*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
				})
			}
		}
	}
}

// BenchmarkComplexPeers measures NumPy and PyTorch on the cases of BenchmarkComplex, as
// BenchmarkComplexPeers/<operator>/<dtype>/<count>/<library>.
func BenchmarkComplexPeers(b *testing.B) {
	for _, c := range complexCases {
		for _, d := range complexTypes {
			for _, size := range c.sizes() {
				for _, library := range []pythonLibrary{numpy, torch} {
					b.Run(fmt.Sprintf("%s/%v/%d/%s", c.name, d, size, library.name), func(b *testing.B) {
						operands, _ := c.shapes(size)
						b.ReportMetric(float64(product(operands))/library.measure(b, "complexes", c.name, d, size)*1e3, "M/s")
					})
				}
			}
		}
	}
}
