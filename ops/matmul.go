package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cpu"
	"github.com/weft-nd/weft/storage"
)

// multiplied are the element types of matrix products.
var multiplied = []dtype.DType{
	dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64,
	dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64,
}

// MatMul is the matrix product with NumPy's rules: the last two axes are matrices, those before broadcast; a 1-d
// operand is a row on the left and a column on the right, and its axis is missing in the result. Products of float16
// and bfloat16 are summed in float32 and rounded once at the end; those of int8 are int32; other integers wrap round.
// On a CPU with AMX or AVX512_BF16 the sums of bfloat16, but for those of vectors, are in an order of their own, in
// which subnormal numbers are zero; WEFT_CPU_KERNELS=nobfloat16 gives those of other CPUs.
var MatMul = Register(&Operator{
	Name: "matmul", Doc: "matrix product of the last two axes; axes before broadcast; of int8 it is int32", Inputs: []string{"a", "b"},
	Accepts: multiplied, Convert: toCommon, Saves: SaveInputs, Lower: lowerMatMul,
	Infer: func(c *Call) {
		m := matricesOf(c)
		shape := slices.Clone(m.batch)
		if len(c.Inputs[0].Shape) > 1 {
			shape = append(shape, m.rows)
		}
		if len(c.Inputs[1].Shape) > 1 {
			shape = append(shape, m.columns)
		}
		d := c.Inputs[0].DType
		if d == dtype.Int8 {
			d = dtype.Int32
		}
		c.Output(d, shape)
	},
	Work: func(c *Call) int64 {
		return 2 * c.Outputs[0].elements() * int64(c.Inputs[0].Shape[len(c.Inputs[0].Shape)-1])
	},
	Brief: isBriefProduct,
	Gradient: func(r *Rule) {
		aShape, bShape := asMatrices(r.Shape(0), r.Shape(1))
		up := r.Reshape(r.Upstream(), matrixProductShape(r.Upstream().Shape(), r.Shape(0), r.Shape(1)))
		if r.Wants(0) {
			product := r.Apply("matmul", nil, up, r.swapLast(r.Reshape(r.Input(1), bShape)))
			r.Set(0, r.Reshape(r.SumTo(product, aShape), r.Shape(0)))
		}
		if r.Wants(1) {
			product := r.Apply("matmul", nil, r.swapLast(r.Reshape(r.Input(0), aShape)), up)
			r.Set(1, r.Reshape(r.SumTo(product, bShape), r.Shape(1)))
		}
	},
	Samples: []Sample{
		{Shapes: [][]int{{2, 3}, {3, 4}}}, {Shapes: [][]int{{3}, {3}}}, {Shapes: [][]int{{2, 3}, {3}}}, {Shapes: [][]int{{3}, {3, 2}}},
		{Shapes: [][]int{{5, 2, 3}, {3, 2}}}, {Shapes: [][]int{{2, 1, 2, 3}, {4, 3, 2}}}, {Shapes: [][]int{{0, 3}, {3, 2}}},
		{Shapes: [][]int{{2, 0}, {0, 3}}}, {Shapes: [][]int{{70, 90}, {90, 130}}},
	},
})

// matrices are the sizes of a matrix product.
type matrices struct {
	batch         []int
	rows, columns int
}

func matricesOf(c *Call) matrices {
	if len(c.Inputs[0].Shape) == 0 || len(c.Inputs[1].Shape) == 0 {
		c.Fail(fault.ErrShape, "a 0-d operand is no matrix")
	}
	a, b := asMatrices(c.Inputs[0].Shape, c.Inputs[1].Shape)
	if inner, other := a[len(a)-1], b[len(b)-2]; inner != other {
		c.Fail(fault.ErrShape, fmt.Sprintf("shapes %s and %s do not multiply: %d columns against %d rows",
			fault.FormatShape(c.Inputs[0].Shape), fault.FormatShape(c.Inputs[1].Shape), inner, other))
	}
	batch := c.broadcastPair(a[:len(a)-2], b[:len(b)-2])
	return matrices{batch, a[len(a)-2], b[len(b)-1]}
}

