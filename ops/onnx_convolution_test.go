package ops

import "slices"

// convParams returns the parameters of a convolution, with the padding that ONNX computes by itself for data of that size.
func (c onnxCall) convParams(data []int) ConvParams {
	of := func(name string) []int {
		given, _ := c.list(len(c.in), name)
		return given
	}
	p := ConvParams{Stride: of("strides"), Padding: of("pads"), Dilation: of("dilations"), Groups: c.integer("group", 1)}
	automatic := c.attributes["auto_pad"].text
	if automatic == "" || automatic == "NOTSET" || automatic == "VALID" {
		return p
	}
	p.Padding = make([]int, 2*len(data))
	for axis := range data {
		stride, dilation := 1, 1
		if p.Stride != nil {
			stride = p.Stride[axis]
		}
		if p.Dilation != nil {
			dilation = p.Dilation[axis]
		}
		size := (data[axis] + stride - 1) / stride
		whole := max(0, (size-1)*stride+(c.in[1].Shape()[2+axis]-1)*dilation+1-data[axis])
		less, more := axis, len(data)+axis
		if automatic == "SAME_LOWER" {
			less, more = more, less
		}
		p.Padding[less], p.Padding[more] = whole/2, whole-whole/2
	}
	return p
}

// withBias adds the third operand, if there is one, to the channels of y.
func (c onnxCall) withBias(y *Tensor) *Tensor {
	if len(c.in) < 3 || c.in[2] == nil {
		return y
	}
	shape := slices.Repeat([]int{1}, len(y.Shape()))
	shape[1] = c.in[2].Shape()[0]
	return Invoke(Add, nil, y, reshaped(c.in[2], shape))[0]
}

func onnxConv(c onnxCall) *Tensor {
	return c.withBias(Invoke(Conv, c.convParams(c.in[0].Shape()[2:]), c.in[0], c.in[1])[0])
}

func onnxConvTranspose(c onnxCall) *Tensor {
	x := c.in[0].Shape()[2:]
	more, _ := c.list(len(c.in), "output_padding")
	shape, given := c.list(len(c.in), "output_shape")
	p := c.convParams(x)
	if !given && c.attributes["auto_pad"].text != "" {
		for axis, n := range x {
			shape = append(shape, n*p.Stride[axis])
		}
	}
	if shape != nil {
		p.Padding = make([]int, 2*len(x))
		for axis := range x {
			stride, dilation, most := 1, 1, 0
			if p.Stride != nil {
				stride = p.Stride[axis]
			}
			if p.Dilation != nil {
				dilation = p.Dilation[axis]
			}
			if more != nil {
				most = more[axis]
			}
			whole := (x[axis]-1)*stride + (c.in[1].Shape()[2+axis]-1)*dilation + 1 + most - shape[axis]
			if whole < 0 {
				panic(errUnmapped) // more padding of the output than there are steps
			}
			less, behind := axis, len(x)+axis
			if c.attributes["auto_pad"].text != "SAME_UPPER" {
				less, behind = behind, less
			}
			p.Padding[less], p.Padding[behind] = whole/2, whole-whole/2
		}
	}
	return c.withBias(Invoke(ConvTranspose, ConvTransposeParams{p.Stride, p.Padding, p.Dilation, p.Groups, more}, c.in[0], c.in[1])[0])
}
