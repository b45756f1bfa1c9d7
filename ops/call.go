package ops

import (
	"fmt"
	"slices"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// Operand is what inference knows of an operand or a result.
type Operand struct {
	Shape []int
	DType dtype.DType
}

// Call is one call of an operator: what inference, lowering and errors see of it.
type Call struct {
	Operator *Operator
	Params   any
	Inputs   []Operand
	Outputs  []Operand
	Site     *fault.Site // the user's line

	ticket resource.Ticket // of an operator that draws

	inputs    []*Tensor
	env       *Env // where it runs; nil until that is known
	allocates bool // the results are new
	wanted    [fewInputs]dtype.DType
}

// Fail panics with the error of a mistaken call.
func (c *Call) Fail(reason error, detail string) {
	e := &fault.Error{Operator: c.Operator.Called(), Detail: detail, Cause: reason, Site: c.Site}
	if c.env != nil {
		e.Device = c.env.device.String()
	}
	c.describe(e)
	panic(e)
}

func (c *Call) describe(e *fault.Error) {
	for _, in := range c.Inputs {
		e.Shapes = append(e.Shapes, slices.Clone(in.Shape)) // That of an array may be a part of what the error sticks to.
		if in.DType != dtype.Invalid {                      // of a shape alone
			e.DTypes = append(e.DTypes, in.DType)
		}
	}
}

// Output adds a result, which keeps shape. It fails if an array cannot have that shape.
func (c *Call) Output(d dtype.DType, shape []int) {
	if problem := storage.ShapeProblem(d, shape); problem != "" {
		c.Fail(fault.ErrShape, problem)
	}
	if shape == nil {
		shape = []int{}
	}
	c.Outputs = append(c.Outputs, Operand{Shape: shape[:len(shape):len(shape)], DType: d})
}

// Axis returns axis counted from the front; negative ones count from the end. It fails if rank has no such axis.
func (c *Call) Axis(axis, rank int) int {
	if axis < -rank || axis >= rank {
		c.Fail(fault.ErrAxis, fmt.Sprintf("axis %d is out of range for %d axes", axis, rank))
	}
	if axis < 0 {
		axis += rank
	}
	return axis
}

// Axes returns axes counted from the front and sorted, all of rank if there are none. It fails on one out of range, and on
// one named twice.
func (c *Call) Axes(axes []int, rank int) []int {
	if len(axes) == 0 {
		axes = make([]int, rank)
		for i := range axes {
			axes[i] = i
		}
		return axes
	}
	counted := make([]int, len(axes))
	for i, axis := range axes {
		counted[i] = c.Axis(axis, rank)
	}
	slices.Sort(counted)
	for i := 1; i < len(counted); i++ {
		if counted[i] == counted[i-1] {
			c.Fail(fault.ErrAxis, fmt.Sprintf("axis %d is named twice in %v", counted[i], axes))
		}
	}
	return counted
}

// Broadcast returns the shape to which the given operands broadcast by NumPy's rule. It must not be changed: it may be one of theirs.
func (c *Call) Broadcast(inputs ...Operand) []int {
	shape := inputs[0].Shape
	for _, in := range inputs[1:] {
		shape = c.broadcastPair(shape, in.Shape)
	}
	return shape
}

func (c *Call) broadcastPair(a, b []int) []int {
	if slices.Equal(a, b) {
		return a
	}
	joint := make([]int, max(len(a), len(b)))
	for i := range joint {
		axis := len(joint) - 1 - i
		m, n := fromEnd(a, i), fromEnd(b, i)
		switch {
		case m == n || n == 1:
			joint[axis] = m
		case m == 1:
			joint[axis] = n
		default:
			c.Fail(fault.ErrShape, fmt.Sprintf("shapes %s and %s do not broadcast (axis %d: %d against %d)",
				fault.FormatShape(a), fault.FormatShape(b), axis, m, n))
		}
	}
	return joint
}

// fromEnd returns the size of the i-th axis from the end, 1 where shape has none.
func fromEnd(shape []int, i int) int {
	if i >= len(shape) {
		return 1
	}
	return shape[len(shape)-1-i]
}

// begin makes c a call of op. It checks number and element types of the operands, and the parameters.
func (c *Call) begin(op *Operator, params any, inputs []*Tensor, site *fault.Site) {
	c.Operator, c.Params, c.Site = op, params, site
	if !op.takes(len(inputs)) {
		c.Fail(fault.ErrMisuse, fmt.Sprintf("%d operands given, want %v", len(inputs), op.Inputs))
	}
	for i, t := range inputs {
		if t == nil || t.env == nil {
			c.Fail(fault.ErrMisuse, fmt.Sprintf("operand %d is nil", i))
		}
	}
	c.inputs = append(c.inputs[:0], inputs...)
	c.readOperands()
	if problem := checkParams(op, params); problem != "" {
		c.Fail(fault.ErrParameter, problem)
	}
}

// readOperands takes the shapes and element types from the operands.
func (c *Call) readOperands() {
	c.Inputs = slices.Grow(c.Inputs[:0], len(c.inputs))
	for _, t := range c.inputs {
		c.Inputs = append(c.Inputs, Operand{t.view.Shape, t.view.DType})
	}
}

// want returns d for each operand, for Operator.Convert.
func (c *Call) want(d dtype.DType) []dtype.DType {
	wanted := c.wanted[:0]
	for range c.Inputs {
		wanted = append(wanted, d)
	}
	return wanted
}

// checkAccepts fails on an element type that the operator has no arithmetic for.
func (c *Call) checkAccepts() {
	accepts := c.Operator.Accepts
	if accepts != nil && len(c.Inputs) > 0 && !slices.Contains(accepts, c.Inputs[0].DType) {
		c.Fail(fault.ErrDType, fmt.Sprintf("no arithmetic for %v (accepted: %v)", c.Inputs[0].DType, accepts))
	}
}
