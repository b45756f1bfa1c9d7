package ops

import (
	"math"
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

func referenceSGD(in []array, params any) []array {
	p, n := params.(SGDParams), len(in)/3
	results := []array{{dtype: dtype.Bool, values: []float64{1}}}
	for i := range n {
		w, v, g := in[2*i], in[2*i+1], in[2*n+i]
		velocity, weight := newArray(w.dtype, w.shape), newArray(w.dtype, w.shape)
		for j := range w.values {
			velocity.values[j] = p.Momentum*v.values[j] + g.values[j] + p.WeightDecay*w.values[j]
			weight.values[j] = w.values[j] - p.LearningRate*velocity.values[j]
			scale := math.Abs(v.values[j]) + math.Abs(g.values[j]) + math.Abs(w.values[j])
			velocity.scale, weight.scale = append(velocity.scale, scale), append(weight.scale, scale)
		}
		results = append(results, weight, velocity)
	}
	return results
}
