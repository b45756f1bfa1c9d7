package cuda

import (
	"errors"
	"math"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// convolution is the kernel of a convolution: cuDNN's where there is one that takes it, and otherwise that of conv.cu.
type convolution struct {
	*compound
	direction driver.Direction
}

// directions are those of the operators that cuDNN may compute.
var directions = map[string]driver.Direction{
	"conv": driver.ToResult, "conv_bias": driver.ToResult, "conv_gradient_data": driver.ToData, "conv_transpose": driver.ToData, "conv_gradient_weights": driver.ToWeights,
}

// workspaceAlignment is where the temporary memory of an algorithm may begin: as memory that is allocated by itself.
const workspaceAlignment = 256

// alignment is what cuDNN's kernels may take the addresses of arrays for multiples of.
const alignment = 16

// Launch enqueues the convolution.
func (k *convolution) Launch(s device.Stream, a *device.Arguments) error {
	own, err := k.streamOf(s)
	if err != nil {
		return err
	}
	return own.enqueue(func(c driver.Context) error {
		return (&launcher{k.backend, c, own, k.types}).convolution(k.direction, a, k.run)
	})
}

// Scratch returns the bytes of temporary memory for a call, whoever computes it.
func (k *convolution) Scratch(index int, a *device.Arguments) int {
	bytes := k.compound.Scratch(index, a)
	if u, err := k.backend.unit(index); err == nil {
		return max(bytes, u.convolutionScratch(k.direction, a))
	}
	return bytes
}

// convolution enqueues a convolution in a direction: cuDNN's where there is one that takes it, and otherwise own.
func (l *launcher) convolution(direction driver.Direction, a *device.Arguments, own func(l *launcher, a *device.Arguments) error) error {
	if p, ok := planConvolution(direction, a); ok {
		if computed, err := l.byDNN(&p, a); computed || err != nil {
			return err
		}
	}
	return own(l, a)
}

// byDNN enqueues a convolution by cuDNN, unless that does not take it.
func (l *launcher) byDNN(p *plannedConvolution, a *device.Arguments) (computed bool, err error) {
	s, scratch := l.stream, a.Scratch
	for i, v := range p.arrays {
		if p.copied[i] {
			p.arrays[i] = rowMajor(scratch, v.DType, v.Shape)
			scratch = scratch.Add(p.bytes(i))
		}
		if p.arrays[i].Pointer.Address%alignment != 0 {
			return false, nil
		}
	}
	algorithm, taken, err := s.unit.chooseConvolution(&p.Convolution)
	if err != nil || !taken {
		return false, err
	}
	if past := int(scratch.Address % workspaceAlignment); past > 0 {
		scratch = scratch.Add(workspaceAlignment - past)
	}
	if err := s.unit.convolutions.lacks(s.unit, p.scratch(algorithm), a.ScratchBytes); err != nil {
		return false, err
	}
	for i, from := range p.given {
		if p.copied[i] {
			if err := l.copy(p.arrays[i], from); err != nil {
				return false, err
			}
		}
	}
	if len(a.Inputs) > 2 { // the bias is where the convolution is added
		bias := a.Inputs[2]
		bias.Shape, bias.Strides = a.Outputs[0].Shape, make([]int, len(a.Outputs[0].Shape))
		bias.Strides[1] = a.Inputs[2].Strides[0]
		if err := l.copy(a.Outputs[0], bias); err != nil {
			return false, err
		}
	}
	if err := s.useDNN(l.context); err != nil {
		return false, withHint(driver.DNNVariable, err)
	}
	err = s.dnn.Convolve(&p.Convolution, algorithm, &driver.Convolved{
		Data: addressOf(p.arrays[0]), Weights: addressOf(p.arrays[1]), Result: addressOf(p.arrays[2]),
		Workspace: driver.Address(scratch.Address), Add: len(a.Inputs) > 2,
	})
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		s.unit.convolutions.refused(&p.Convolution)
		s.unit.refused(withHint(driver.DNNVariable, err))
		return false, nil
	case err != nil:
		return false, withHint(driver.DNNVariable, err)
	}
	s.launched()
	return true, nil
}

func addressOf(v device.View) driver.Address { return driver.Address(v.Pointer.Address) }

