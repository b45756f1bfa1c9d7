package ops

import (
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// reductionOf returns what becomes of values that come to one place.
func reductionOf(c onnxCall) Reduction {
	if given := c.attributes["reduction"].text; given != "" {
		return Reduction(given)
	}
	return ReduceNone
}

// onnxOneHot gives one of two values. Indices out of range, of which ONNX makes rows without a one, are an error here.
func onnxOneHot(c onnxCall) *Tensor {
	depth := int(valuesOf(c.t, c.in[1])[0])
	indices := array{dtype.Int64, c.in[0].Shape(), valuesOf(c.t, c.in[0]), nil}
	for i, index := range indices.values {
		if index < 0 {
			indices.values[i] += float64(depth)
		}
		if index < float64(-depth) || index >= float64(depth) {
			panic(errUnmapped)
		}
	}
	choice := func(i int) *Tensor {
		return Invoke(Take, TakeParams{0, "raise"}, c.in[2], array{dtype.Int64, []int{}, []float64{float64(i)}, nil}.tensor(c.env))[0]
	}
	marks := Invoke(OneHot, OneHotParams{depth, dtype.Bool}, indices.tensor(c.env))[0]
	y := Invoke(Where, nil, marks, choice(1), choice(0))[0]
	rank := len(y.Shape())
	order, axis := []int{}, (c.integer("axis", -1)+rank)%rank
	for i := range rank - 1 {
		order = append(order, i)
	}
	return Invoke(Transpose, TransposeParams{slices.Insert(order, axis, rank-1)}, y)[0]
}

// onnxPad has the paddings in front of all axes before those behind them; negative ones are none of ours.
func onnxPad(c onnxCall) *Tensor {
	x, rank := c.in[0], len(c.in[0].Shape())
	pads, _ := c.list(1, "pads")
	axes, given := c.list(3, "axes")
	p := PadParams{Before: make([]int, rank), After: make([]int, rank)}
	for i := range len(pads) / 2 {
		axis := i
		if given {
			axis = (axes[i] + rank) % rank
		}
		p.Before[axis], p.After[axis] = pads[i], pads[len(pads)/2+i]
	}
	if slices.Min(pads) < 0 {
		panic(errUnmapped)
	}
	mode := c.attributes["mode"].text
	if mode == "" || mode == "constant" {
		if len(c.in) > 2 && c.in[2] != nil {
			p.Value = valuesOf(c.t, c.in[2])[0]
		}
		return Invoke(Pad, p, x)[0]
	}
	for axis, n := range x.Shape() {
		places := made(dtype.Int64, []int{p.Before[axis] + n + p.After[axis]}, func(index []int) float64 {
			i := index[0] - p.Before[axis]
			if mode == "reflect" && (i < 0 || i >= n) {
				i = (i%(2*n-2) + 2*n - 2) % (2*n - 2)
				i = min(i, 2*n-2-i)
			}
			return float64(i)
		})
		x = Invoke(Take, TakeParams{axis, map[string]string{"edge": "clip", "reflect": "raise", "wrap": "wrap"}[mode]}, x, places.tensor(c.env))[0]
	}
	return x
}
