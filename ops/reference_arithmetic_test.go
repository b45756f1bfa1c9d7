package ops

import (
	"math"
	"math/big"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// pointwise is the reference of an element-wise operator.
func pointwise(f func(x ...float64) float64) func([]array, any) []array {
	return func(in []array, _ any) []array {
		return []array{made(in[0].dtype, joint(in...), func(index []int) float64 {
			x := make([]float64, len(in))
			for i, a := range in {
				x[i] = a.broadcastAt(index)
			}
			return f(x...)
		})}
	}
}

// referenceGeluGradient counts errors in units of the upstream gradient: the slope has a zero.
func referenceGeluGradient(in []array, params any) []array {
	slope := func(x float64) float64 {
		return math.Erfc(-x/math.Sqrt2)/2 + min(max(x, -1e4), 1e4)*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
	}
	y := pointwise(func(x ...float64) float64 { return slope(x[0]) * x[1] })(in, params)[0]
	y.scale = pointwise(func(x ...float64) float64 { return math.Abs(x[1]) })(in, params)[0].values
	return []array{y}
}

func predicate(f func(x, y float64) bool) func([]array, any) []array {
	return func(in []array, _ any) []array {
		return []array{made(dtype.Bool, joint(in...), func(index []int) float64 {
			if f(in[0].broadcastAt(index), in[1].broadcastAt(index)) {
				return 1
			}
			return 0
		})}
	}
}

func referenceWhere(in []array, _ any) []array {
	return []array{made(in[1].dtype, joint(in...), func(index []int) float64 {
		if in[0].broadcastAt(index) != 0 {
			return in[1].broadcastAt(index)
		}
		return in[2].broadcastAt(index)
	})}
}

func referenceMatmul(in []array, _ any) []array {
	a, b := in[0], in[1]
	if len(a.shape) == 1 {
		a.shape = []int{1, a.shape[0]}
	}
	if len(b.shape) == 1 {
		b.shape = []int{b.shape[0], 1}
	}
	m, depth, n := a.shape[len(a.shape)-2], a.shape[len(a.shape)-1], b.shape[len(b.shape)-1]
	batch := joint(array{shape: a.shape[:len(a.shape)-2]}, array{shape: b.shape[:len(b.shape)-2]})
	to := a.dtype
	if to == dtype.Int8 {
		to = dtype.Int32
	}
	out := newArray(to, slices.Concat(batch, []int{m, n}))
	out.scale = make([]float64, len(out.values))
	matrices := func(x array, at []int, rows, columns int) []float64 {
		numbers := array{shape: x.shape[:len(x.shape)-2], values: make([]float64, len(x.values))}
		for i := range numbers.values {
			numbers.values[i] = float64(i)
		}
		start := int(numbers.broadcastAt(at)) * rows * columns
		return x.values[start : start+rows*columns]
	}
	eachIndex(batch, func(number int, at []int) {
		if m*n*depth == 0 {
			return
		}
		left, right := matrices(a, at, m, depth), matrices(b, at, depth, n)
		for i := range m {
			for j := range n {
				to := (number*m+i)*n + j
				for k := range depth {
					product := left[i*depth+k] * right[k*n+j]
					out.values[to] += product
					out.scale[to] += math.Abs(product)
				}
			}
		}
	})
	out.shape = slices.Clone(batch)
	if len(in[0].shape) > 1 {
		out.shape = append(out.shape, m)
	}
	if len(in[1].shape) > 1 {
		out.shape = append(out.shape, n)
	}
	return []array{out}
}

// alongAxis is the reference of an operator that replaces each row along an axis.
func alongAxis(f func(row []float64) []float64) func([]array, any) []array {
	return func(in []array, params any) []array {
		x, axis := in[0], params.(SoftmaxParams).Axis
		if axis < 0 {
			axis += len(x.shape)
		}
		return []array{made(x.dtype, x.shape, func(index []int) float64 {
			row, own := make([]float64, x.shape[axis]), slices.Clone(index)
			for i := range row {
				own[axis] = i
				row[i] = x.at(own...)
			}
			return f(row)[index[axis]]
		})}
	}
}

func softmaxOf(row []float64) []float64 {
	out := logSoftmaxOf(row)
	for i, v := range out {
		out[i] = math.Exp(v)
	}
	return out
}

func logSoftmaxOf(row []float64) []float64 {
	sum, largest := 0.0, slices.Max(row)
	for _, v := range row {
		sum += math.Exp(v - largest)
	}
	out := make([]float64, len(row))
	for i, v := range row {
		out[i] = v - largest - math.Log(sum)
	}
	return out
}

func referenceCrossEntropy(in []array, _ any) []array {
	logits, labels := in[0], in[1]
	classes := logits.shape[1]
	out := newArray(logits.dtype, labels.shape)
	for i, label := range labels.values {
		row := logits.values[i*classes : (i+1)*classes]
		out.values[i] = -logSoftmaxOf(row)[int(label)]
		out.scale = append(out.scale, 2*math.Abs(slices.Max(row)))
	}
	return []array{out}
}

// referenceUpdate is a step of an optimiser: rule changes the weight and the states of one element by its slope, the gradient plus
// the decay that is not decoupled.
func referenceUpdate(states int, rule func(params any, rate, decay, gradient float64, x []float64)) func(in []array, params any) []array {
	return func(in []array, params any) []array {
		n := len(in) / (states + 2)
		rates, decays := params.(updateParams).each()
		results := []array{{dtype: dtype.Bool, values: []float64{1}}}
		for i := range n {
			operands, gradient := in[i*(states+1):(i+1)*(states+1)], in[n*(states+1)+i]
			changed := []array{}
			for _, a := range operands {
				changed = append(changed, newArray(a.dtype, a.shape))
			}
			for j, g := range gradient.values {
				x, scale := []float64{}, math.Abs(g)
				for _, a := range operands {
					x = append(x, a.values[j])
					scale += math.Abs(a.values[j])
				}
				rule(params, ofEach(rates, i), ofEach(decays, i), g, x)
				for k := range changed {
					changed[k].values[j] = x[k]
					changed[k].scale = append(changed[k].scale, scale)
				}
			}
			results = append(results, changed...)
		}
		return results
	}
}

func referenceSGD(params any, rate, decay, gradient float64, x []float64) {
	p := params.(SGDParams)
	slope := gradient + decay*x[0]
	x[1] = p.Momentum*x[1] + slope
	if p.Nesterov {
		x[0] -= rate * (slope + p.Momentum*x[1])
	} else {
		x[0] -= rate * x[1]
	}
}

func referenceAdam(params any, rate, decay, gradient float64, x []float64) {
	p := params.(AdamParams)
	if p.Decoupled {
		x[0] -= rate * decay * x[0]
	} else {
		gradient += decay * x[0]
	}
	x[1] += (1 - p.Momentum) * (gradient - x[1])
	x[2] += (1 - p.Smoothing) * (gradient*gradient - x[2])
	mean := x[1] / (1 - math.Pow(p.Momentum, float64(p.Step)))
	square := x[2] / (1 - math.Pow(p.Smoothing, float64(p.Step)))
	x[0] -= rate * mean / (math.Sqrt(square) + p.Epsilon)
}

func referenceRMSProp(params any, rate, decay, gradient float64, x []float64) {
	p := params.(RMSPropParams)
	gradient += decay * x[0]
	x[1] += (1 - p.Smoothing) * (gradient*gradient - x[1])
	x[2] = p.Momentum*x[2] + gradient/(math.Sqrt(x[1])+p.Epsilon)
	x[0] -= rate * x[2]
}

func referenceClipNorm(in []array, params any) []array {
	squares, most := new(big.Float).SetPrec(200), params.(ClipNormParams).Most
	for _, a := range in {
		for _, v := range a.values {
			x := new(big.Float).SetPrec(200).SetFloat64(v)
			squares.Add(squares, x.Mul(x, x))
		}
	}
	norm, _ := squares.Sqrt(squares).Float64()
	results := []array{{dtype: dtype.Float64, values: []float64{norm}}}
	for _, a := range in {
		changed := newArray(a.dtype, a.shape)
		for i, v := range a.values {
			changed.values[i] = v * (most / max(norm, most))
		}
		results = append(results, changed)
	}
	return results
}
