package ops

import (
	"slices"

	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// QR is the reduced QR factorisation of matrices. The gradient is that of Roberts and Roberts ("QR and LQ decomposition matrix
// backpropagation algorithms for square, wide, and deep matrices and their software implementation", 2020); it exists where the leading
// columns, as many as there are rows at most, are independent.
var QR = Register(&Operator{
	Name: "qr", Doc: "reduced factors Q, with orthonormal columns, and R, upper triangular with a diagonal that is real and not negative, of matrices Q·R",
	Inputs: []string{"a"}, Accepts: floats, Convert: toFloat, Saves: SaveOutputs,
	Work: func(c *Call) int64 { return cubes(c, 4) }, Brief: briefFactoring(beforeQR),
	Infer: func(c *Call) {
		batch, rows, columns := c.matrixSizes(0)
		c.Output(c.Inputs[0].DType, slices.Concat(batch, []int{rows, min(rows, columns)}))
		c.Output(c.Inputs[0].DType, slices.Concat(batch, []int{min(rows, columns), columns}))
	},
	Lower: func(_ *Call, l *Lowered) {
		l.Scratch = cpu.QRScratch(layoutOf(l.Inputs[0]), layoutOf(l.Outputs[0]), layoutOf(l.Outputs[1]))
	},
	Gradient: func(r *Rule) {
		q, upper := r.OutputOf(0), r.OutputOf(1)
		slopeQ, slopeR := r.UpstreamOf(0), r.UpstreamOf(1)
		if slopeQ == nil {
			slopeQ = r.Mul(q, r.Constant(0, q))
		}
		if slopeR == nil {
			slopeR = r.Mul(upper, r.Constant(0, upper))
		}
		rank := len(upper.Shape())
		size, columns := upper.Shape()[rank-2], upper.Shape()[rank-1]
		if size == columns {
			r.Set(0, r.slopeOfQR(q, upper, slopeQ, slopeR))
			return
		}
		rest, slopeRest := r.columns(upper, size, columns), r.columns(slopeR, size, columns)
		slopeQ = r.Add(slopeQ, r.product(q, r.product(rest, r.adjoint(slopeRest))))
		first := r.slopeOfQR(q, r.columns(upper, 0, size), slopeQ, r.columns(slopeR, 0, size))
		r.Set(0, r.Apply("concat", ConcatParams{-1}, first, r.product(q, slopeRest)))
	},
	Samples: rectangularSamples(nil),
})

// rectangularSamples are samples of operators on matrices of any sizes.
func rectangularSamples(params any) []Sample {
	samples := []Sample{}
	for _, shape := range [][]int{{3, 3}, {4, 2}, {2, 4}, {2, 2, 3, 2}, {2, 2, 3}, {1, 1}, {20, 12}, {3, 0}, {0, 3}, {0, 2, 3}, {2, 0, 0}} {
		samples = append(samples, Sample{Shapes: [][]int{shape}, Params: params})
	}
	return samples
}

// slopeOfQR returns the gradient of matrices with as many columns as upper has rows.
func (r *Rule) slopeOfQR(q, upper, slopeQ, slopeR Value) Value {
	half := r.halved(r.Sub(r.product(upper, r.adjoint(slopeR)), r.product(r.adjoint(slopeQ), q)))
	sum := r.Add(slopeQ, r.product(q, r.Add(half, r.adjoint(half))))
	return r.adjoint(r.Apply("solve_triangular", SolveTriangularParams{Upper: true}, upper, r.adjoint(sum)))
}

// columns returns the columns of matrices from the first up to but not including end.
func (r *Rule) columns(a Value, first, end int) Value {
	spans := wholeSpans(a.Shape())
	spans[len(spans)-1] = storage.Span{Start: first, Count: end - first, Step: 1}
	return r.Apply("slice", SliceParams{spans}, a)
}
