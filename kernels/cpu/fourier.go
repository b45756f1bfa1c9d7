package cpu

import (
	"slices"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/fourier"
	"github.com/weft-nd/weft/parallel"
)

// fewStages are those that have room on the stack.
const fewStages = 4

// fourierStage is a transform along one axis.
type fourierStage struct {
	form        fourier.Form
	axis, count int
}

// given is how many numbers there are on a line before the stage.
func (s fourierStage) given() int {
	if s.form == fourier.ToReal {
		return s.count/2 + 1
	}
	return s.count
}

// appendStages appends the stages of a transform along the given axes into the given shape: the last axis first, or
// last if the result is real. Count is that of the last axis in numbers, real ones unless the form is fourier.Complex.
func appendStages(stages []fourierStage, form fourier.Form, shape []int, axes []int64, count int) []fourierStage {
	for i := range axes {
		axis := int(axes[len(axes)-1-i])
		s := fourierStage{fourier.Complex, axis, shape[axis]}
		if i == 0 {
			s.form, s.count = form, count
		}
		stages = append(stages, s)
	}
	if form == fourier.ToReal {
		slices.Reverse(stages)
	}
	return stages
}

// betweenShape returns the shape of the complex numbers that are left before the stage that makes real ones of them, of some stages: nil if
// there is no other stage.
func betweenShape(stages []fourierStage, shape []int) []int {
	last := stages[len(stages)-1]
	if len(stages) == 1 || last.form != fourier.ToReal {
		return nil
	}
	shape = slices.Clone(shape)
	shape[last.axis] = last.count/2 + 1
	return shape
}

// FourierScratch returns the bytes of temporary memory that a transform takes along the given axes into the given
// shape, of complex numbers of size bytes; count is that of the last axis in numbers.
func FourierScratch(form fourier.Form, shape []int, axes []int64, count, size int) int {
	if product(shape) == 0 { // The kernel does nothing.
		return 0
	}
	s := scratch{dry: true}
	var room [fewStages]fourierStage
	stages := appendStages(room[:0], form, shape, axes, count)
	if between := betweenShape(stages, shape); between != nil {
		s.take(product(between) * size)
	}
	s.take(2 * sharedRoom(stages) * size)
	return demand(s.bytes)
}

// sharedRoom returns how many numbers there are on the longest line that threads share.
func sharedRoom(stages []fourierStage) (most int) {
	for _, s := range stages {
		if room, isShared := fourier.Room(s.form, s.count); isShared {
			most = max(most, room)
		}
	}
	return most
}

// fourierKernel is the kernel that transforms Inputs[0] into Outputs[0] along axes. Integers are whether exponents have
// the other sign, how many numbers there are along the last axis, and the axes; Scalars[0] is what results are
// multiplied by. Inputs that end before the result along an axis that is transformed go on with zeros, and what is
// behind its end is not looked at.
func fourierKernel[T dtype.Float](form fourier.Form) Kernel {
	return func(t *parallel.Thread, a *device.Arguments) error {
		output, input := a.Outputs[0], a.Inputs[0]
		if output.Count() == 0 {
			return nil
		}
		var room [fewStages]fourierStage
		stages := appendStages(room[:0], form, output.Shape, a.Integers[2:], int(a.Integers[1]))
		s := scratch{memory: a.Scratch}
		between := output
		if shape := betweenShape(stages, output.Shape); shape != nil {
			d := complexOf[T]()
			between = linesAt(s.take(product(shape)*d.Size()), device.View{DType: d, Shape: shape})
		}
		f := fourierRun[T]{thread: t, extents: slices.Clone(input.Shape)}
		if room := sharedRoom(stages); room > 0 {
			memory := s.take(2 * room * complexOf[T]().Size())
			f.shared = fourier.WorkspaceIn(slice[fourier.Number[T]](memory.Host, 2*room))
		}
		for _, stage := range stages {
			f.extents[stage.axis] = min(f.extents[stage.axis], stage.given())
		}
		for i, stage := range stages {
			target, factor := between, T(1)
			if i == len(stages)-1 {
				target, factor = output, T(a.Scalars[0])
			}
			f.stage(target, input, stage.axis, fourier.New(stage.form, stage.count, a.Integers[0] != 0, factor))
			input = target
		}
		return nil
	}
}

// fourierRun is a transform, stage by stage.
type fourierRun[T dtype.Float] struct {
	thread  *parallel.Thread
	extents []int                 // of what is not zeros
	shared  *fourier.Workspace[T] // for lines that threads share
}

// stage transforms lines along an axis from input to output. Where there are zeros alone there is nothing to do: they
// will be behind the ends of lines along other axes.
func (f *fourierRun[T]) stage(output, input device.View, axis int, transform *fourier.Transform[T]) {
	lineOf := func(view device.View) device.View {
		view.Shape = f.extents
		return without(view, axis)
	}
	n := newNest(lineOf(output), lineOf(input))
	l := fourierLoop[T]{
		nest: n, transform: transform, to: fourierLines[T](n, 0, output, axis), from: fourierLines[T](n, 1, input, axis), given: f.extents[axis], together: 1,
	}
	switch {
	case n.count == 0:
	case transform.IsShared():
		l.run(f.thread, f.shared, 0, n.count)
	default:
		l.near = magnitude(l.to.Next) < magnitude(l.to.Step) || magnitude(l.from.Next) < magnitude(l.from.Step)
		l.together = transform.Together(l.near)
		f.thread.ForCost(n.count, transform.Cost(), func(t *parallel.Thread, lo, hi int) {
			w := fourier.Borrow[T](transform.Room(), l.together)
			defer w.GiveBack()
			l.run(t, w, lo, hi)
		})
	}
	f.extents[axis] = output.Shape[axis]
}

// fourierLoop transforms lines, so many of them together.
type fourierLoop[T dtype.Float] struct {
	nest      *nest // over what is not along the axis
	transform *fourier.Transform[T]
	to, from  fourier.Lines // the first of them
	given     int
	together  int
	near      bool
}

// run transforms the lines from lo to before hi.
func (l *fourierLoop[T]) run(t *parallel.Thread, w *fourier.Workspace[T], lo, hi int) {
	to, from := l.to, l.from
	var c cursor
	for c.seek(l.nest, lo); lo < hi; {
		lines := min(l.together, c.rest, hi-lo)
		to.Start, from.Start = c.pointer(0), c.pointer(1)
		l.transform.Run(t, w, to, from, lines, l.given, l.near)
		c.advance(lines)
		lo += lines
	}
}

// fourierLines are the lines of a view along an axis, of a nest over the other axes in which it is operand i.
func fourierLines[T dtype.Float](n *nest, i int, view device.View, axis int) fourier.Lines {
	l := fourier.Lines{Step: view.Strides[axis] * view.DType.Size(), Part: int(unsafe.Sizeof(T(0))), Real: !view.DType.IsComplex()}
	if n.count > 0 {
		l.Next = n.stride(i)
	}
	return l
}

var (
	_ = register("fft", entry{"complex64", fourierKernel[float32](fourier.Complex)}, entry{"complex128", fourierKernel[float64](fourier.Complex)})
	_ = register("rfft", entry{"float32", fourierKernel[float32](fourier.FromReal)}, entry{"float64", fourierKernel[float64](fourier.FromReal)})
	_ = register("irfft", entry{"complex64", fourierKernel[float32](fourier.ToReal)}, entry{"complex128", fourierKernel[float64](fourier.ToReal)})
)
