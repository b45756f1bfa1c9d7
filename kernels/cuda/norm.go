package cuda

import (
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// rows is what is normalised: the last axes of an array together, for each index of those before.
type rows struct {
	outer int   // axes before
	kept  []int // the axes along which scale has elements, which follow one another
}

// count returns how many rows an array has, and how many elements a row.
func (r *rows) count(shape []int) (rows, length int) {
	return elements(shape[:r.outer]), elements(shape[r.outer:])
}

// rowsOf are those of layer_norm and rms_norm: scale has their axes.
func rowsOf(a *device.Arguments) rows {
	rank := len(a.Inputs[0].Shape)
	outer := rank - int(a.Integers[0])
	r := rows{outer: outer}
	for axis := outer; axis < rank; axis++ {
		r.kept = append(r.kept, axis)
	}
	return r
}

// groupsOf are those of group_norm, whose operands have the axes samples, groups, channels of a group, and others.
func groupsOf(*device.Arguments) rows { return rows{2, []int{1, 2}} }

// batchOf are those of batch_norm, whose operands have the axis of channels before all others.
func batchOf(*device.Arguments) rows { return rows{1, []int{0}} }

// spread returns a view of scale, or of what has its shape, with the axes of shape.
func (r *rows) spread(v device.View, shape []int) device.View {
	strides := make([]int, len(shape))
	if len(v.Strides) == len(r.kept) {
		for i, axis := range r.kept {
			strides[axis] = v.Strides[i]
		}
	} else { // channels that are divided into groups
		strides[r.kept[0]], strides[r.kept[1]] = v.Strides[0]*shape[r.kept[1]], v.Strides[0]
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// ofRows returns a view of numbers of 16 bytes, one for each row, with the axes of shape.
func (r *rows) ofRows(at device.Pointer, shape []int) device.View {
	v := device.View{Pointer: at, DType: dtype.Complex128, Shape: shape, Strides: make([]int, len(shape))}
	next := 1
	for axis := r.outer - 1; axis >= 0; axis-- {
		v.Strides[axis] = next
		next *= shape[axis]
	}
	return v
}

// keptFirst returns views with the axes of scale before all others.
func (r *rows) keptFirst(views ...device.View) []device.View {
	order := slices.Clone(r.kept)
	for axis := range views[0].Shape {
		if !slices.Contains(order, axis) {
			order = append(order, axis)
		}
	}
	moved := []device.View{}
	for _, v := range views {
		moved = append(moved, permuted(v, order))
	}
	return moved
}

// normScratch is where the numbers of rows are, and the partial results of reductions.
type normScratch struct{ standards, sums, partial device.Pointer }

func (r *rows) scratch(a *device.Arguments) (s normScratch, bytes int) {
	shape := a.Inputs[0].Shape
	rows, length := r.count(shape)
	s.standards = a.Scratch
	s.sums = s.standards.Add(16 * rows)
	s.partial = s.sums.Add(16 * rows)
	channels := 1
	for _, axis := range r.kept {
		channels *= shape[axis]
	}
	return s, 32*rows + max(foldScratch(rows, length), foldScratch(channels, elements(shape)/max(channels, 1)))
}

func (r *rows) bytes(a *device.Arguments) int {
	_, bytes := r.scratch(a)
	return bytes
}

// fits reports whether a block takes rows of a shape as a whole.
func (r *rows) fits(shape []int) bool {
	_, elements := r.count(shape)
	return elements <= holdThreads*heldElements
}

// norm runs a normalisation of the rows that of tells, with a mean if they are centred: of Inputs x, scale and perhaps bias. Outputs are
// the result and perhaps means and variances. Scalars[0] is epsilon.
func norm(of func(*device.Arguments) rows, centred bool) recipe {
	return recipe{
		kernel:  "normalise_rows",
		scratch: func(a *device.Arguments) int { r := of(a); return r.bytes(a) },
		run: func(l *launcher, a *device.Arguments) error {
			r, x := of(a), a.Inputs[0]
			if x.Count() == 0 && len(a.Outputs) == 1 {
				return nil
			}
			inputs := []device.View{x}
			for _, v := range a.Inputs[1:] {
				inputs = append(inputs, r.spread(v, x.Shape))
			}
			biased := len(inputs) > 2
			if !biased {
				inputs = append(inputs, device.View{Shape: x.Shape, Strides: make([]int, len(x.Shape))})
			}
			if len(a.Outputs) == 1 && r.fits(x.Shape) {
				inner := int64(len(x.Shape) - r.outer)
				return l.launch("normalise_rows", l.types, &device.Arguments{
					Outputs: a.Outputs, Inputs: inputs, Integers: []int64{bit(centred), bit(biased), inner}, Scalars: a.Scalars,
				})
			}
			s, _ := r.scratch(a)
			if err := l.moments(&r, &s, x, a.Outputs[1:], centred, a.Scalars); err != nil {
				return err
			}
			return l.launch("normalise", l.types, &device.Arguments{
				Outputs: a.Outputs[:1], Inputs: append(inputs, r.ofRows(s.standards, x.Shape)), Integers: []int64{bit(centred), bit(biased)},
			})
		},
	}
}

// moments enqueues what computes the standards of rows; wanted are none, or views for means and variances. Elements of float64 are gone
// over twice, because their squares are rounded.
func (l *launcher) moments(r *rows, s *normScratch, x device.View, wanted []device.View, centred bool, scalars []float64) error {
	outputs := []device.View{r.ofRows(s.standards, x.Shape)}
	for _, v := range wanted {
		outputs = append(outputs, extended(v, x.Shape))
	}
	for len(outputs) < 3 {
		outputs = append(outputs, device.View{Shape: x.Shape, Strides: make([]int, len(x.Shape))})
	}
	passes := 1
	if centred && x.DType == dtype.Float64 {
		passes = 2
	}
	for pass := range passes {
		err := l.fold("moments", &device.Arguments{
			Outputs: outputs, Inputs: []device.View{x}, Scalars: scalars, Scratch: s.partial,
			Integers: []int64{int64(len(x.Shape) - r.outer), int64(pass), bit(len(wanted) > 0), bit(centred)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// normGradient runs the gradient of a normalisation, of Inputs x, scale and upstream: with respect to x, scale and, if there is a third
// output, bias.
func normGradient(of func(*device.Arguments) rows, centred bool) recipe {
	return recipe{
		kernel:  "normalise_rows",
		scratch: func(a *device.Arguments) int { r := of(a); return r.bytes(a) },
		run: func(l *launcher, a *device.Arguments) error {
			r, x, upstream := of(a), a.Inputs[0], a.Inputs[2]
			s, _ := r.scratch(a)
			scale, standards := r.spread(a.Inputs[1], x.Shape), r.ofRows(s.standards, x.Shape)
			var err error
			switch {
			case x.Count() == 0: // but there are scales
			case r.fits(x.Shape):
				err = l.launch("normalise_rows_gradient", l.types, &device.Arguments{
					Outputs: []device.View{a.Outputs[0], standards}, Inputs: []device.View{x, scale, upstream}, Scalars: a.Scalars,
					Integers: []int64{bit(centred), int64(len(x.Shape) - r.outer)},
				})
			default:
				err = l.slopes(&r, &s, a, scale, centred)
			}
			if err != nil {
				return err
			}
			inputs := r.keptFirst(x, upstream, standards)
			inner := int64(len(x.Shape) - len(r.kept))
			outputs := []device.View{}
			for _, v := range a.Outputs[1:] {
				outputs = append(outputs, r.keptFirst(r.spread(v, x.Shape))[0])
			}
			biased := len(outputs) > 1
			if !biased {
				outputs = append(outputs, device.View{Shape: outputs[0].Shape, Strides: make([]int, len(x.Shape))})
			}
			return l.fold("scale_slopes", &device.Arguments{
				Outputs: outputs, Inputs: inputs, Integers: []int64{inner, bit(biased)}, Scratch: s.partial,
			})
		},
	}
}

// slopes enqueues the gradient of x of rows that are long.
func (l *launcher) slopes(r *rows, s *normScratch, a *device.Arguments, scale device.View, centred bool) error {
	x, upstream := a.Inputs[0], a.Inputs[2]
	standards, sums := r.ofRows(s.standards, x.Shape), r.ofRows(s.sums, x.Shape)
	if err := l.moments(r, s, x, nil, centred, a.Scalars); err != nil {
		return err
	}
	_, elements := r.count(x.Shape)
	err := l.fold("slopes", &device.Arguments{
		Outputs: []device.View{sums}, Inputs: []device.View{x, scale, upstream, standards}, Integers: []int64{int64(len(x.Shape) - r.outer)}, Scratch: s.partial,
	})
	if err != nil {
		return err
	}
	return l.launch("slope", l.types, &device.Arguments{
		Outputs: a.Outputs[:1], Inputs: []device.View{x, scale, upstream, standards, sums}, Integers: []int64{bit(centred)}, Scalars: []float64{float64(elements)},
	})
}

// batchNormInference normalises Inputs[0] with scales, biases, means and variances of channels, the first axis.
func batchNormInference(l *launcher, a *device.Arguments) error {
	r, shape := batchOf(a), a.Inputs[0].Shape
	inputs := []device.View{a.Inputs[0]}
	for _, v := range a.Inputs[1:] {
		inputs = append(inputs, r.spread(v, shape))
	}
	return l.launch("batch_norm_inference", l.types, &device.Arguments{Outputs: a.Outputs, Inputs: inputs, Scalars: a.Scalars})
}