// convolutionScratch returns the bytes of temporary memory that a convolution by cuDNN takes, if that computes it.
func (u *unit) convolutionScratch(direction driver.Direction, a *device.Arguments) int {
	if p, ok := planConvolution(direction, a); ok {
		if algorithm, taken, err := u.chooseConvolution(&p.Convolution); err == nil && taken { // who launches it is told of the error
			return p.scratch(algorithm)
		}
	}
	return 0
}

// plannedConvolution is what cuDNN is told of a call.
type plannedConvolution struct {
	driver.Convolution
	given, arrays [3]device.View // data, weights and result, as they are and as cuDNN gets them
	copied        [3]bool        // operands whose elements do not follow one another
}

// bytes returns what a copy of an operand takes.
func (p *plannedConvolution) bytes(i int) int {
	return (p.given[i].Count()*p.given[i].DType.Size() + alignment - 1) / alignment * alignment
}

// copies returns what all copies take.
func (p *plannedConvolution) copies() (bytes int) {
	for i, copied := range p.copied {
		if copied {
			bytes += p.bytes(i)
		}
	}
	return bytes
}

// scratch returns the bytes of temporary memory that a call takes, wherever that begins.
func (p *plannedConvolution) scratch(a driver.Algorithm) int {
	bytes := p.copies()
	if a.Workspace > 0 {
		bytes += a.Workspace + workspaceAlignment
	}
	return bytes
}

// planConvolution returns what cuDNN is told of a call; ok is false if it is not asked: it does not take padding that
// is not the same on both sides, does not write to other layouts, and is not made for float64.
func planConvolution(direction driver.Direction, a *device.Arguments) (p plannedConvolution, ok bool) {
	var written int
	switch direction {
	case driver.ToResult:
		p.given, written = [3]device.View{a.Inputs[0], a.Inputs[1], a.Outputs[0]}, 2
	case driver.ToData:
		p.given = [3]device.View{a.Outputs[0], a.Inputs[1], a.Inputs[0]}
	case driver.ToWeights:
		p.given, written = [3]device.View{a.Inputs[0], a.Outputs[0], a.Inputs[1]}, 1
	}
	p.arrays = p.given
	for i, v := range p.given {
		p.copied[i] = !isRowMajor(v)
		if count := v.Count(); count == 0 || count > math.MaxInt32 || v.DType == dtype.Float64 || p.copied[i] && i == written {
			return p, false
		}
	}
	own := newConv(a, p.given[0], p.given[2], p.given[1])
	p.Convolution = driver.Convolution{
		Direction: direction, Precision: precisionOf(p.given[0].DType), Axes: max(2, len(p.given[0].Shape)-2),
		Images: own.batch, Groups: own.groups, Channels: own.channels * own.groups, Filters: own.filters * own.groups,
		Data: [3]int(own.data.Shape[2:]), Weights: [3]int(own.weights.Shape[2:]), Result: [3]int(own.result.Shape[2:]),
		Stride: own.stride, Dilation: own.dilation, Padding: own.before,
	}
	c := &p.Convolution
	for axis := range 3 {
		if max(c.Data[axis]+2*c.Padding[axis], c.Stride[axis], c.Dilation[axis]) > math.MaxInt32 { // cuDNN counts in int32
			return p, false
		}
		room := c.Data[axis] + 2*c.Padding[axis] - (c.Weights[axis]-1)*c.Dilation[axis] - 1
		if room < 0 || room/c.Stride[axis]+1 != c.Result[axis] {
			return p, false
		}
	}
	return p, true
}

// isRowMajor reports whether the elements of v follow one another.
func isRowMajor(v device.View) bool {
	next := 1
	for axis, size := range slices.Backward(v.Shape) {
		if size != 1 && v.Strides[axis] != next {
			return false
		}
		next *= size
	}
	return true
}

// chooseConvolution returns how cuDNN computes c.
func (u *unit) chooseConvolution(c *driver.Convolution) (a driver.Algorithm, taken bool, err error) {
	return u.convolutions.choose(u, c, driver.DNNVariable, func(c driver.Context) (chooser[driver.Convolution, driver.Algorithm], error) { return c.NewDNN(0) })
}

// useDNN makes the handle of cuDNN of the stream.
func (s *stream) useDNN(c driver.Context) (err error) {
	if s.dnn == nil {
		s.dnn, err = c.NewDNN(s.handle)
	}
	return err
}
