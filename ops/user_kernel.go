package ops

import (
	"fmt"
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// LaunchKernel runs a kernel that the program brings, on the device of its arrays: arguments has, in the order of the kernel's
// parameters, a *Tensor for each array and a Go number for each other parameter. Arrays that the kernel writes are updated in
// place. A mistake panics with *fault.Error in the caller's goroutine; what fails later sticks to the arrays that are written.
// No gradient goes through it: an array that a tape watches is an error.
func LaunchKernel(k device.UserKernel, g device.Grid, arguments []any, site *fault.Site) {
	u := &userCall{kernel: k, integers: g.Integers()}
	op := &Operator{
		Name: k.Name(), Doc: "a kernel of the program", user: k, Infer: u.infer,
		Mutates: func(_ *Call, i int) bool { return u.arrays[i].Written },
		Lower:   func(_ *Call, l *Lowered) { l.Integers = u.integers },
	}
	fail := func(reason error, detail string) {
		panic(&fault.Error{Operator: op.Name, Detail: detail, Cause: reason, Site: site})
	}
	if problem := g.Problem(); problem != "" {
		fail(fault.ErrParameter, problem)
	}
	parameters := k.Parameters()
	if len(arguments) != len(parameters) {
		fail(fault.ErrMisuse, fmt.Sprintf("%d arguments given, the kernel takes %d", len(arguments), len(parameters)))
	}
	var inputs []*Tensor
	for i, p := range parameters {
		switch v := arguments[i].(type) {
		case *Tensor:
			if !p.Array {
				fail(fault.ErrMisuse, fmt.Sprintf("argument %s is an array, want a number", nameOf(p, i)))
			}
			inputs, u.arrays = append(inputs, v), append(u.arrays, p)
			op.Inputs = append(op.Inputs, nameOf(p, i))
		default:
			n, isNumber := numberOfAny(v)
			switch {
			case p.Array || !isNumber:
				fail(fault.ErrMisuse, fmt.Sprintf("argument %s is a %T, want %s", nameOf(p, i), v, wantedOf(p)))
			case !n.fits(p.DType):
				fail(fault.ErrParameter, fmt.Sprintf("argument %s is %v, which is no %v", nameOf(p, i), n, p.DType))
			}
			u.integers = append(u.integers, n.bitsAs(p.DType))
		}
	}
	invoke(op, nil, nil, nil, inputs, site, nil)
}

// nameOf names parameter i as messages do.
func nameOf(p device.Parameter, i int) string {
	if p.Name == "" {
		return fmt.Sprint(i)
	}
	return fmt.Sprintf("%d, %s", i, p.Name)
}

func wantedOf(p device.Parameter) string {
	if p.Array {
		return fmt.Sprintf("an array of %v", p.DType)
	}
	return fmt.Sprintf("a number that is a %v", p.DType)
}

// userCall is a call of a UserKernel.
type userCall struct {
	kernel   device.UserKernel
	arrays   []device.Parameter
	integers []int64
}

func (u *userCall) infer(c *Call) {
	if kind := c.env.device.Kind; kind != u.kernel.Kind() {
		c.Fail(fault.ErrDevice, fmt.Sprintf("the kernel runs on devices of the kind %v", u.kernel.Kind()))
	}
	for i, p := range u.arrays {
		name, t := c.Operator.Inputs[i], c.inputs[i]
		switch {
		case t.view.DType != p.DType:
			c.Fail(fault.ErrDType, fmt.Sprintf("argument %s is of %v, the kernel takes %v", name, t.view.DType, p.DType))
		case t.env.device != c.env.device:
			c.Fail(fault.ErrDevice, fmt.Sprintf("argument %s is on %v, others on %v", name, t.env.device, c.env.device))
		case !t.view.IsContiguous():
			c.Fail(fault.ErrMisuse, fmt.Sprintf("the elements of argument %s do not follow one another: Copy makes them", name))
		case t.isWatched():
			c.Fail(fault.ErrMisuse, fmt.Sprintf("a tape watches argument %s, and no gradient goes through the kernel: Detach leaves it out, and autograd.Function gives one", name))
		}
	}
}

// numberOfAny returns the value of a number of Go.
func numberOfAny(v any) (n number, ok bool) {
	switch x := v.(type) {
	case bool:
		return numberOf(x), true
	case int:
		return numberOf(int64(x)), true
	case int8:
		return numberOf(x), true
	case int16:
		return numberOf(x), true
	case int32:
		return numberOf(x), true
	case int64:
		return numberOf(x), true
	case uint:
		return numberOf(uint64(x)), true
	case uint8:
		return numberOf(x), true
	case uint16:
		return numberOf(x), true
	case uint32:
		return numberOf(x), true
	case uint64:
		return numberOf(x), true
	case float32:
		return numberOf(x), true
	case float64:
		return numberOf(x), true
	case dtype.F16:
		return numberOf(x), true
	case dtype.BF16:
		return numberOf(x), true
	}
	return n, false
}

// bitsAs returns the bits of an element of type d that is n, which fits; floats are rounded.
func (n number) bitsAs(d dtype.DType) int64 {
	switch d {
	case dtype.Float16:
		return int64(dtype.ToF16(float32(n.float())))
	case dtype.BFloat16:
		return int64(dtype.ToBF16(float32(n.float())))
	case dtype.Float32:
		return int64(math.Float32bits(float32(n.float())))
	case dtype.Float64:
		return int64(math.Float64bits(n.float()))
	}
	whole, _ := n.integer()
	return int64(whole.bits)
}
