package autograd

import (
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Function is a differentiable function with a gradient of its own: one that is more exact or cheaper than what the gradients
// of its parts would give, or deliberately different, or one whose parts are Go code on values. It must not be changed after
// its first call, and may be called from any goroutine.
type Function struct {
	// Name is the name in errors.
	Name string
	// Forward returns the results, at least one, and the arrays that Backward needs. It gets handles on the operands that no
	// tape watches, and must not use other watched arrays. It may wait for values and compute in Go. What it saves is protected
	// from being written while a tape lives.
	Forward func(inputs []*nd.Array) (outputs, saved []*nd.Array)
	// Backward returns the gradient of each operand, of its shape and dtype, or nil for none, from what was saved and the
	// gradients of the results, which are zeros for results that nothing depends on. It must not write to any of them. If it is
	// made of methods of arrays it can be differentiated again, with respect to upstream and to saved operands and results.
	// With respect to another saved array that is an error: make it a result.
	Backward func(saved, upstream []*nd.Array) []*nd.Array
	// Once declares that Backward is Go code on values: differentiating it again is then an error, instead of giving zeros.
	Once bool
}

// Call returns the results of f. Those of floats and complex numbers are watched by all tapes that watch an operand. Operands
// may be of any dtype; integers and bools have no gradients. Call panics with *nd.Error, which names f and the line of Call, if
// Forward returns no result, or one that a tape watches already; Gradient does so if Backward returns gradients that do not fit
// the operands.
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
