package cuda

import (
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// The sizes of struct Clip in clip.cuh.
const (
	maxClipped = 160
	clipChunk  = 16384
)

// clipped is struct Clipped.
type clipped struct{ start, count, first uint64 }

// clip is struct Clip.
type clip struct {
	arrays uint64
	most   float64
	norms  uint64
	array  [maxClipped]clipped
}

// clipNorm scales all Outputs but the last in launches of up to maxClipped arrays of one element type: one for the
// norms of their parts, one or two for the norm of those, and one that scales. Arrays that are not in row-major order are
// copied before, and back. Those that share memory are scaled one by one.
func clipNorm(l *launcher, a *device.Arguments) error {
	last := len(a.Outputs) - 1
	plan, _ := planClip(a)
	limit := a.Scalars[0]
	for i := range plan.packed {
		if err := plan.pack(l, a, i); err != nil {
			return err
		}
	}
	parts := 0
	err := plan.each(func(of dtype.DType, views []device.View) error {
		blocks, err := l.group("norms", of, views, limit, plan.norms.Pointer.Add(8*parts))
		parts += blocks
		return err
	})
	if err != nil {
		return err
	}
	if err := l.joinNorms(&plan, a.Outputs[last]); err != nil {
		return err
	}
	limits := func(of dtype.DType, views []device.View) error {
		_, err := l.group("limits", of, views, limit, a.Outputs[last].Pointer)
		return err
	}
	if areApart(a.Outputs[:last], nil) {
		err = plan.each(limits)
		for i := range plan.packed {
			if err == nil {
				err = plan.unpack(l, a, i)
			}
		}
		return err
	}
	for i, v := range plan.packed {
		if v.Count() == 0 {
			continue
		}
		if err := plan.pack(l, a, i); err != nil { // as those before have left it
			return err
		}
		if err := limits(v.DType, plan.packed[i:][:1]); err != nil {
			return err
		}
		if err := plan.unpack(l, a, i); err != nil {
			return err
		}
	}
	return nil
}

// joinNorms enqueues what writes the norm of the norms of parts to result. A block takes so many that two launches are enough.
func (l *launcher) joinNorms(p *clipPlan, result device.View) error {
	norms := p.norms
	if norms.Count() == 0 {
		doubles := &launcher{l.backend, l.context, l.stream, "float64"}
		return doubles.fold("norm", &device.Arguments{Outputs: []device.View{result}, Inputs: []device.View{norms}, Integers: []int64{1}, Scalars: []float64{2}})
	}
	if norms.Count() > clipChunk {
		blocks, err := l.group("norms", dtype.Float64, []device.View{norms}, 0, p.scratch)
		if err != nil {
			return err
		}
		norms.Pointer, norms.Shape = p.scratch, []int{blocks}
	}
	_, err := l.group("norms", dtype.Float64, []device.View{norms}, 0, result.Pointer)
	return err
}

// clipPlan is where a call of clipNorm has what.
type clipPlan struct {
	packed  []device.View  // the arrays, or copies of those that are not in row-major order
	norms   device.View    // of parts
	scratch device.Pointer // for norms of those, where they are many
}

// planClip returns the plan of a call, and the bytes of temporary memory.
func planClip(a *device.Arguments) (p clipPlan, bytes int) {
	parts, at := 0, func(n int) device.Pointer {
		place := a.Scratch.Add(bytes)
		bytes += (n + 255) &^ 255
		return place
	}
	for _, v := range a.Outputs[:len(a.Outputs)-1] {
		parts += (v.Count() + clipChunk - 1) / clipChunk
		if isStrided(v) {
			strides, next := make([]int, len(v.Shape)), 1
			for axis := len(v.Shape) - 1; axis >= 0; axis-- {
				strides[axis] = next
				next *= v.Shape[axis]
			}
			v = device.View{Pointer: at(next * v.DType.Size()), DType: v.DType, Shape: v.Shape, Strides: strides}
		}
		p.packed = append(p.packed, v)
	}
	p.norms = device.View{Pointer: at(8 * parts), DType: dtype.Float64, Shape: []int{parts}, Strides: []int{1}}
	p.scratch = at(8 * ((parts + clipChunk - 1) / clipChunk))
	return p, bytes
}

// pack copies Outputs[i] to where it is in row-major order; where it is already, nothing is done.
func (p *clipPlan) pack(l *launcher, a *device.Arguments, i int) error {
	return copyBetween(l, p.packed[i], a.Outputs[i], a.Outputs[i])
}

// unpack copies it back.
func (p *clipPlan) unpack(l *launcher, a *device.Arguments, i int) error {
	return copyBetween(l, a.Outputs[i], p.packed[i], a.Outputs[i])
}

// copyBetween copies from one view to another if the one that the program gave is strided.
func copyBetween(l *launcher, to, from, given device.View) error {
	if !isStrided(given) {
		return nil
	}
	return l.launch("copy", to.DType.String(), &device.Arguments{Outputs: []device.View{to}, Inputs: []device.View{from}})
}

// each calls f with the arrays of each element type.
func (p *clipPlan) each(f func(of dtype.DType, views []device.View) error) error {
	for _, of := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		var views []device.View
		for _, v := range p.packed {
			if v.DType == of && v.Count() > 0 {
				views = append(views, v)
			}
		}
		if len(views) == 0 {
			continue
		}
		if err := f(of, views); err != nil {
			return err
		}
	}
	return nil
}

// group enqueues a kernel for arrays of one element type, whose blocks have places in norms one after the other, or all
// look at the first. It returns how many blocks there are.
func (l *launcher) group(operator string, of dtype.DType, views []device.View, most float64, norms device.Pointer) (all int, err error) {
	name := operator + "/" + of.String()
	found, ok := findKernel(name)
	if !ok {
		panic("cuda: a recipe wants " + name)
	}
	f, err := l.stream.unit.modules.function(l.context, found)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	for len(views) > 0 {
		c, blocks := &clip{most: most, norms: uint64(norms.Address)}, 0
		for len(views) > 0 && c.arrays < maxClipped {
			v := views[0]
			parts := (v.Count() + clipChunk - 1) / clipChunk
			if blocks+parts > 1<<31-1 {
				break
			}
			c.array[c.arrays] = clipped{uint64(v.Pointer.Address), uint64(v.Count()), uint64(blocks)}
			c.arrays++
			blocks += parts
			views = views[1:]
		}
		if blocks == 0 {
			return all, fmt.Errorf("%s: an array has %d elements, more than a launch has blocks for", name, views[0].Count())
		}
		if err := l.context.Launch(f, blocks, eachThreads, 0, l.stream.handle, unsafe.Pointer(c)); err != nil {
			return all, err
		}
		l.stream.launched()
		all += blocks
		if operator == "norms" {
			norms = norms.Add(8 * blocks)
		}
	}
	return all, nil
}

func clipScratch(a *device.Arguments) int {
	_, bytes := planClip(a)
	return bytes
}
