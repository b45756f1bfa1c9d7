package linalg

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// MatrixPower returns the product of n times each matrix of a, (...,m,m); for a negative n that of the inverses, of
// which a singular one is an error of the result; for 0 the identity. It takes about 2·log₂|n| products, those of
// integers with the dtype that MatMul gives; for 0 and 1 the dtype is that of a, and for a negative n that of Inverse.
// It panics with *nd.Error if the matrices are not square.
func MatrixPower(a *nd.Array, n int) *nd.Array {
	checkMatrices("MatrixPower", a)
	shape := a.Shape()
	size := shape[len(shape)-1]
	if shape[len(shape)-2] != size {
		mistake("MatrixPower", fault.ErrShape, "a has shape "+fault.FormatShape(shape)+", want (...,n,n)", a)
	}
	if n == 0 {
		ones := nd.OnesIn(a.Env(), a.DType(), size)
		one := call("MatrixPower", ops.EmbedDiagonal, ops.EmbedDiagonalParams{Shape: []int{size, size}, Columns: 1}, ones)[0]
		return one.BroadcastTo(shape...).Copy()
	}
	left := uint(n)
	if n < 0 {
		a, left = call("MatrixPower", ops.Inverse, nil, a)[0], -left
	}
	var result *nd.Array
	for power := a; ; power = power.MatMul(power) {
		if left&1 != 0 && result == nil {
			result = power
		} else if left&1 != 0 {
			result = result.MatMul(power)
		}
		if left >>= 1; bits.Len(left) == 0 {
			break
		}
	}
	if result == a && n > 0 {
		return a.Copy()
	}
	return result
}

// Kron returns the Kronecker product of a and b: each element of a times all of b. It has as many axes as the operand
// with more of them, each as long as those of a and b multiplied; the other operand has axes of length one in front.
// Operands of different dtypes are promoted.
func Kron(a, b *nd.Array) *nd.Array {
	checkNotNil("Kron", a, b)
	operands := nd.InOneCapture(a, b)
	a, b = operands[0], operands[1]
	rank := max(a.Rank(), b.Rank())
	own := func(x *nd.Array) []int { return slices.Concat(slices.Repeat([]int{1}, rank-x.Rank()), x.Shape()) }
	m, n := own(a), own(b)
	inA, inB, joint := make([]int, 2*rank), make([]int, 2*rank), make([]int, rank)
	for axis := range rank {
		inA[2*axis], inA[2*axis+1] = m[axis], 1
		inB[2*axis], inB[2*axis+1] = 1, n[axis]
		joint[axis] = m[axis] * n[axis]
	}
	return call("Kron", ops.Mul, nil, a.Reshape(inA...), b.Reshape(inB...))[0].Reshape(joint...)
}

// Cross returns the vector products of a and b, whose vectors of three elements lie along the given axis of each;
// negative ones count from the end. The other axes broadcast, and operands of different dtypes are promoted. It panics
// with *nd.Error if an operand has no such axis, or vectors of another length.
func Cross(a, b *nd.Array, axis int) *nd.Array {
	checkNotNil("Cross", a, b)
	for _, x := range []*nd.Array{a, b} {
		rank := x.Rank()
		if axis < -rank || axis >= rank {
			mistake("Cross", fault.ErrAxis, fmt.Sprintf("axis %d is out of range for %d axes", axis, rank), a, b)
		}
		if length := x.Shape()[(axis+rank)%rank]; length != 3 {
			mistake("Cross", fault.ErrShape, fmt.Sprintf("axis %d has %d elements, want 3", axis, length), a, b)
		}
	}
	operands := nd.InOneCapture(a, b)
	x, y := operands[0].MoveAxis(axis, -1), operands[1].MoveAxis(axis, -1)
	turned := func(v *nd.Array, by int) *nd.Array { return v.Roll(-by, -1) }
	times := func(a, b *nd.Array) *nd.Array { return call("Cross", ops.Mul, nil, a, b)[0] }
	product := times(turned(x, 1), turned(y, 2)).Sub(times(turned(x, 2), turned(y, 1)))
	return product.MoveAxis(-1, axis)
}

// Outer returns the products of each element of a with each of b, both of one axis: a matrix of as many rows as a has elements, and as many
// columns as b has. Operands of different dtypes are promoted. It panics with *nd.Error on other shapes.
func Outer(a, b *nd.Array) *nd.Array {
	checkNotNil("Outer", a, b)
	if a.Rank() != 1 || b.Rank() != 1 {
		mistake("Outer", fault.ErrShape, "the operands have "+fault.FormatShape(a.Shape())+" and "+fault.FormatShape(b.Shape())+", want (m,) and (n,)", a, b)
	}
	return call("Outer", ops.Mul, nil, a.ExpandDims(1), b.ExpandDims(0))[0]
}
