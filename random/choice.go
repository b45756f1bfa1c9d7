package random

import (
	"fmt"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// ChoiceOption changes how Choice chooses.
type ChoiceOption func(c *choice)

type choice struct {
	axis    int
	once    bool
	weights *nd.Array
}

// Along makes Choice choose parts along an axis other than the first; negative ones count from the end.
func Along(axis int) ChoiceOption { return func(c *choice) { c.axis = axis } }

// WithoutReplacement makes Choice choose no part twice.
func WithoutReplacement() ChoiceOption { return func(c *choice) { c.once = true } }

// Weighted gives each part along the axis a weight, in an array of one axis. Weights need not sum to one; what is wrong with
// them is an error of the result, as for Categorical and ChooseWeighted. It panics with *nd.Error if weights is nil.
func Weighted(weights *nd.Array) ChoiceOption {
	if weights == nil {
		mistake("Weighted", fault.ErrMisuse, "the weights are nil")
	}
	return func(c *choice) { c.weights = weights }
}

// Choice returns count parts of a along its first axis in random order, with replacement and equally likely unless options
// tell otherwise. The result is new memory with the element type of a and its shape but for count in place of the axis; gradients
// flow back to the parts that were chosen. It draws from the generator of a's Env.
//
// It panics with *nd.Error if a has no such axis, if count is negative, larger than the axis without replacement, or positive
// where the axis has no elements, and if the shape of the weights does not fit.
func Choice(a *nd.Array, count int, options ...ChoiceOption) *nd.Array {
	var c choice
	for _, option := range options {
		if option == nil {
			mistake("Choice", fault.ErrMisuse, "an option is nil")
		}
		option(&c)
	}
	n := lengthAlong("Choice", a, c.axis)
	if legal := count >= 0 && (n > 0 || count == 0) && (count <= n || !c.once); !legal {
		mistake("Choice", fault.ErrParameter, fmt.Sprintf("count is %d, of %d parts (legal: %s)", count, n, c.legalCounts(n)), a)
	}
	return a.Take(c.indices(a, n, count), c.axis)
}

func (c *choice) legalCounts(n int) string {
	if n == 0 || c.once {
		return fmt.Sprintf("from 0 to %d", n)
	}
	return "at least 0"
}

// indices draws from the generator of a's Env which of the n parts are chosen.
func (c *choice) indices(a *nd.Array, n, count int) *nd.Array {
	if c.weights != nil && (c.weights.Rank() != 1 || c.weights.Count() != n) {
		mistake("Choice", fault.ErrShape, fmt.Sprintf("weights %s do not fit: want %s",
			fault.FormatShape(c.weights.Shape()), fault.FormatShape([]int{n})), a, c.weights)
	}
	switch {
	case count == 0 || c.weights == nil && c.once:
		return call("Choice", a.Env(), ops.Choose, ops.ChooseParams{Population: n, Count: count})
	case c.weights == nil:
		return call("Choice", a.Env(), ops.Randint, ops.RandintParams{Shape: []int{count}, DType: dtype.Int64, High: n - 1})
	}
	weights := nd.InOneCapture(c.weights.Detach(), a)[0]
	weights = weights.In(weights.Env().WithGenerator(a.Env().Generator()))
	if c.once {
		return callOf("Choice", ops.ChooseWeighted, ops.ChooseWeightedParams{Count: count}, weights)
	}
	return callOf("Choice", ops.Categorical, ops.CategoricalParams{Shape: []int{count}}, weights)
}

// Shuffled returns the parts of a along an axis in random order, every order being equally likely, in new memory. Negative axes
// count from the end; gradients flow back to where the parts came from. It draws from the generator of a's Env, and panics
// with *nd.Error if a has no such axis.
func Shuffled(a *nd.Array, axis int) *nd.Array {
	n := lengthAlong("Shuffled", a, axis)
	return a.Take(call("Shuffled", a.Env(), ops.Permutation, ops.PermutationParams{Count: n}), axis)
}

// lengthAlong returns the length of an axis of a, which may count from the end.
func lengthAlong(function string, a *nd.Array, axis int) int {
	if a == nil {
		mistake(function, fault.ErrMisuse, "the array is nil")
	}
	rank := a.Rank()
	if axis < -rank || axis >= rank {
		mistake(function, fault.ErrAxis, fmt.Sprintf("axis %d is out of range for %d axes", axis, rank), a)
	}
	return a.Shape()[(axis+rank)%rank]
}

// mistake panics with the error of a mistaken call.
func mistake(function string, reason error, detail string, operands ...*nd.Array) {
	panic(fault.Mistake(fault.Here(2), "random."+function, reason, detail, operands...))
}
