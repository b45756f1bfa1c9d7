package ops

import "slices"

// referenceConvolution calls body for every product of a convolution: with the numbers of an element of the data, of the weights
// and of the result in their arrays. Axes are as conv has them.
func referenceConvolution(data, weights, result array, p ConvParams, body func(x, w, y int)) {
	axes, groups := len(data.shape)-2, max(1, p.Groups)
	each := func(given []int, none int) []int {
		switch len(given) {
		case 0:
			return slices.Repeat([]int{none}, axes)
		case 1:
			return slices.Repeat(given, axes)
		}
		return given
	}
	stride, dilation, before := each(p.Stride, 1), each(p.Dilation, 1), each(p.Padding, 0)
	eachIndex(result.shape, func(y int, to []int) {
		to = slices.Clone(to)
		filters := weights.shape[0] / groups
		eachIndex(weights.shape[1:], func(_ int, through []int) {
			from := []int{to[0], to[1]/filters*weights.shape[1] + through[0]}
			for axis := range axes {
				at := to[2+axis]*stride[axis] + through[1+axis]*dilation[axis] - before[axis]
				if at < 0 || at >= data.shape[2+axis] {
					return
				}
				from = append(from, at)
			}
			body(data.number(from), weights.number(append([]int{to[1]}, through...)), y)
		})
	})
}

// withMagnitudes makes the errors of a count in units of the sums of the magnitudes that its elements are made of.
func withMagnitudes(a, magnitudes array) []array {
	a.scale = magnitudes.values
	return []array{a}
}

func magnitude(v float64) float64 { return max(v, -v) }

func referenceConv(in []array, params any) []array {
	p, x, w := params.(ConvParams), in[0], in[1]
	g := (&Call{Inputs: []Operand{{x.shape, x.dtype}, {w.shape, w.dtype}}, Params: p}).convolution()
	shape := []int{x.shape[0], w.shape[0]}
	for axis := range g.axes {
		shape = append(shape, g.result(x.shape, w.shape, axis))
	}
	y, most := newArray(x.dtype, shape), newArray(x.dtype, shape)
	if len(in) == 3 {
		eachIndex(shape, func(number int, index []int) {
			y.values[number], most.values[number] = in[2].values[index[1]], magnitude(in[2].values[index[1]])
		})
	}
	referenceConvolution(x, w, y, p, func(i, j, k int) {
		y.values[k] += x.values[i] * w.values[j]
		most.values[k] += magnitude(x.values[i] * w.values[j])
	})
	return withMagnitudes(y, most)
}

// referenceConvData is the gradient of the data, of the given spatial axes.
func referenceConvData(gradient, w array, p ConvParams, shape []int) []array {
	x := newArray(gradient.dtype, append([]int{gradient.shape[0], w.shape[1] * max(1, p.Groups)}, shape...))
	most := newArray(x.dtype, x.shape)
	referenceConvolution(x, w, gradient, p, func(i, j, k int) {
		x.values[i] += gradient.values[k] * w.values[j]
		most.values[i] += magnitude(gradient.values[k] * w.values[j])
	})
	return withMagnitudes(x, most)
}

func referenceConvTranspose(in []array, params any) []array {
	q := params.(ConvTransposeParams)
	p := ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups}
	c := &Call{Inputs: []Operand{{in[0].shape, in[0].dtype}, {in[1].shape, in[1].dtype}}, Params: p}
	g := c.convolution()
	more, shape := c.forAxes("", q.OutputPadding, g.axes, 0), []int{}
	for axis := range g.axes {
		shape = append(shape, (in[0].shape[2+axis]-1)*g.stride[axis]+g.span(in[1].shape, axis)-g.before[axis]-g.behind[axis]+more[axis])
	}
	return referenceConvData(in[0], in[1], p, shape)
}

func referenceConvGradientData(in []array, params any) []array {
	q := params.(ConvGradientDataParams)
	return referenceConvData(in[0], in[1], ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups}, q.Shape)
}

func referenceConvGradientWeights(in []array, params any) []array {
	q, x, gradient := params.(ConvGradientWeightsParams), in[0], in[1]
	w := newArray(x.dtype, append([]int{gradient.shape[1], x.shape[1] / max(1, q.Groups)}, q.Kernel...))
	most := newArray(x.dtype, w.shape)
	referenceConvolution(x, w, gradient, ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups}, func(i, j, k int) {
		w.values[j] += x.values[i] * gradient.values[k]
		most.values[j] += magnitude(x.values[i] * gradient.values[k])
	})
	return withMagnitudes(w, most)
}

// referenceConvMaxPool takes the maxima of windows beside one another over referenceConv.
func referenceConvMaxPool(in []array, params any) []array {
	p := params.(ConvMaxPoolParams)
	of := referenceConv(in, ConvParams{p.Stride, p.Padding, p.Dilation, p.Groups})[0]
	pooled := referenceMaxPool([]array{of}, PoolParams{Kernel: p.Window})
	plane, most := of.shape[2]*of.shape[3], newArray(of.dtype, pooled[0].shape)
	for i := range most.values {
		channel := i / (most.shape[2] * most.shape[3])
		most.values[i] = of.scale[channel*plane+int(pooled[1].values[i])]
		if p.Rectified && pooled[0].values[i] <= 0 {
			pooled[0].values[i], pooled[1].values[i] = 0, -1
		}
	}
	return []array{withMagnitudes(pooled[0], most)[0], pooled[1]}
}

