package cpu

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// widenings are the names of the kernels on float16 and bfloat16 that registerFloats and registerUpdates make, and whether the results
// are read, too.
var widenings = map[string]bool{}

// readings tell which input the kernel of an operator on float32 reads as it is; nil is none.
var readings = map[string]func(a *device.Arguments) *device.View{}

func registerReading(operator string, reads func(a *device.Arguments) *device.View) struct{} {
	readings[operator] = reads
	return struct{}{}
}

// registerFloats registers the kernels of an operator, on float32 and float64, and makes those on float16 and bfloat16: they cast the
// operands to float32 in temporary memory, call the kernel for that, and round each result once, when they cast it back. Operands of
// other types, such as indices, stay as they are.
func registerFloats(operator string, entries ...entry) struct{} {
	return registerWidening(operator, false, entries)
}

// registerUpdates is registerFloats for an operator whose results hold what it changes.
func registerUpdates(operator string, entries ...entry) struct{} {
	return registerWidening(operator, true, entries)
}

func registerWidening(operator string, updates bool, entries []entry) struct{} {
	for _, half := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		entries = append(entries[:len(entries):len(entries)], entry{half.String(), widening(operator, half, updates)})
		widenings[device.KernelName(operator, half)] = updates
	}
	return register(operator, entries...)
}

func widening(operator string, half dtype.DType, updates bool) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		wide, before, after := widened(operator, &scratch{memory: a.Scratch}, a, half, updates)
		for _, c := range before {
			if err := castView(t, c); err != nil {
				return err
			}
		}
		single, _ := Lookup(device.KernelName(operator, dtype.Float32))
		if err := single(t, wide); err != nil {
			return err
		}
		for _, c := range after {
			if err := castView(t, c); err != nil {
				return err
			}
		}
		return nil
	}
}

// widened returns the arguments of the kernel on float32, and what is to be cast before and after it. That kernel takes temporary memory
// of its own: what the operator has borrowed is for the operands and results.
func widened(operator string, s *scratch, a *device.Arguments, half dtype.DType, updates bool) (wide *device.Arguments, before, after []transfer) {
	wide = &device.Arguments{Inputs: slices.Clone(a.Inputs), Outputs: slices.Clone(a.Outputs), Integers: a.Integers, Scalars: a.Scalars}
	var kept *device.View
	if reads, found := readings[operator]; found {
		kept = reads(a)
	}
	for i, view := range a.Inputs {
		if view.DType == half && &a.Inputs[i] != kept {
			single := view
			single.DType = dtype.Float32
			packed, once := packing(s, single)
			once.from.DType = half
			wide.Inputs[i], before = packed, append(before, once)
		}
	}
	for i, view := range a.Outputs {
		if view.DType == half {
			single := view
			single.DType = dtype.Float32
			wide.Outputs[i] = newPacked(s, single)
			after = append(after, transfer{view, wide.Outputs[i]})
			if updates {
				before = append(before, transfer{wide.Outputs[i], view})
			}
		}
	}
	return wide, before, after
}

// Widens reports whether the kernel of the given name is one of float16 or bfloat16 that computes in float32.
func Widens(name string) bool {
	_, found := widenings[name]
	return found
}

// WideningScratch returns the bytes of temporary memory that such a kernel of the operator takes. Pointers of a are not looked at.
func WideningScratch(operator string, half dtype.DType, a *device.Arguments) int {
	s := scratch{dry: true}
	widened(operator, &s, a, half, false) // Whether results are read takes no memory.
	return demand(s.bytes)
}
