package autograd

import (
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Function is a differentiable function with a gradient of its own: for one that is more exact, cheaper or something else than
// what the gradients of its parts give, or whose parts are Go code on values. It is not changed once it is called, and may
// then be called from any goroutine.
type Function struct {
	// Name is what errors call it.
	Name string
	// Forward returns the results, at least one, and what Backward needs. It gets handles on the operands that no tape watches, and
	// must not refer to watched arrays beside them. It may wait for values and compute in Go. What is saved is
	// protected from being written while a tape lives.
	Forward func(inputs []*nd.Array) (outputs, saved []*nd.Array)
	// Backward returns the gradient of each operand, of its shape and dtype, nil for none, from what was saved and the
	// gradients of the results, zeros of those that nothing depends on. It must not write to either. Made of methods of arrays
	// it can be differentiated again, by way of its upstream and of saved operands and results. To do so by way of another
	// saved value is an error: make that a result.
	Backward func(saved, upstream []*nd.Array) []*nd.Array
	// Once tells that Backward is Go code on values: differentiating it again is an error, and not zeros.
	Once bool
}

// Call returns the results of f. Those of floats and complex numbers are watched by all tapes that watch an operand. Without a result, with
// results that a tape watches already, and in Gradient with gradients that do not fit the operands, it panics with
// *nd.Error, which names f and the line of Call. Operands may be of any dtype; those of integers and bools have no
// gradients.
func (f *Function) Call(inputs ...*nd.Array) []*nd.Array {
	checkFunction(f.Name, f.Forward != nil)
	checkNotNil(f.Name, inputs...)
	c := &call{name: f.Name, site: fault.Here(1)}
	backward := f.Backward
	if backward == nil {
		backward = func([]*nd.Array, []*nd.Array) []*nd.Array {
			c.fail(fault.ErrMisuse, "the function has no Backward")
			return nil
		}
	}
	if f.Once {
		backward = c.once(backward)
	}
	c.backward = func(saved, upstream []*nd.Array, _ []bool, hold func(...*nd.Array)) []*nd.Array {
		gradients := backward(saved, upstream)
		hold(upstream...)
		hold(gradients...)
		return gradients
	}
	return c.do(f.Forward, inputs)
}