// referenceUnpooled is the gradient of a convolution's result of which elements have been taken from those positions.
func referenceUnpooled(upstream, positions, data, weights array, p ConvParams) array {
	g := (&Call{Inputs: []Operand{{data.shape, data.dtype}, {weights.shape, weights.dtype}}, Params: p}).convolution()
	shape := []int{data.shape[0], weights.shape[0], g.result(data.shape, weights.shape, 0), g.result(data.shape, weights.shape, 1)}
	return referenceMaxPoolGradient([]array{upstream, positions}, PlaneParams{shape})[0]
}

func referenceConvMaxPoolGradientData(in []array, params any) []array {
	q := params.(ConvGradientDataParams)
	p := ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups}
	data := newArray(in[0].dtype, append([]int{in[0].shape[0], in[2].shape[1] * max(1, q.Groups)}, q.Shape...))
	return referenceConvData(referenceUnpooled(in[0], in[1], data, in[2], p), in[2], p, q.Shape)
}

func referenceConvMaxPoolGradientWeights(in []array, params any) []array {
	q := params.(ConvGradientWeightsParams)
	weights := newArray(in[0].dtype, append([]int{in[1].shape[1], in[0].shape[1] / max(1, q.Groups)}, q.Kernel...))
	dense := referenceUnpooled(in[1], in[2], in[0], weights, ConvParams{q.Stride, q.Padding, q.Dilation, q.Groups})
	bias, most := newArray(weights.dtype, weights.shape[:1]), newArray(weights.dtype, weights.shape[:1])
	eachIndex(in[1].shape, func(number int, index []int) {
		if in[2].values[number] >= 0 {
			bias.values[index[1]] += in[1].values[number]
			most.values[index[1]] += magnitude(in[1].values[number])
		}
	})
	return append(referenceConvGradientWeights([]array{in[0], dense}, q), withMagnitudes(bias, most)...)
}

// Mistaken calls of convolutions whose result is looked at through windows.
var (
	badConvMaxPools = []Sample{
		{Shapes: [][]int{{1, 1, 4}, {2, 1, 2}, {2}}, Params: ConvMaxPoolParams{Window: []int{2, 2}}}, {Shapes: [][]int{{1, 1, 4, 4}, {2, 1, 2, 2}, {3}}, Params: ConvMaxPoolParams{Window: []int{2, 2}}},
		{Shapes: [][]int{{1, 1, 4, 4}, {2, 2, 2, 2}, {2}}, Params: ConvMaxPoolParams{Window: []int{2, 2}}}, {Shapes: [][]int{{1, 1, 4, 4}, {2, 1, 2, 2}, {2}}, Params: ConvMaxPoolParams{Window: []int{2}}},
		{Shapes: [][]int{{1, 1, 4, 4}, {2, 1, 2, 2}, {2}}, Params: ConvMaxPoolParams{Window: []int{0, 2}}}, {Shapes: [][]int{{1, 1, 4, 4}, {2, 1, 2, 2}, {2}}, Params: ConvMaxPoolParams{Window: []int{2, 4}}},
	}

	badConvMaxPoolGradientsOfData = []Sample{
		{Shapes: [][]int{{1, 2, 2}, {1, 2, 2}, {2, 1, 2}}, Params: ConvGradientDataParams{Shape: []int{5}}}, {Shapes: [][]int{{1, 2, 2, 2}, {1, 2, 2, 1}, {2, 1, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{5, 5}}},
		{Shapes: [][]int{{1, 2, 2, 2}, {1, 2, 2, 2}, {3, 1, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{5, 5}}}, {Shapes: [][]int{{1, 2, 2, 2}, {1, 2, 2, 2}, {2, 1, 2, 2}}, Params: ConvGradientDataParams{Shape: []int{5, 1}}},
		{Shapes: [][]int{{1, 2, 2, 2}, {1, 2, 2, 2}, {2, 1, 2}}, Params: ConvGradientDataParams{Shape: []int{5, 5}}}, {Shapes: [][]int{{1, 2, 2, 2}, {1, 2, 2, 2}, {2, 1, 2, 2}}, Params: ConvGradientDataParams{}},
	}

	badConvMaxPoolGradientsOfWeights = []Sample{
		{Shapes: [][]int{{1, 2, 5}, {1, 2, 2}, {1, 2, 2}}, Params: ConvGradientWeightsParams{Kernel: []int{2}}}, {Shapes: [][]int{{1, 2, 5, 5}, {1, 2, 2, 2}, {1, 2, 2, 1}}, Params: ConvGradientWeightsParams{Kernel: []int{2, 2}}},
		{Shapes: [][]int{{1, 3, 5, 5}, {1, 2, 2, 2}, {1, 2, 2, 2}}, Params: ConvGradientWeightsParams{Kernel: []int{2, 2}, Groups: 2}}, {Shapes: [][]int{{1, 2, 5, 5}, {1, 2, 2, 2}, {1, 2, 2, 2}}, Params: ConvGradientWeightsParams{Kernel: []int{6, 2}}},
		{Shapes: [][]int{{2, 2, 5, 5}, {1, 2, 2, 2}, {1, 2, 2, 2}}, Params: ConvGradientWeightsParams{Kernel: []int{2, 2}}},
	}
)
