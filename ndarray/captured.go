package ndarray

import (
	"fmt"
	"slices"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Captured is a function of arrays whose calls cost little more than its kernels: a step of training, or a model that
// is asked again and again. All methods may be called from any goroutine. The results of a call are overwritten by the
// next one, whoever makes it: copy what is to last, and have who share a Captured read or copy before another calls it;
// see Call.
//
// The first call with inputs of certain shapes, dtypes and devices calls the function, the second calls and captures it
// (see Env.Capture), and all later ones replay that. There is a capture for each of the first eight combinations; it
// keeps the memory of all that the function makes. Calls with others call the function.
//
// On a CPU a replay reads its inputs where they are, so that what writes to them later waits for its end. Copied first
// are inputs that do not lie row by row, or that the function writes to as it knows them otherwise, and all inputs on
// other devices, and of functions that draw.
//
// The function has to call the same operators each time it gets such inputs, whatever they contain: the numbers that it
// passes, arrays that it makes of Go's memory, and which way it took, stay as they were in the second call. It gets an
// Env, and its inputs in that Env. What it computes of other arrays alone has to be brought there with Array.In, and
// what it draws to be drawn there: then random numbers are new in each call, and the same as if the function had been
// called. It must not write to its inputs, nor keep them for later: they are released. Other arrays it may write, in
// its Env, where nobody else should write to them while it is captured. What it makes and updates it makes there too,
// as with ZerosIn, FullIn or Copy. It must not release the Captured that it is the function of, nor call it with inputs
// of one kind, nor wait for who does: the second call would wait for itself.
type Captured struct {
	env      *Env
	function func(env *Env, inputs []*Array) []*Array

	mu       sync.Mutex
	variants []*variant
	released *fault.Site
}

// mostVariants is how many kinds of inputs have a capture.
const mostVariants = 8

// variant is a Captured for inputs of one kind.
type variant struct {
	kind []form // of the inputs

	mu       sync.Mutex
	called   bool
	results  []form // of the first call
	capture  *Capture
	outputs  []*Array
	released bool
}

// form is what arrays that take one another's place have in common.
type form struct {
	shape  []int
	dtype  dtype.DType
	device device.Device
}

func (f *form) fits(a *Array) bool {
	return f.dtype == a.DType() && f.device == a.Device() && slices.Equal(f.shape, a.tensor().Shape())
}

func formsOf(arrays []*Array) (forms []form) {
	for _, a := range arrays {
		forms = append(forms, form{a.Shape(), a.DType(), a.Device()})
	}
	return forms
}

func fit(forms []form, arrays []*Array) bool {
	for i, a := range arrays {
		if i >= len(forms) || !forms[i].fits(a) {
			return false
		}
	}
	return len(forms) == len(arrays)
}

// NewCaptured returns a Captured that computes in env, as the function does if it computes in the Env it gets. Nothing
// is called yet. A memory scope of env must not be closed before Release.
func NewCaptured(env *Env, function func(env *Env, inputs []*Array) []*Array) *Captured {
	checkEnv("NewCaptured", env)
	if function == nil {
		fail("NewCaptured", fault.ErrMisuse, "the function is nil")
	}
	return &Captured{env: env, function: function}
}

// Call returns what the function gives for inputs, at once, in the Env of NewCaptured and watched by no tape. From the
// second call on these are always the same arrays for inputs of one kind, which the next call overwrites: what is to
// outlive it is to be copied, and who shares c among goroutines has to keep others from calling it before the results
// are read. Calls with inputs of one kind come one after another, from the second on.
//
// Errors of inputs, and those that the function would have given, stick to the results, and to what else it writes, as
// always; the next call begins anew with what it writes without reading it. On a GPU an error is one of all that is
// written with it there, also of arrays that the function updates, such as running averages, which stay in error: see
// the guide to captures. A panic of the function goes on, and the next call captures it again. Call panics with *Error
// as the function would; if a tape watches an input; if one is a scalar that is weak (see Weak), as it would be one no
// more; if what the function gave for inputs of one kind in its second call has other shapes than in the first; if it
// has written to an input, or read what it had drawn outside its Env, or computed there of arrays that operators have
// written; if it has updated an array that it made outside, or has written to one both in its Env and outside; and if a
// live tape has saved results of an earlier call, or they were released. With an input in the Env of a capture that is
// being made, as in another Captured, it calls the function as a part of that.
func (c *Captured) Call(inputs ...*Array) []*Array {
	checkNotNil("Captured.Call", inputs...)
	env, nested := c.env, c.env.Captures()
	for i, in := range inputs {
		if in.Detach() != in {
			fail("Captured.Call", fault.ErrMisuse, fmt.Sprintf("input %d is watched by a tape, which would not see the calls: detach it", i), inputs...)
		}
		if in.tensor().IsScalar() {
			fail("Captured.Call", fault.ErrMisuse, fmt.Sprintf("input %d is a weak scalar: give an array of one element of the dtype that it is to have", i), inputs...)
		}
		if in.Env().Captures() {
			env, nested = env.WithCaptureOf(in.Env()), true
		}
	}
	if nested {
		return c.run(env, inputs)
	}
	v := c.variant(inputs)
	if v == nil {
		return c.run(env, inputs)
	}
	return v.call(c, inputs)
}

// run calls the function in env.
func (c *Captured) run(env *Env, inputs []*Array) (outputs []*Array) {
	placed := make([]*Array, len(inputs))
	for i, in := range inputs {
		placed[i] = place(in, env)
	}
	for i, out := range c.function(env, placed) {
		if out == nil {
			fail("Captured.Call", fault.ErrMisuse, fmt.Sprintf("result %d of the function is nil", i), inputs...)
		}
		outputs = append(outputs, place(out.Detach(), env))
	}
	return outputs
}

// place returns a in env, on its own device.
func place(a *Array, env *Env) *Array {
	if d := a.Device(); d != env.Device() {
		env = env.WithDevice(d)
	}
	return a.In(env)
}

// variant returns what is for inputs of the kind of the given ones, nil if there are too many.
func (c *Captured) variant(inputs []*Array) *variant {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checkUnreleased(c.released)
	for _, v := range c.variants {
		if fit(v.kind, inputs) {
			return v
		}
	}
	if len(c.variants) == mostVariants {
		return nil
	}
	v := &variant{kind: formsOf(inputs)}
	c.variants = append(c.variants, v)
	return v
}

func (c *Captured) checkUnreleased(released *fault.Site) {
	if released != nil {
		fail("Captured.Call", fault.ErrReleased, "it was released at "+released.String())
	}
}

func (v *variant) call(c *Captured, inputs []*Array) []*Array {
	if !v.isCalled() {
		outputs := c.run(c.env, inputs) // while others may do so too: it may call c, with inputs of another kind
		v.mu.Lock()
		defer v.mu.Unlock()
		v.called, v.results = true, formsOf(outputs)
		return outputs
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.released {
		c.checkUnreleased(c.site())
	}
	if v.capture == nil {
		v.make(c, inputs)
	} else {
		v.capture.ReplayWith(tensors(inputs)...)
	}
	return slices.Clone(v.outputs)
}

func (v *variant) isCalled() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.called
}

// make calls the function, with copies of inputs, and captures it.
func (v *variant) make(c *Captured, inputs []*Array) {
	copies := make([]*Array, len(inputs))
	for i, in := range inputs {
		copies[i] = place(in, c.env).Copy()
	}
	var outputs []*Array
	capture := c.env.CaptureFunction(tensors(copies), func(env *Env) []*ops.Tensor {
		outputs = c.run(env, copies)
		for i, out := range outputs {
			if slices.ContainsFunc(copies, func(in *Array) bool { return in.tensor().SharesMemory(out.tensor()) }) {
				outputs[i] = out.Copy() // The next call writes its inputs there, of which this result may be one.
			}
		}
		return tensors(outputs)
	})
	if !fit(v.results, outputs) {
		capture.Release()
		v.called = false
		fail("Captured.Call", fault.ErrMisuse, fmt.Sprintf(
			"the function returned %s, and %s for inputs of the same kind before", texts(formsOf(outputs)), texts(v.results)), inputs...)
	}
	for i, out := range outputs {
		outputs[i] = place(out, c.env)
	}
	v.capture, v.outputs = capture, outputs
}

// texts returns forms for people.
func texts(forms []form) (text string) {
	for i, f := range forms {
		if i > 0 {
			text += ", "
		}
		text += f.dtype.String() + " " + fault.FormatShape(f.shape)
	}
	return "[" + text + "]"
}

// Release lets go of all captures; see Capture.Release. Arrays that Call has returned stay with those who hold them.
// Call panics from now on. Releasing again is harmless.
func (c *Captured) Release() {
	c.mu.Lock()
	variants := c.variants
	if c.released == nil {
		c.released = fault.Here(1)
	}
	c.variants = nil
	c.mu.Unlock()
	for _, v := range variants {
		v.release()
	}
}

func (v *variant) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.released = true
	if v.capture != nil {
		v.capture.Release()
	}
	v.capture, v.outputs = nil, nil
}

// site returns where c was released, nil if it was not.
func (c *Captured) site() *fault.Site {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.released
}
