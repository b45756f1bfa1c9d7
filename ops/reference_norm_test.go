package ops

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/storage"
)

// moments returns the mean of numbers, and that of the squares of their distances from it, or from zero.
func moments(x []float64, centred bool) (mean, variance float64) {
	if centred {
		for _, v := range x {
			mean += v / float64(len(x))
		}
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	if len(x) == 0 {
		return math.NaN(), math.NaN()
	}
	return mean, variance
}

// normalisation says which elements of an array are normalised together, and which element of scale belongs to each.
type normalisation struct {
	block, scale func(index []int) int
	centred      bool
	epsilon      float64
}

// blocksOf returns the numbers of the elements of each block.
func (n normalisation) blocksOf(x array) map[int][]int {
	blocks := map[int][]int{}
	eachIndex(x.shape, func(number int, index []int) {
		b := n.block(index)
		blocks[b] = append(blocks[b], number)
	})
	return blocks
}

// standard returns x̂ and 1/√(variance + ε) of each element.
func (n normalisation) standard(x array) (standard, inverses []float64) {
	standard, inverses = make([]float64, len(x.values)), make([]float64, len(x.values))
	for _, numbers := range n.blocksOf(x) {
		mean, variance := moments(picked(x.values, numbers), n.centred)
		for _, i := range numbers {
			inverses[i] = 1 / math.Sqrt(variance+n.epsilon)
			standard[i] = (x.values[i] - mean) * inverses[i]
		}
	}
	return standard, inverses
}

func picked(all []float64, numbers []int) (some []float64) {
	for _, i := range numbers {
		some = append(some, all[i])
	}
	return some
}

func (n normalisation) forward(in []array) array {
	x := in[0]
	standard, inverses := n.standard(x)
	y := newArray(x.dtype, x.shape)
	y.scale = make([]float64, len(y.values))
	eachIndex(x.shape, func(number int, index []int) {
		scale := in[1].values[n.scale(index)]
		y.values[number] = standard[number] * scale
		y.scale[number] = (math.Abs(x.values[number])*inverses[number] + math.Abs(standard[number])) * math.Abs(scale)
		if len(in) > 2 {
			y.values[number] += in[2].values[n.scale(index)]
			y.scale[number] += math.Abs(in[2].values[n.scale(index)])
		}
	})
	return y
}

// backward returns the gradients by the chain rule, term by term: x̂ of one element depends on all elements of its block.
func (n normalisation) backward(in []array) []array {
	x, u := in[0], in[2]
	standard, inverses := n.standard(x)
	dx, dscale, dbias := newArray(x.dtype, x.shape), newArray(x.dtype, in[1].shape), newArray(x.dtype, in[1].shape)
	g := make([]float64, len(x.values))
	dscale.scale, dbias.scale = make([]float64, len(dscale.values)), make([]float64, len(dbias.values))
	eachIndex(x.shape, func(number int, index []int) {
		at := n.scale(index)
		g[number] = u.values[number] * in[1].values[at]
		dscale.values[at] += u.values[number] * standard[number]
		dscale.scale[at] += math.Abs(u.values[number]) * (math.Abs(standard[number]) + math.Abs(x.values[number])*inverses[number])
		dbias.values[at] += u.values[number]
		dbias.scale[at] += math.Abs(u.values[number])
	})
	dx.scale = make([]float64, len(dx.values))
	for _, numbers := range n.blocksOf(x) {
		count := float64(len(numbers))
		for _, i := range numbers {
			for _, j := range numbers {
				slope := -standard[i] * standard[j] / count
				if n.centred {
					slope -= 1 / count
				}
				if i == j {
					slope++
				}
				dx.values[i] += g[j] * slope * inverses[j]
				dx.scale[i] += math.Abs(g[j]*inverses[j]) / count * (1 + math.Abs(standard[i]*standard[j]))
			}
			dx.scale[i] += math.Abs(g[i]*inverses[i]) * 2
		}
	}
	if !n.centred {
		return []array{dx, dscale}
	}
	return []array{dx, dscale, dbias}
}

func rowNormalisation(in []array, params any, centred bool) normalisation {
	p, shape := params.(LayerNormParams), in[0].shape
	axis := (p.Axis + len(shape)) % len(shape)
	return normalisation{
		block: func(index []int) int { return array{shape: shape[:axis]}.number(index[:axis]) },
		scale: func(index []int) int { return array{shape: shape[axis:]}.number(index[axis:]) }, centred: centred, epsilon: p.Epsilon,
	}
}

func channelNormalisation(in []array, params any) normalisation {
	n := normalisation{scale: func(index []int) int { return index[1] }, centred: true}
	if p, grouped := params.(GroupNormParams); grouped {
		inGroup := max(1, in[0].shape[1]/p.Groups)
		n.block, n.epsilon = func(index []int) int { return index[0]*p.Groups + index[1]/inGroup }, p.Epsilon
	} else {
		n.block, n.epsilon = func(index []int) int { return index[1] }, params.(BatchNormParams).Epsilon
	}
	return n
}

func referenceLayerNorm(in []array, params any) []array {
	return []array{rowNormalisation(in, params, true).forward(in)}
}

func referenceRMSNorm(in []array, params any) []array {
	return []array{rowNormalisation(in, params, false).forward(in)}
}

func referenceLayerNormGradient(in []array, params any) []array {
	return rowNormalisation(in, params, true).backward(in)
}

func referenceRMSNormGradient(in []array, params any) []array {
	return rowNormalisation(in, params, false).backward(in)
}

func referenceGroupNorm(in []array, params any) []array {
	return []array{channelNormalisation(in, params).forward(in)}
}

func referenceChannelNormGradient(in []array, params any) []array {
	return channelNormalisation(in, params).backward(in)
}

func referenceBatchNorm(in []array, params any) []array {
	n := channelNormalisation(in, params)
	means, variances := newArray(in[0].dtype, in[1].shape), newArray(in[0].dtype, in[1].shape)
	blocks := n.blocksOf(in[0])
	means.scale = slices.Repeat([]float64{2}, len(means.values))
	for channel := range means.values {
		means.values[channel], variances.values[channel] = moments(picked(in[0].values, blocks[channel]), true)
	}
	return []array{n.forward(in), means, variances}
}

func referenceBatchNormInference(in []array, params any) []array {
	x, epsilon := in[0], params.(BatchNormParams).Epsilon
	y := newArray(x.dtype, x.shape)
	y.scale = make([]float64, len(y.values))
	eachIndex(x.shape, func(number int, index []int) {
		of := func(i int) float64 { return in[i].values[index[1]] }
		factor := of(1) / math.Sqrt(of(4)+epsilon)
		y.values[number] = (x.values[number]-of(3))*factor + of(2)
		y.scale[number] = math.Abs((x.values[number]-of(3))*factor) + math.Abs(of(2))
	})
	return []array{y}
}

func referenceSoftmaxGradient(in []array, params any) []array {
	return alongAxisOf(in, params, func(y, u []float64, i int) (value, scale float64) {
		total, size := 0.0, 0.0
		for j := range y {
			total += y[j] * u[j]
			size += math.Abs(y[j] * u[j])
		}
		return y[i] * (u[i] - total), math.Abs(y[i]) * (math.Abs(u[i]) + size)
	})
}

func referenceLogSoftmaxGradient(in []array, params any) []array {
	return alongAxisOf(in, params, func(y, u []float64, i int) (value, scale float64) {
		total, size := 0.0, 0.0
		for j := range u {
			total += u[j]
			size += math.Abs(u[j])
		}
		return u[i] - math.Exp(y[i])*total, math.Abs(u[i]) + math.Exp(y[i])*size
	})
}

// alongAxisOf computes each element from the rows of two operands along the axis of a softmax.
func alongAxisOf(in []array, params any, compute func(a, b []float64, i int) (value, scale float64)) []array {
	shape := in[0].shape
	axis := (params.(SoftmaxParams).Axis + len(shape)) % len(shape)
	y := newArray(in[0].dtype, shape)
	y.scale = make([]float64, len(y.values))
	eachIndex(shape, func(number int, index []int) {
		row := func(a array) (all []float64) {
			at := slices.Clone(index)
			for at[axis] = range shape[axis] {
				all = append(all, a.at(at...))
			}
			return all
		}
		y.values[number], y.scale[number] = compute(row(in[0]), row(in[1]), index[axis])
	})
	return []array{y}
}

func referenceCrossEntropyGradient(in []array, _ any) []array {
	logits, classes := in[0], in[0].shape[1]
	g := newArray(logits.dtype, logits.shape)
	g.scale = make([]float64, storage.Count(g.shape))
	for row, label := range in[1].values {
		copy(g.values[row*classes:], softmaxOf(logits.values[row*classes:(row+1)*classes]))
		g.values[row*classes+int(label)]--
		for i := range classes {
			g.values[row*classes+i] *= in[2].values[row]
			g.scale[row*classes+i] = math.Abs(g.values[row*classes+i])
		}
	}
	return []array{g}
}
