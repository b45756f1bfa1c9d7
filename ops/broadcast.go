package ops

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// ResultType returns the element type in which element-wise operators compute on operands, where scalars adapt. It panics with
// *fault.Error if there is none.
func ResultType(operands ...*Tensor) dtype.DType {
	c := &Call{Operator: &Operator{Name: "result_type", Inputs: []string{"operands..."}}}
	c.begin(c.Operator, nil, operands, fault.Here(1))
	return c.commonType(0)
}

// BroadcastShapes returns the shape that arrays of the given shapes broadcast to, by NumPy's rule; that of none has no axes. It
// panics with *fault.Error if they do not.
func BroadcastShapes(shapes ...[]int) []int {
	c := &Call{Operator: &Operator{Name: "broadcast_shapes"}, Site: fault.Here(1)}
	joint := []int{}
	for _, shape := range shapes {
		c.Inputs = append(c.Inputs, Operand{Shape: shape})
		c.checkSizes(shape)
	}
	for _, shape := range shapes {
		joint = c.broadcastPair(joint, shape)
	}
	return slices.Clone(joint)
}
