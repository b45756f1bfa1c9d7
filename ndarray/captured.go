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

// Captured is a function of arrays whose calls cost little more than its kernels: a training step, or a model that is evaluated
// again and again. All methods may be called from any goroutine. The results of a call are overwritten by the next call, from
// whatever goroutine: copy what must last, and if goroutines share a Captured, let each read or copy its results before another
// calls; see Call.
//
// The first call with inputs of certain shapes, dtypes and devices calls the function, the second calls and captures it (see
// Env.Capture), and later ones replay that. The first eight combinations of these have a capture each, which keeps the memory
// of all that the function makes. Calls with other combinations call the function.
//
// On a CPU a replay reads its inputs where they are, so that later writes to them wait for its end. Copied first are inputs
// that are not row-major, those whose memory the function writes to under another name, and all inputs that are on other
// devices, or of functions that draw random numbers.
//
// The function must call the same operators each time it gets such inputs, whatever they contain: the numbers that it passes,
// the arrays that it makes from Go's memory, and the branches that it takes, stay as they were in the second call. It gets an
// Env, and its inputs in that Env. If it computes from other arrays alone, it must bring them into that Env with Array.In, and
// it must draw random numbers there: then they are new in each call, and the same as if the function had been called. It must
// not write to its inputs, nor keep them for later: they are released. It may write to other arrays, in its Env; nobody else
// should write to them while it is captured. Arrays that it makes and then updates it must also make in its Env, by ZerosIn,
// FullIn or Copy for example. It must not release the Captured whose function it is, nor call it with inputs of the same kind,
// nor wait for a goroutine that does: the second call would wait for itself.
type Captured struct {
	env      *Env
	function func(env *Env, inputs []*Array) []*Array

	mu       sync.Mutex
	variants []*variant
	released *fault.Site
}

// mostVariants is how many kinds of inputs have a capture.
const mostVariants = 8

// variant is the part of a Captured for inputs of one kind.
type variant struct {
	kind []form // of the inputs

	mu       sync.Mutex
	called   bool
	results  []form // of the first call
	capture  *Capture
	outputs  []*Array
	released bool
}

// form is what two arrays must have in common for one to take the place of the other.
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

// NewCaptured returns a Captured of function that computes in env, provided that function computes in the Env it gets. Nothing
// is called yet. A memory scope of env must not be closed before Release.
func NewCaptured(env *Env, function func(env *Env, inputs []*Array) []*Array) *Captured {
	checkEnv("NewCaptured", env)
	if function == nil {
		fail("NewCaptured", fault.ErrMisuse, "the function is nil")
	}
	return &Captured{env: env, function: function}
}

// Call returns the results of the function for inputs, at once, in the Env of NewCaptured and watched by no tape. From the
// second call on these are always the same arrays for inputs of one kind, which the next call overwrites: copy what must
// outlive it, and if goroutines share c, keep others from calling it before the results are read. From the second on, calls
// with inputs of one kind run one after another.
//
// Errors of inputs, and those of the function's operators, stick to the results, and to whatever else it writes, as always;
// they are gone with the next call from what that writes without reading it. On a GPU an error is one of everything that the
// replay writes there, also of arrays that the function updates, such as running averages, which stay in error: see the guide
// to captures. A panic of the function is passed on, and the next call captures it again. With an input in the Env of a capture
// that is being made, as in the function of another Captured, Call calls the function as a part of that capture.
//
// Call panics with *Error as the function would; if a tape watches an input; if an input is a weak scalar (see Weak), which
// would no longer be one; if the results of the second call with inputs of one kind have other shapes than those of the first;
// if the function has written to an input, or used what it has drawn, or computed from arrays that operators have written,
// outside its Env; if it has updated an array that it made outside, or has written to one both inside and outside; and if a
// live tape has saved results of an earlier call, or they were released.
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

// Release lets go of all captures; see Capture.Release. Arrays that Call has returned stay valid. From now on Call panics.
// Releasing again is harmless.
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