// asMatrices returns the shapes of the operands with 1-d ones as a row and a column.
func asMatrices(a, b []int) (left, right []int) {
	if len(a) == 1 {
		a = []int{1, a[0]}
	}
	if len(b) == 1 {
		b = []int{b[0], 1}
	}
	return a, b
}

// matrixProductShape returns shape, that of a product of operands of shapes a and b, with the axes that 1-d operands lack.
func matrixProductShape(shape, a, b []int) []int {
	full := slices.Clone(shape)
	if len(b) == 1 {
		full = append(full, 1)
	}
	if len(a) == 1 {
		full = slices.Insert(full, len(full)-1, 1)
	}
	return full
}

// lowerMatMul gives all views the form (batch..., rows, columns), with the same batch axes.
func lowerMatMul(c *Call, l *Lowered) {
	m := matricesOf(c)
	a, b := l.Inputs[0], l.Inputs[1]
	if len(a.Shape) == 1 {
		a = a.WithAxis(0)
	}
	if len(b.Shape) == 1 {
		b = b.WithAxis(1)
	}
	l.Inputs[0], l.Inputs[1] = m.repeated(a), m.repeated(b)
	if len(c.Inputs[1].Shape) == 1 {
		l.Outputs[0] = l.Outputs[0].WithAxis(len(l.Outputs[0].Shape))
	}
	if len(c.Inputs[0].Shape) == 1 {
		l.Outputs[0] = l.Outputs[0].WithAxis(len(l.Outputs[0].Shape) - 1)
	}
	if m.rows == 1 {
		l.joinRows(len(m.batch), b.Shape)
	}
	if !isSmallProduct(c) {
		l.Scratch = cpu.MatMulScratch(layoutOf(l.Outputs[0]), layoutOf(l.Inputs[0]), layoutOf(l.Inputs[1]))
	}
}

// joinRows makes products of single rows, along the last batch axis that has several, those of one matrix of rows where
// b, of that shape, has one matrix for all of them. That must not depend on strides, which may be zero where b has
// several: the sums of single rows have another order.
func (l *Lowered) joinRows(batch int, b []int) {
	shape := l.Outputs[0].Shape
	axis := batch - 1
	for axis >= 0 && shape[axis] == 1 {
		axis--
	}
	if own := axis - (batch - (len(b) - 2)); axis < 0 || own >= 0 && b[own] != 1 {
		return
	}
	for i, v := range []*storage.View{&l.Inputs[0], &l.Outputs[0], &l.Inputs[1]} {
		v.Shape, v.Strides = slices.Clone(v.Shape), slices.Clone(v.Strides)
		if row := len(v.Shape) - 2; i < 2 {
			v.Shape[axis], v.Shape[row] = v.Shape[row], v.Shape[axis]
			v.Strides[axis], v.Strides[row] = v.Strides[row], v.Strides[axis]
		} else {
			v.Shape[axis] = 1
		}
	}
}

// repeated returns v, matrices, repeated along the batch axes of the product.
func (m matrices) repeated(v storage.View) storage.View {
	if split := len(v.Shape) - 2; !slices.Equal(v.Shape[:split], m.batch) {
		return v.Broadcast(append(slices.Clone(m.batch), v.Shape[split:]...))
	}
	return v
}

// layoutOf returns v as a kernel sees it, without an address.
func layoutOf(v storage.View) device.View {
	return device.View{DType: v.DType, Shape: v.Shape, Strides: v.Strides}
}

// swapLast returns a with its last two axes exchanged.
func (r *Rule) swapLast(a Value) Value {
	axes := make([]int, len(a.Shape()))
	for i := range axes {
		axes[i] = i
	}
	last := len(axes) - 1
	axes[last-1], axes[last] = last, last-1
	return r.Apply("transpose", TransposeParams{axes}, a)
}

// A product is brief that takes not more than so many nanoseconds and has a result of not more than so many bytes.
const (
	briefProduct      = 8_000
	briefProductBytes = 32 << 10
)

func isBriefProduct(c *Call) bool {
	d, elements := c.Outputs[0].DType, c.Outputs[0].elements()
	return d.Size() >= 4 && elements*int64(d.Size()) <= briefProductBytes && cpu.MatMulNanoseconds(d, c.Operator.Work(c)) <= briefProduct
}
